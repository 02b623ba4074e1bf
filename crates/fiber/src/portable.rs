//! Switching stacks by corosensei, wherever `swap.rs` does not serve.
//!
//! Must never follow the pointer to the running fiber: that is `current.rs`'s.

use corosensei::{Coroutine, CoroutineResult};

use crate::current::{self, Resumer};
use crate::stack::Stack;

pub(crate) use crate::current::{is_inside, suspend};

/// A fiber with its stack.
pub(crate) struct Routine(Coroutine<(), (), (), Stack>);

impl Routine {
    /// Of a body that has not begun. It is boxed because corosensei does not check that what it puts on the stack fits there.
    pub(crate) fn new(stack: Stack, body: Box<dyn FnOnce()>) -> Self {
        Self(Coroutine::with_stack(stack, move |yielder, ()| current::enter(yielder, body)))
    }

    /// Whether the body has ended.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.0.done()
    }

    /// Runs the body until it suspends or ends; true if it has ended. Goes on with the body's panic. Not for one that is done.
    #[inline]
    pub(crate) fn resume(&mut self) -> bool {
        let _resumer = Resumer::remember();
        matches!(self.0.resume(()), CoroutineResult::Return(()))
    }

    /// Ends the body: drops it if it has not begun, else unwinds its stack, as often as it takes.
    pub(crate) fn end(&mut self) {
        let _resumer = Resumer::remember();
        self.0.force_unwind();
    }

    /// The stack of a body that has ended.
    pub(crate) fn into_stack(self) -> Stack {
        self.0.into_stack()
    }
}
