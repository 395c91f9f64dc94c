//! The four isolation axes, and sets of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One isolation axis: a property of a run, never the name of a mechanism.
///
/// The list is closed: adding an axis changes what "required isolation" means for everybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// No process of the run can outlive it, see, signal or trace host processes, or talk to them.
    ProcessContained,
    /// Only granted roots can be written or changed; only granted and listed roots can be read.
    HostFilesystemRestricted,
    /// No way to gain privilege: no capabilities, set-uid ignored, no identity that the host's kernel honours.
    PrivilegeEscalationBlocked,
    /// A system-call filter is in force that denies a dangerous set on every ABI.
    SyscallsRestricted,
}

impl Axis {
    /// All axes, in the order in which they are printed.
    pub const ALL: [Axis; 4] = [
        Axis::ProcessContained,
        Axis::HostFilesystemRestricted,
        Axis::PrivilegeEscalationBlocked,
        Axis::SyscallsRestricted,
    ];

    /// The stable name, as in JSON and in requirements.
    pub const fn name(self) -> &'static str {
        match self {
            Axis::ProcessContained => "process_contained",
            Axis::HostFilesystemRestricted => "host_filesystem_restricted",
            Axis::PrivilegeEscalationBlocked => "privilege_escalation_blocked",
            Axis::SyscallsRestricted => "syscalls_restricted",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Axis {
    type Err = UnknownAxis;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Axis::ALL.into_iter().find(|axis| axis.name() == text).ok_or_else(|| UnknownAxis(text.to_owned()))
    }
}

/// A text that names no axis.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown isolation axis {0:?}: write one of process_contained, host_filesystem_restricted, \
     privilege_escalation_blocked, syscalls_restricted"
)]
pub struct UnknownAxis(String);

/// A set of axes. Serialises as a list of names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct AxisSet(u8);

impl AxisSet {
    /// No axis.
    pub const EMPTY: AxisSet = AxisSet(0);
    /// Every axis: what "required isolation" asks for.
    pub const ALL: AxisSet = AxisSet(0b1111);

    /// Whether `axis` is in the set.
    pub const fn contains(self, axis: Axis) -> bool {
        self.0 & axis.bit() != 0
    }

    /// The set with `axis` added.
    #[must_use]
    pub const fn with(self, axis: Axis) -> Self {
        AxisSet(self.0 | axis.bit())
    }

    /// The axes of this set that `other` lacks.
    #[must_use]
    pub const fn missing_from(self, other: AxisSet) -> Self {
        AxisSet(self.0 & !other.0)
    }

    /// Whether every axis of this set is in `other`.
    pub const fn is_subset_of(self, other: AxisSet) -> bool {
        self.missing_from(other).is_empty()
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The axes, in the order of [`Axis::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Axis> {
        Axis::ALL.into_iter().filter(move |axis| self.contains(*axis))
    }
}

impl FromIterator<Axis> for AxisSet {
    fn from_iter<I: IntoIterator<Item = Axis>>(axes: I) -> Self {
        axes.into_iter().fold(AxisSet::EMPTY, AxisSet::with)
    }
}

impl fmt::Debug for AxisSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Axis::name)).finish()
    }
}

impl fmt::Display for AxisSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, axis) in self.iter().enumerate() {
            if position > 0 {
                f.write_str(", ")?;
            }
            f.write_str(axis.name())?;
        }
        Ok(())
    }
}

impl Serialize for AxisSet {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for AxisSet {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Axis>::deserialize(deserializer)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back_and_labels_do_not() {
        for axis in Axis::ALL {
            assert_eq!(axis.name().parse::<Axis>(), Ok(axis));
        }
        assert!("required".parse::<Axis>().is_err(), "a label is never an axis");
    }

    #[test]
    fn set_algebra() {
        let two: AxisSet = [Axis::ProcessContained, Axis::SyscallsRestricted].into_iter().collect();
        assert!(two.is_subset_of(AxisSet::ALL));
        assert!(!AxisSet::ALL.is_subset_of(two));
        assert_eq!(
            AxisSet::ALL.missing_from(two).to_string(),
            "host_filesystem_restricted, privilege_escalation_blocked"
        );
        assert_eq!(serde_json::to_string(&two).unwrap(), r#"["process_contained","syscalls_restricted"]"#);
        assert_eq!(serde_json::from_str::<AxisSet>(r#"["syscalls_restricted","process_contained"]"#).unwrap(), two);
    }
}
