//! The built command, as people and scripts meet it.

#![forbid(unsafe_code)]

mod claims;
mod combinations;
mod command;
mod compare;
mod documented;
mod explain;
mod list;
mod litmus;
mod looks;
mod mistakes;
mod pipe;
mod repetition;
mod scratch;
mod shared_memory;
mod trace;
