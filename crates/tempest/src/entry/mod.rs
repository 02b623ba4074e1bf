//! Programs and coherence protocols that a person may choose by name, give inputs, and run in a world of any shape.
//!
//! A program is listed as an [`Entry`]. The author of a command puts entries together in a [`Table`]; a person chooses one
//! by its name and gives it inputs ([`Given`]). The entry's `load` reads them with a [`Reader`] and makes an [`Instance`]: a
//! program whose inputs are read and checked, ready to become a [`Job`](crate::Job) for a world of any shape, as a [`Plan`]
//! says. The plan also names the [`Coherence`] protocol of a program that moves data through shared memory.
//!
//! | module | contents |
//! |---|---|
//! | `table` | [`Entry`], [`Instance`], [`Least`], [`Table`] |
//! | `inputs` | [`Inputs`], [`load`]: a program's inputs as a type |
//! | `task` | [`Task`]: the configuration of a run, of which each node gets a copy |
//! | `input` | [`Input`], [`Kind`]: the declared inputs of a program |
//! | `given` | [`Given`], [`File`]: the inputs that a person gave |
//! | `reader` | [`Reader`]: from given inputs to numbers, with every mistake in them |
//! | `plan` | [`Plan`]: the mechanism, shape and seed of a run |
//! | `crate::problem` | [`Problems`], [`Frozen`]: problems that are made once a host |
//! | `coherence` | [`Coherence`], [`SharedMemory`]: the protocols that keep shared memory coherent |
//! | `errors` | errors, as types |
//! | `random` | seeds of random streams |
//!
//! This folder must never know any one program or protocol, nor open a file.

mod coherence;
mod errors;
mod given;
mod input;
mod inputs;
mod plan;
mod reader;
mod table;
mod task;

pub use crate::plain::random::{mix, stream_seed};
pub use crate::problem::{Frozen, Packer, Portable, Problems, Unpacker, portable};
pub use ::macros::Inputs;
pub use coherence::{Coherence, SharedMemory};
pub use errors::{BadInputs, BadPlan, Duplicate, InputError, UnknownName};
pub use given::{File, Given};
pub use input::{FRAMES, HOMES, Input, Kind};
pub use inputs::{Inputs, load, load_for};
pub use plan::Plan;
pub use reader::Reader;
pub use table::{Entry, Instance, Least, Loaded, Table, find};
pub use task::Task;
