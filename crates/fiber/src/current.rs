//! The running fiber of this OS thread, and its suspension.
//!
//! # Invariant
//!
//! `CURRENT` is null while the OS thread runs on its own stack, and otherwise points to the yielder of the fiber
//! whose stack it runs on. There are four moments at which the thread changes stacks, and each keeps it so:
//!
//! 1. *A body starts*: [`enter`] stores the fiber's yielder before it calls the body.
//! 2. *A fiber suspends*: the switch lands in its resumer, where [`Resumer`] is waiting to store the value from before.
//! 3. *A fiber ends*, by returning or by a panic that corosensei carries over: as in 2.
//! 4. *A suspended fiber goes on*, normally or to be unwound: the switch lands in its [`suspend`], where a
//!    [`Resumer`] stores the fiber's own yielder again, before any code of the body runs.
//!
//! A yielder lives at the base of its fiber's stack from the first switch to the last, so the pointer is valid
//! for as long as the fiber runs, and nothing follows it at other times.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;

/// Order that a suspended fiber gets when it goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Return from where it was suspended.
    GoOn,
    /// Unwind its stack from there.
    Unwind,
}

/// Payload of the panic that unwinds a suspended fiber's stack.
struct Unwinding;

/// The end of a switch that lies on the fiber's own stack. A resume passes an order.
pub(crate) type Yielder = corosensei::Yielder<Order, ()>;

thread_local! {
    // A constant without a destructor: an access is one load, and stays possible while the thread ends.
    static CURRENT: Cell<*const Yielder> = const { Cell::new(ptr::null()) };
}

/// Remembers the running fiber, and restores it when control comes back, also by unwinding.
pub(crate) struct Resumer(*const Yielder);

impl Resumer {
    #[inline]
    pub(crate) fn remember() -> Resumer {
        Resumer(CURRENT.get())
    }
}

impl Drop for Resumer {
    #[inline]
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// Runs `body` as the fiber of `yielder`. Called once per fiber, first thing on its stack. Goes on with the body's panic, if that
/// is the body's own.
pub(crate) fn enter(yielder: &Yielder, body: impl FnOnce()) {
    CURRENT.set(yielder);
    if let Err(panic) = catch_unwind(AssertUnwindSafe(body))
        && !panic.is::<Unwinding>()
    {
        resume_unwind(panic);
    }
}

/// Suspends the innermost running fiber, without a check of its owner.
#[inline]
pub(crate) fn suspend() {
    let resumer = Resumer::remember();
    assert!(!resumer.0.is_null(), "fiber::suspend was called outside a fiber");
    // SAFETY: the pointer is not null, so by the invariant it names the yielder of the fiber whose stack this
    // very call is on. That stack, and the yielder at its base, lives at least until the call returns or unwinds:
    // only the fiber's owner could free it, and does so after unwinding this frame.
    let order = unsafe { &*resumer.0 }.suspend(());
    drop(resumer);
    if order == Order::Unwind {
        resume_unwind(Box::new(Unwinding));
    }
}

/// Whether the caller runs on a fiber's stack.
#[inline]
pub(crate) fn is_inside() -> bool {
    !CURRENT.get().is_null()
}
