//! The built command, as people and scripts meet it.

#![forbid(unsafe_code)]

mod adaptive;
mod asked;
mod bounded;
mod bounds;
mod calibrate;
#[allow(dead_code, reason = "the tests of `trace` read more of a trace")]
#[path = "../../../trace/tests/perfetto/check.rs"]
mod check;
mod claims;
mod combinations;
mod command;
mod compare;
mod curves;
mod documented;
mod endings;
mod explain;
mod extremes;
mod free;
#[cfg(unix)]
mod interrupt;
mod limits;
mod list;
mod litmus;
mod looks;
mod matrix;
mod mistakes;
mod names;
mod pipe;
mod policies;
#[path = "../printed/mod.rs"]
mod printed;
#[cfg(target_os = "linux")]
mod processes;
mod repetition;
mod report;
mod samples;
mod scratch;
mod shared_memory;
mod study;
mod trace;
