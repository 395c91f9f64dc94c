//! Proven isolation on Linux: profiles, the launcher, supervision and evidence from live probes.
