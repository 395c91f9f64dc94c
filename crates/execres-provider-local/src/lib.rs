//! The native sandbox and trusted_local: code execution on this machine.
