//! Switching stacks by corosensei, wherever `swap.rs` does not serve.
//!
//! This module must never follow the pointer to the running fiber: that is `current.rs`'s.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::mem::MaybeUninit;
use std::ptr;
use std::rc::Rc;

use corosensei::Coroutine;

use crate::current::{self, Order, Resumer};
use crate::owner::Owner;
use crate::stack::{Extent, Stack};

pub(crate) use crate::current::is_inside;

thread_local! {
    /// Routine of the fiber that runs on the OS thread. It is borrowed for as long as this names it.
    static RUNNING: Cell<*const Routine> = const { Cell::new(ptr::null()) };
}

/// A fiber with its stack.
pub(crate) struct Routine {
    coroutine: RefCell<Coroutine<Order, (), (), Stack>>,
    /// Owner that alone may suspend the fiber; `None` if any code may.
    owner: Option<&'static Owner>,
    /// Name of the fiber, for people.
    occupant: Option<Rc<dyn Display>>,
    extent: Extent,
    /// Bytes of stack that were left when it was suspended.
    left: Cell<usize>,
}

/// Restores the routine that was running before, when control comes back, also by unwinding.
struct Running(*const Routine);

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.set(self.0);
    }
}

impl Routine {
    /// Makes the routine of a body that has not begun. The body is boxed because corosensei does not check that the
    /// data it puts on the stack fits there.
    pub(crate) fn new(
        stack: Stack,
        owner: Option<&'static Owner>,
        occupant: Option<Rc<dyn Display>>,
        body: Box<dyn FnOnce()>,
    ) -> Self {
        let extent = stack.extent();
        let coroutine = Coroutine::with_stack(stack, move |yielder, _| current::enter(yielder, body));
        let left = Cell::new(extent.bytes());
        Self { coroutine: RefCell::new(coroutine), owner, occupant, extent, left }
    }

    /// Whether the body has ended. A caller must not ask while it runs.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.coroutine.borrow().done()
    }

    /// Whether it runs, and the caller is on its stack.
    pub(crate) fn is_current(&self) -> bool {
        ptr::eq(RUNNING.get(), self)
    }

    /// Runs the body until it suspends or ends. Propagates the body's panic. The body must not be done.
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
        self.coroutine.borrow_mut().resume(order);
    }

    /// Whether a turn is passed by a direct switch. Here it goes by way of the crew's resumer.
    pub(crate) const PASSES: bool = false;

    /// Suspends this fiber.
    ///
    /// # Safety
    /// As that of `swap.rs`, which needs it.
    pub(crate) unsafe fn pass(_from: *const Self, _to: *const Self) {
        suspend();
    }

    /// Bytes of stack that are left to a fiber that does not run.
    pub(crate) fn room(&self) -> usize {
        self.left.get()
    }

    /// Returns `None`: `resume` has propagated the panic already.
    pub(crate) fn take_panic(&self) -> Option<Box<dyn Any + Send>> {
        None
    }

    /// Bytes of stack that are left to the fiber, which runs, and the caller on its stack.
    fn room_here(&self) -> usize {
        let here = MaybeUninit::<u8>::uninit();
        (&raw const here).addr().saturating_sub(self.extent.lowest())
    }

    /// Does nothing: the layout of a suspended stack is not known here.
    pub(crate) fn prefetch(&self, _below: usize, _above: usize) {}

    /// Ends the body: drops it if it has not begun, else unwinds its stack, up to `times` times if it suspends again.
    /// Returns whether it has ended.
    pub(crate) fn end(&mut self, times: usize) -> bool {
        let coroutine = self.coroutine.get_mut();
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
        self.coroutine.into_inner().into_stack()
    }
}

/// The routine of the fiber whose stack the OS thread is on.
fn with_current<R>(f: impl FnOnce(&Routine) -> R) -> Option<R> {
    // SAFETY: null, or it names a routine that is borrowed by its resumer, whose resume has not returned.
    unsafe { RUNNING.get().as_ref() }.map(f)
}

/// Suspends the innermost running fiber, without a check of its owner.
pub(crate) fn suspend() {
    with_current(|routine| routine.left.set(routine.room_here()));
    current::suspend();
}

/// Bytes of stack left to the running fiber; `None` outside fibers.
pub(crate) fn room() -> Option<usize> {
    with_current(Routine::room_here)
}

/// The owner of the fiber that runs, if one does and has one.
pub(crate) fn owner() -> Option<&'static Owner> {
    with_current(|routine| routine.owner).flatten()
}

/// Calls `tell` with the extent of the stack and the name of the running fiber, if the OS thread runs one. Safe in a
/// signal handler.
pub(crate) fn with_running(tell: impl FnOnce(Extent, Option<&dyn Display>)) {
    with_current(|routine| tell(routine.extent, routine.occupant.as_deref()));
}
