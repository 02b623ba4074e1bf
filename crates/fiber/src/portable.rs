//! Switching stacks by corosensei, wherever `swap.rs` does not serve.
//!
//! Must never follow the pointer to the running fiber: that is `current.rs`'s.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ptr;

use corosensei::Coroutine;

use crate::current::{self, Order, Resumer};
use crate::stack::Stack;

pub(crate) use crate::current::{is_inside, suspend};

thread_local! {
    /// Whose stack the OS thread is on: compared, never followed.
    static RUNNING: Cell<*const Routine> = const { Cell::new(ptr::null()) };
}

/// A fiber with its stack.
pub(crate) struct Routine(RefCell<Coroutine<Order, (), (), Stack>>);

/// Says who was running before, when control comes back, also by unwinding.
struct Running(*const Routine);

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.set(self.0);
    }
}

impl Routine {
    /// Of a body that has not begun. It is boxed because corosensei does not check that what it puts on the stack fits there.
    pub(crate) fn new(stack: Stack, body: Box<dyn FnOnce()>) -> Self {
        Self(RefCell::new(Coroutine::with_stack(stack, move |yielder, _| current::enter(yielder, body))))
    }

    /// Whether the body has ended. Not for one that runs.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.0.borrow().done()
    }

    /// Whether it runs, and the caller is on its stack.
    pub(crate) fn is_current(&self) -> bool {
        ptr::eq(RUNNING.get(), self)
    }

    /// Runs the body until it suspends or ends. Goes on with the body's panic. Not for one that is done.
    pub(crate) fn resume(&mut self) {
        // SAFETY: `self` is borrowed while it runs, so it does not run yet, and stays where it is.
        unsafe { self.go_on() };
    }

    /// Runs the body until it suspends or ends, without a unique borrow.
    ///
    /// # Safety
    /// The fiber does not run, and it is not moved or dropped before this returns.
    pub(crate) unsafe fn go_on(&self) {
        self.obey(Order::GoOn);
    }

    fn obey(&self, order: Order) {
        let _running = Running(RUNNING.replace(self));
        let _resumer = Resumer::remember();
        self.0.borrow_mut().resume(order);
    }

    /// A turn is passed by way of who resumed the crew.
    pub(crate) const PASSES: bool = false;

    /// Suspends this fiber.
    ///
    /// # Safety
    /// As that of `swap.rs`, which needs it.
    pub(crate) unsafe fn pass(_from: *const Self, _to: *const Self) {
        suspend();
    }

    /// It has come out of `resume` already.
    pub(crate) fn take_panic(&self) -> Option<Box<dyn Any + Send>> {
        None
    }

    /// Nothing is known here of what a resume touches.
    pub(crate) fn prefetch(&self) {}

    /// Ends the body: drops it if it has not begun, else unwinds its stack, up to so many times if it suspends again. Returns
    /// whether it has ended.
    pub(crate) fn end(&mut self, times: usize) -> bool {
        let coroutine = self.0.get_mut();
        if !coroutine.started() {
            coroutine.force_unwind();
        }
        for _ in 0..times {
            if self.is_done() {
                break;
            }
            self.obey(Order::Unwind);
        }
        self.is_done()
    }

    /// The stack of a body that has ended.
    pub(crate) fn into_stack(self) -> Stack {
        self.0.into_inner().into_stack()
    }
}
