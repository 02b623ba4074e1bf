//! Threads that can be unparked. `loom`'s own would be woken out of a lock, or while they join another, too.
//!
//! Tokens are not watched by `loom`: between two of its operations, no thread is interrupted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A thread that can be unparked.
#[derive(Debug)]
pub(crate) struct Thread {
    thread: loom::thread::Thread,
    parking: Arc<Parking>,
}

#[derive(Debug, Default)]
struct Parking {
    token: AtomicBool,
    parked: AtomicBool,
}

loom::thread_local! {
    static PARKING: Arc<Parking> = Arc::default();
}

loom::lazy_static! {
    /// Orders the taker of a token behind its giver, and behind all earlier givers.
    static ref GIVEN: loom::sync::atomic::AtomicBool = loom::sync::atomic::AtomicBool::new(false);
}

pub(crate) fn current() -> Thread {
    Thread { thread: loom::thread::current(), parking: PARKING.with(Arc::clone) }
}

pub(crate) fn park() {
    let parking = PARKING.with(Arc::clone);
    while !parking.token.swap(false, Ordering::Relaxed) {
        parking.parked.store(true, Ordering::Relaxed);
        loom::thread::park();
    }
    GIVEN.swap(false, Ordering::Acquire);
}

impl Thread {
    pub(crate) fn unpark(&self) {
        GIVEN.swap(true, Ordering::Release);
        self.parking.token.store(true, Ordering::Relaxed);
        if self.parking.parked.swap(false, Ordering::Relaxed) {
            self.thread.unpark();
        }
    }
}
