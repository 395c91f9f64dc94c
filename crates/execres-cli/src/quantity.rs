//! Times and sizes as people write them.

use std::time::Duration;

/// `500ms`, `10s`, `2m`, `1h`; a bare number is seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let refuse = || format!("{text:?} is no time: write a number with ms, s, m or h, for example 10s");
    let split = text.find(|character: char| !character.is_ascii_digit() && character != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number.parse().map_err(|_| refuse())?;
    let seconds = match unit {
        "ms" => number / 1000.0,
        "s" | "" => number,
        "m" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(refuse()),
    };
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() && seconds <= 30.0 * 86_400.0 => Ok(duration),
        Ok(_) => Err(format!("{text:?} is out of range: write a time between 1ms and 720h")),
        Err(_) => Err(refuse()),
    }
}

/// `512K`, `256M`, `1G`, with or without `B` or `iB`, in powers of 1024; a bare number is bytes.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let refuse = || format!("{text:?} is no size: write a number with K, M or G, for example 256M");
    let split = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: u64 = number.parse().map_err(|_| refuse())?;
    let unit = unit.trim_end_matches("iB").trim_end_matches('B').to_ascii_uppercase();
    let shift = match unit.as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(refuse()),
    };
    let bytes = number.checked_mul(1 << shift).ok_or_else(refuse)?;
    // Less does not start an interpreter, and the error would be of no help.
    match (bytes < 4 << 20, shift) {
        (true, 0) => {
            Err(format!("{text:?} is too little, because a bare number is bytes: write {text}M, or at least 4M"))
        }
        (true, _) => Err(format!("{text:?} is too little: write at least 4M")),
        (false, _) => Ok(bytes),
    }
}

/// A size for people.
pub(crate) fn show_size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.2} GiB", bytes as f64 / 1_073_741_824.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2s"), Ok(Duration::from_secs(2)));
        assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        for bad in ["", "s", "-1s", "10 s", "1d", "0s", "1e9h", "nan", "inf", "999999h"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(size("256M"), Ok(256 << 20));
        assert_eq!(size("1GiB"), Ok(1 << 30));
        assert_eq!(size("512MB"), Ok(512 << 20));
        assert_eq!(size("8388608"), Ok(8 << 20));
        for bad in ["", "M", "-1M", "1.5G", "1X", "99999999999T", "1K"] {
            assert!(size(bad).is_err(), "{bad}");
        }
        assert_eq!(show_size(9_751_756), "9.3 MiB");
    }
}
