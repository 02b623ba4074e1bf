//! Stands in for the library's `sync`: the same atomics, and faults that can be turned on, one at a time.

pub(crate) use pdq::Steps;
pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
pub(crate) use std::sync::{Mutex, MutexGuard};
pub(crate) use std::thread;

/// The fault that is on; 0 for none. Read relaxed, so that it orders nothing.
pub(crate) static ON: AtomicU64 = AtomicU64::new(0);

/// A number for the name of a fault (FNV-1a).
pub(crate) const fn number(name: &str) -> u64 {
    let (mut hash, mut at) = (0xcbf2_9ce4_8422_2325_u64, 0);
    while at < name.len() {
        hash = (hash ^ name.as_bytes()[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}

macro_rules! mutated {
    ($fault:literal) => {{
        const FAULT: u64 = crate::sync::number($fault);
        crate::sync::ON.load(std::sync::atomic::Ordering::Relaxed) == FAULT
    }};
}
pub(crate) use mutated;
