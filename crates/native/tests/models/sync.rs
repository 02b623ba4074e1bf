//! Stands in for the library's `sync`, and for that of `tempest`: the same names, as `loom` sees them, and faults that can be turned on.
//!
//! `loom` orders sequentially consistent accesses to one atomic, but not those to several. So such an access is an acquiring or releasing
//! one here, with a fence. A compiler has a choice of where: before the access, or behind those that write. An algorithm must be right
//! with either, and a weaker order in one place is noticed by at least one of them, so scenarios with such accesses are explored with
//! both. The fence orders relaxed accesses too: that another access has to release or acquire is noticed only where no such fence is near.

use std::cell::Cell;
use std::sync::OnceLock;

pub(crate) use crate::fences::Fences;
pub(crate) use crate::steps::Steps;
pub(crate) use loom::sync::atomic::Ordering;
pub(crate) use loom::sync::{Mutex, MutexGuard};
pub(crate) use std::sync::PoisonError;

/// The lists of faults of a node.
pub(crate) const FAULT_LISTS: usize = 2;

/// The memory of the tags of a node.
pub(crate) type TagCells = Box<[AtomicU8]>;

/// The words of an open event, which other nodes access too.
pub(crate) type TallyWords = std::sync::Arc<[AtomicU64; 2]>;

/// Makes the words of an open event, zero at first.
pub(crate) fn tally_words() -> TallyWords {
    std::sync::Arc::default()
}

loom::lazy_static! {
    static ref FENCES: Crossing = Crossing::default();
}

/// A fence, and a point at which `loom` considers another order of the threads, which it does not do for its own.
pub(crate) fn fence(order: Ordering) {
    FENCES.pass();
    loom::sync::atomic::fence(order);
}

/// The place of a sequentially consistent access's fence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fenced {
    Before,
    BehindWrites,
}

std::thread_local! {
    static FENCED: Cell<Fenced> = const { Cell::new(Fenced::Before) };
}

/// Sets the place of the fence for all later sequentially consistent accesses.
pub(crate) fn have_fences(place: Fenced) {
    FENCED.set(place);
}

fn fence_at(place: Fenced, order: Ordering) {
    if order == Ordering::SeqCst && FENCED.get() == place {
        fence(Ordering::SeqCst);
    }
}

/// The order of an access that has its fence beside it: `weaker` instead of sequentially consistent.
fn beside_fence(order: Ordering, weaker: Ordering) -> Ordering {
    if order == Ordering::SeqCst { weaker } else { order }
}

/// Stores, with the fence that the order asks for.
fn write(order: Ordering, store: impl FnOnce(Ordering)) {
    fence_at(Fenced::Before, order);
    store(beside_fence(order, Ordering::Release));
    fence_at(Fenced::BehindWrites, order);
}

/// Loads and stores at once, with the fence that the order asks for.
fn change<T>(order: Ordering, change: impl FnOnce(Ordering) -> T) -> T {
    fence_at(Fenced::Before, order);
    let before = change(beside_fence(order, Ordering::AcqRel));
    fence_at(Fenced::BehindWrites, order);
    before
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

        #[allow(dead_code, reason = "not all of them are changed in every way")]
        impl $name {
            pub(crate) fn new(value: $value) -> Self {
                Self(loom::sync::atomic::$name::new(value), Crossing::default())
            }

            pub(crate) fn load(&self, order: Ordering) -> $value {
                fence_at(Fenced::Before, order);
                self.1.pass();
                self.0.load(beside_fence(order, Ordering::Acquire))
            }

            pub(crate) fn store(&self, value: $value, order: Ordering) {
                self.1.pass();
                write(order, |order| self.0.store(value, order));
            }

            pub(crate) fn swap(&self, value: $value, order: Ordering) -> $value {
                self.1.pass();
                change(order, |order| self.0.swap(value, order))
            }

            pub(crate) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.1.pass();
                change(success, |success| self.0.compare_exchange(current, new, success, failure))
            }
        }
    };
    ($name:ident, $value:ty, counts) => {
        atomic!($name, $value);

        #[allow(dead_code, reason = "not all of them are changed in every way")]
        impl $name {
            pub(crate) fn fetch_add(&self, more: $value, order: Ordering) -> $value {
                self.1.pass();
                change(order, |order| self.0.fetch_add(more, order))
            }

            pub(crate) fn fetch_sub(&self, less: $value, order: Ordering) -> $value {
                self.1.pass();
                change(order, |order| self.0.fetch_sub(less, order))
            }

            pub(crate) fn fetch_max(&self, value: $value, order: Ordering) -> $value {
                self.1.pass();
                change(order, |order| self.0.fetch_max(value, order))
            }

            pub(crate) fn fetch_min(&self, value: $value, order: Ordering) -> $value {
                self.1.pass();
                change(order, |order| self.0.fetch_min(value, order))
            }
        }
    };
}

atomic!(AtomicBool, bool);
atomic!(AtomicU8, u8, counts);
atomic!(AtomicU32, u32, counts);
atomic!(AtomicU64, u64, counts);
atomic!(AtomicUsize, usize, counts);

/// Whether the fault with this name is on in this process.
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
