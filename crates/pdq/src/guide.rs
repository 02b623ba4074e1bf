//! From a first queue to its shutdown, in steps that build on each other.
//!
//! All code of this page is compiled and run by the tests, and uses the public interface alone.
#![doc = include_str!("../GUIDE.md")]
