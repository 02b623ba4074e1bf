//! The queue's primitives, as `loom` sees them.
//!
//! It stands in for the library's `sync`: same names, and nothing more. Time stands still.

use std::cell::Cell;
pub(crate) use std::sync::{Arc, PoisonError};
pub(crate) use std::thread::panicking;

pub(crate) use loom::sync::atomic::Ordering;
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
pub(crate) use loom::thread::{yield_now, yield_now as spin_loop};

pub(crate) use crate::faults::mutated;
pub(crate) use crate::parking::{Thread, current, park};

/// The checker's own does not know `const` initializers.
macro_rules! thread_value {
    ($(#[$attr:meta])* static $name:ident: $type:ty = const { $init:expr };) => {
        loom::thread_local! {
            $(#[$attr])*
            static $name: $type = $init;
        }
    };
}
pub(crate) use thread_value as thread_local;

/// Values that loads return. The more, the more executions a scenario has, by far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Loads {
    /// The newest value. A load that does not acquire is still not ordered behind the store.
    Newest,
    /// Acquiring loads: the newest value. Relaxed loads: any value that the memory model allows.
    RelaxedMayBeOld,
    /// Any value that the memory model allows.
    MayBeOld,
}

impl Loads {
    /// Whether a load of that order returns the newest value.
    fn are_newest(self, order: Ordering) -> bool {
        match self {
            Self::Newest => true,
            Self::RelaxedMayBeOld => order != Ordering::Relaxed,
            // `loom` treats sequentially consistent loads as acquiring ones. A read with a write-back gives such
            // accesses to several counters one order.
            Self::MayBeOld => order == Ordering::SeqCst,
        }
    }
}

std::thread_local! {
    static LOADS: Cell<Loads> = const { Cell::new(Loads::MayBeOld) };
}

/// From here on, loads return that.
pub(crate) fn have_loads(loads: Loads) {
    LOADS.set(loads);
}

/// Makes every access to an atomic a point at which `loom` considers another order of the threads.
///
/// It does so itself only for the last access before: that of a thread which loads and then stores hides the load of
/// another. Reading and writing back something beside the atomic hides nothing.
#[derive(Debug, Default)]
struct Crossing(loom::sync::atomic::AtomicBool);

impl Crossing {
    fn pass(&self) {
        self.0.swap(true, Ordering::Relaxed);
    }

    /// For accesses of a kind that hides nothing if loads are of that kind, too.
    fn pass_unless_newest(&self) {
        if LOADS.get() != Loads::Newest {
            self.pass();
        }
    }
}

loom::lazy_static! {
    static ref FENCES: Crossing = Crossing::default();
}

/// A light and a heavy fence: both are full ones here, which is their effect on each other.
///
/// The model differs in two points. Two light fences order nothing between each other, but here they do. And a heavy
/// fence interrupts the other thread anywhere, also where it is not about to pass a light one; `loom` takes the
/// accesses ordered by that for unordered. The first makes the model weaker, and matters nowhere: of the two sides of
/// a pair, the light one has one thread. The second makes it stricter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fences;

impl Fences {
    pub(crate) fn symmetric() -> Self {
        Self
    }

    pub(crate) fn light(self) {
        if !mutated!("light-left-out") {
            Self::pass();
        }
    }

    pub(crate) fn heavy(self) {
        if !mutated!("heavy-left-out") {
            Self::pass();
        }
    }

    /// A full fence, and a point at which `loom` considers another order of the threads, which it does not do for its own.
    fn pass() {
        FENCES.pass();
        loom::sync::atomic::fence(Ordering::SeqCst);
    }
}

macro_rules! counter {
    ($name:ident, $number:ty) => {
        #[derive(Debug, Default)]
        pub(crate) struct $name(loom::sync::atomic::$name, Crossing);

        impl $name {
            pub(crate) fn new(value: $number) -> Self {
                Self(loom::sync::atomic::$name::new(value), Crossing::default())
            }

            pub(crate) fn load(&self, order: Ordering) -> $number {
                if LOADS.get().are_newest(order) {
                    return self.0.fetch_add(0, order);
                }
                self.1.pass();
                self.0.load(order)
            }

            /// See [`AtomicBool`] for why it may have to be a `swap`.
            pub(crate) fn store(&self, value: $number, order: Ordering) {
                if LOADS.get() != Loads::MayBeOld {
                    self.0.swap(value, order);
                } else {
                    self.1.pass();
                    self.0.store(value, order);
                }
            }

            pub(crate) fn fetch_add(&self, more: $number, order: Ordering) -> $number {
                self.1.pass_unless_newest();
                self.0.fetch_add(more, order)
            }

            pub(crate) fn fetch_sub(&self, less: $number, order: Ordering) -> $number {
                self.1.pass_unless_newest();
                self.0.fetch_sub(less, order)
            }
        }
    };
}

counter!(AtomicU64, u64);
counter!(AtomicUsize, usize);

impl AtomicU64 {
    pub(crate) fn compare_exchange(
        &self,
        old: u64,
        new: u64,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u64, u64> {
        self.1.pass_unless_newest();
        self.0.compare_exchange(old, new, success, failure)
    }
}

impl AtomicUsize {
    pub(crate) fn swap(&self, value: usize, order: Ordering) -> usize {
        self.1.pass_unless_newest();
        self.0.swap(value, order)
    }

    pub(crate) fn compare_exchange_weak(
        &self,
        old: usize,
        new: usize,
        success: Ordering,
        failure: Ordering,
    ) -> Result<usize, usize> {
        self.1.pass_unless_newest();
        self.0.compare_exchange_weak(old, new, success, failure)
    }
}

/// A flag whose stores follow everything before them in its modification order.
///
/// `loom` does not see that a store comes after another thread's `swap` that has read the value before it: a spin lock's
/// waiters would be allowed to read their own `true` for ever.
#[derive(Debug, Default)]
pub(crate) struct AtomicBool(loom::sync::atomic::AtomicBool, Crossing);

impl AtomicBool {
    pub(crate) fn new(value: bool) -> Self {
        Self(loom::sync::atomic::AtomicBool::new(value), Crossing::default())
    }

    pub(crate) fn load(&self, order: Ordering) -> bool {
        if LOADS.get().are_newest(order) {
            return self.0.fetch_or(false, order);
        }
        self.1.pass();
        self.0.load(order)
    }

    pub(crate) fn store(&self, value: bool, order: Ordering) {
        self.swap(value, order);
    }

    pub(crate) fn swap(&self, value: bool, order: Ordering) -> bool {
        self.1.pass_unless_newest();
        self.0.swap(value, order)
    }
}

#[derive(Debug)]
pub(crate) struct AtomicPtr<T>(loom::sync::atomic::AtomicPtr<T>, Crossing);

impl<T> AtomicPtr<T> {
    pub(crate) fn new(value: *mut T) -> Self {
        Self(loom::sync::atomic::AtomicPtr::new(value), Crossing::default())
    }

    pub(crate) fn load(&self, order: Ordering) -> *mut T {
        self.1.pass();
        self.0.load(order)
    }

    pub(crate) fn store(&self, value: *mut T, order: Ordering) {
        self.1.pass();
        self.0.store(value, order);
    }

    pub(crate) fn compare_exchange_weak(
        &self,
        old: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        self.1.pass();
        self.0.compare_exchange(old, new, success, failure)
    }
}

/// A cell that knows when accesses to it are not ordered.
#[derive(Debug, Default)]
pub(crate) struct UnsafeCell<T>(loom::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(crate) fn new(content: T) -> Self {
        Self(loom::cell::UnsafeCell::new(content))
    }

    /// The access counts as made here, although the pointer is used a little later.
    pub(crate) fn get(&self) -> *mut T {
        self.0.with_mut(|content| content)
    }

    pub(crate) fn get_shared(&self) -> *const T {
        self.0.with(|content| content)
    }

    pub(crate) fn get_mut(&mut self) -> &mut T {
        // SAFETY: the cell is borrowed exclusively.
        unsafe { &mut *self.get() }
    }

    pub(crate) fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

/// The one instant there is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant;

impl Instant {
    pub(crate) fn now() -> Self {
        Self
    }

    /// Time stands still, so every wait has been long enough.
    pub(crate) fn is_past(self, _: u64) -> bool {
        true
    }

    pub(crate) fn ns_until(self, _: Self) -> u64 {
        0
    }
}
