//! The handle of a program thread: straight-line code that may block.
//!
//! A thread is never preempted by another thread. It yields its processor only at known places: where it waits, where
//! it polls, where a send finds no room. This folder must never know how a world runs threads.
//!
//! | module | contents |
//! |---|---|
//! | `handle` | the handle: sends, waits, polls, holds, phases |
//! | `place` | the thread's node, index and share of work |
//! | `accesses` | accesses to words of segments and of shared memory |
//! | `segment_words` | the words of the node's part of a segment |
//! | `private` | accesses to private arrays |

mod accesses;
mod handle;
mod place;
mod private;
mod segment_words;

pub use handle::{Busy, Thread};
pub use place::Number;
pub use segment_words::SegmentWords;
