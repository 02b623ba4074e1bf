//! Programs and coherence protocols as people choose them: by name, with inputs, for a world of any shape.
//!
//! A program is listed as an [`Entry`]. Whoever builds a command puts entries together in a [`Table`]; a person chooses one
//! by its name and tells it [`Given`] inputs. The entry's `load` reads them with a [`Reader`] and makes an [`Instance`]: a
//! program whose inputs are read and checked, ready to become a [`Job`](crate::Job) for a world of any shape, as a [`Plan`]
//! says. A program that moves data through shared memory is told by the plan which [`Coherence`] protocol keeps it.
//!
//! | module | what it holds |
//! |---|---|
//! | `table` | [`Entry`], [`Instance`], [`Table`] |
//! | `inputs` | [`Inputs`], [`load`]: a program's inputs as a type |
//! | `task` | [`Task`]: what each node is told of a run |
//! | `input` | [`Input`], [`Kind`]: what a program can be told |
//! | `given` | [`Given`], [`File`]: what it is told |
//! | `reader` | [`Reader`]: from what is given to numbers, with all that is wrong |
//! | `plan` | [`Plan`]: how a program is to be run |
//! | `coherence` | [`Coherence`], [`SharedMemory`]: which protocol keeps shared memory coherent |
//! | `errors` | what can be wrong, as types |
//! | `random` | seeds of random streams |
//! | [`plain`] | programs whose inputs are a few integers |
//!
//! This folder must never know any one program or protocol, nor open a file.

mod coherence;
mod errors;
mod given;
mod input;
mod inputs;
pub mod plain;
mod plan;
mod random;
mod reader;
mod table;
mod task;

pub use ::macros::Inputs;
pub use coherence::{Coherence, SharedMemory};
pub use errors::{BadInputs, BadPlan, Duplicate, InputError, UnknownName};
pub use given::{File, Given};
pub use input::{FRAMES, Input, Kind};
pub use inputs::{Inputs, load};
pub use plan::Plan;
pub use random::{mix, stream_seed};
pub use reader::Reader;
pub use table::{Entry, Instance, Loaded, Table, find};
pub use task::Task;
