//! It stands in for the library's `sync`: the same names, as `loom` sees them, and faults that can be turned on.

use std::sync::OnceLock;

pub(crate) use loom::sync::atomic::Ordering;

/// Threads that `loom` schedules. A nap ends at once: every moment is considered anyway.
pub(crate) mod thread {
    pub(crate) use loom::thread::{Thread, current, park};

    pub(crate) fn park_timeout(_: std::time::Duration) {
        loom::thread::yield_now();
    }
}

loom::lazy_static! {
    static ref FENCES: Crossing = Crossing::default();
}

/// A fence, and a point at which `loom` considers another order of the threads, which it does not do for its own.
pub(crate) fn fence(order: Ordering) {
    FENCES.pass();
    loom::sync::atomic::fence(order);
}

/// Makes every access to an atomic a point at which `loom` considers another order of the threads.
///
/// It does so itself only for the last access before: that of a thread which loads and then stores hides the load of
/// another. Reading and writing back something beside the atomic hides nothing, and orders nothing.
#[derive(Debug, Default)]
struct Crossing(loom::sync::atomic::AtomicBool);

impl Crossing {
    fn pass(&self) {
        self.0.swap(true, Ordering::Relaxed);
    }
}

macro_rules! atomic {
    ($name:ident, $value:ty) => {
        #[derive(Debug, Default)]
        pub(crate) struct $name(loom::sync::atomic::$name, Crossing);

        impl $name {
            pub(crate) fn new(value: $value) -> Self {
                Self(loom::sync::atomic::$name::new(value), Crossing::default())
            }

            pub(crate) fn load(&self, order: Ordering) -> $value {
                self.1.pass();
                self.0.load(order)
            }
        }
    };
    ($name:ident, $value:ty, stored) => {
        atomic!($name, $value);

        impl $name {
            pub(crate) fn store(&self, value: $value, order: Ordering) {
                self.1.pass();
                self.0.store(value, order);
            }
        }
    };
}

atomic!(AtomicBool, bool, stored);
atomic!(AtomicU64, u64, stored);
atomic!(AtomicUsize, usize);

impl AtomicBool {
    pub(crate) fn compare_exchange(
        &self,
        current: bool,
        new: bool,
        success: Ordering,
        failure: Ordering,
    ) -> Result<bool, bool> {
        self.1.pass();
        self.0.compare_exchange(current, new, success, failure)
    }
}

impl AtomicU64 {
    pub(crate) fn fetch_add(&self, more: u64, order: Ordering) -> u64 {
        self.1.pass();
        self.0.fetch_add(more, order)
    }
}

impl AtomicUsize {
    pub(crate) fn fetch_add(&self, more: usize, order: Ordering) -> usize {
        self.1.pass();
        self.0.fetch_add(more, order)
    }

    pub(crate) fn fetch_sub(&self, less: usize, order: Ordering) -> usize {
        self.1.pass();
        self.0.fetch_sub(less, order)
    }
}

/// Whether the fault of that name is on in this process.
pub(crate) fn is_on(fault: &str) -> bool {
    static ON: OnceLock<Option<String>> = OnceLock::new();
    ON.get_or_init(|| std::env::var("NATIVE_FAULT").ok()).as_deref() == Some(fault)
}

macro_rules! mutated {
    ($fault:literal) => {
        crate::sync::is_on($fault)
    };
}
pub(crate) use mutated;
