//! The OS threads that a world runs on.
//!
//! | file | content |
//! |---|---|
//! | `os_threads` | the OS threads: started together, watched, joined |
//! | `stillness` | the judgement of a run by its progress |
//! | `cores` | the cores that processors are pinned to, also of a world inside a world |
//!
//! This part must never know a processor's work.

pub(crate) mod cores;
pub(crate) mod os_threads;
pub(crate) mod stillness;
