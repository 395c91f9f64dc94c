//! The pages about testing and writing providers: their code is compiled and run as documentation tests.

#[doc = include_str!("../../../docs/testkit.md")]
struct Testkit;

#[doc = include_str!("../../../docs/writing-a-provider.md")]
struct WritingAProvider;
