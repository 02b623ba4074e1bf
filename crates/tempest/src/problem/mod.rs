//! The problems of runs, such as a graph or a matrix, in memory that all processes of a host share.
//!
//! A program makes a problem with [`Problems::get`], which keeps it for the runs after this one. Where the nodes of a run are processes of
//! their own, the process that launches them writes its problems to a file that never changes again, and each of the others finds them
//! there: no problem is made twice, and its large arrays lie in memory once.
//!
//! | module | contents |
//! |---|---|
//! | `frozen` | [`Frozen`]: an array that never changes, in memory of this process or in such a file |
//! | `portable` | [`Portable`]: values that are made of such arrays, and their way to the file and back |
//! | `problems` | [`Problems`]: the problems of a program, by name and inputs |
//!
//! This folder must never know any one problem, nor how a file comes to another process.

mod frozen;
mod portable;
mod problems;

pub use frozen::Frozen;
pub use portable::{Packer, Portable, Unpacker, portable};
pub use problems::Problems;
