//! Tradewind for those who build on it: everything a program, a protocol or a tool depends on, by one name.

#![forbid(unsafe_code)]

pub use cli::main;
