//! Memory that many threads and processes read and write, as atomic words of 1, 2, 4 and 8 bytes.
//!
//! # One access width for ever
//!
//! Two atomics of different sizes on the same bytes must not race
//! ([why](https://doc.rust-lang.org/std/sync/atomic/index.html#memory-model-for-atomic-accesses)). So a [`Mapping`] is
//! divided among words when it is made, and the division never changes: each byte belongs to one word, and no view
//! shows that byte in another width. A [`Form`] defines the division: elements of one width, or records whose fields
//! stand at declared offsets.
//!
//! | type | contents |
//! |---|---|
//! | [`Words`] | consecutive words of one width, as a slice of atomics |
//! | [`Column`] | one field of all records, as an atomic for each record |
//! | [`Mapping::give_back`] | bytes that take no memory until the next store there |
//! | [`Mapping::load`], [`Mapping::store`] | bytes of any form, packed in 8-byte words as messages carry them |
//! | [`SharedFile`], [`MemorySource`] | memory that other processes map, and the choice between that and private memory |
//! | [`FrozenFile`] | bytes that other processes read, and that never change |
//!
//! ```
//! use std::sync::{Arc, atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering}};
//! use tradewind_segment::{Field, Form, Mapping, Pages, Width};
//!
//! // A record of 16 bytes: a sum of 8 bytes, a count of 4, a flag of 1.
//! let fields = [
//!     Field { name: "sum", offset: 0, width: Width::Eight },
//!     Field { name: "count", offset: 8, width: Width::Four },
//!     Field { name: "flag", offset: 12, width: Width::One },
//! ];
//! let mapping = Arc::new(Mapping::new([(Form::record(16, &fields)?, 160)], Pages::Usual));
//! let counts = mapping.column::<AtomicU32>(0, 8).expect("words of 4 bytes stand at offset 8");
//! assert_eq!(counts.len(), 10);
//! counts.get(3).expect("there are 10 records").store(7, Ordering::Relaxed);
//! assert!(mapping.column::<AtomicU64>(0, 8).is_err(), "nobody sees them in another width");
//! # Ok::<(), tradewind_segment::BadForm>(())
//! ```
//!
//! Memory that is not small comes from the system page by page, when it is first touched; a smaller piece comes from the heap.
//!
//! This room must never know that tradewind exists: not the meaning of words, nor the threads that may touch them.

#![deny(unsafe_code)]

mod backing;
mod column;
mod form;
mod frozen;
mod mapping;
mod shared;
mod source;
mod width;
mod words;

pub use backing::Pages;
pub use bulk::AtomicWord;
pub use column::{Column, Stride};
pub use form::{BadField, BadForm, Field, Form};
pub use frozen::{FrozenFile, FrozenWriter};
pub use mapping::{Mapping, WrongWidth};
pub use shared::SharedFile;
pub use source::MemorySource;
pub use width::Width;
pub use words::{Groups, Words};
