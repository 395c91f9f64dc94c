//! Pages of the documentation whose examples are compiled and run.

#[doc = include_str!("../../../docs/providers/local.md")]
struct LocalProviders;
