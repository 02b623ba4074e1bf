//! Attributes that state a message, an input and a program once. `tempest` re-exports them.

#![forbid(unsafe_code)]
