//! The OS threads that a world runs on.
//!
//! | file | content |
//! |---|---|
//! | `crew` | the OS threads: started together, watched, waited for |
//! | `cores` | which cores processors are pinned to, also those of a world inside a world |
//!
//! This part must never know what a processor does.

pub(crate) mod cores;
pub(crate) mod crew;
