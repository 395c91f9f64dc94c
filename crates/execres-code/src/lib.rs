//! From a request in some language to an immutable bundle, and the contract of whatever runs it.
