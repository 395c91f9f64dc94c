//! Texts for people: lines that fit a terminal.

use crate::stream::plain;

/// Columns that a line for people has at most.
pub(crate) const WIDTH: usize = 100;

/// Breaks a text between words into lines of at most `width` characters. A word that is longer stays whole, because it is a path
/// or a name that somebody will copy.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A text behind `first`, broken so that every further line begins below the text. What would steer a terminal is shown, before
/// the text is measured.
pub(crate) fn hanging(first: &str, text: &str) -> String {
    let indent = first.chars().count();
    let lines = wrapped(&plain(text), WIDTH.saturating_sub(indent).max(20));
    let mut out = first.to_owned();
    for (number, line) in lines.iter().enumerate() {
        if number > 0 {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
        }
        out.push_str(line);
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_long_words_stay_whole() {
        assert_eq!(wrapped("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrapped("a /very/long/path b", 6), ["a", "/very/long/path", "b"]);
        assert!(wrapped("", 5).is_empty());
    }

    #[test]
    fn further_lines_begin_below_the_text() {
        let text = "word ".repeat(30);
        let out = hanging("  name  ", &text);
        let lines: Vec<&str> = out.lines().collect();
        assert!(lines.len() > 1 && lines.iter().all(|line| line.chars().count() <= WIDTH), "{out}");
        assert!(lines[0].starts_with("  name  word") && lines[1].starts_with("        word"), "{out}");
        assert_eq!(hanging("  name  ", ""), "  name");
    }
}
