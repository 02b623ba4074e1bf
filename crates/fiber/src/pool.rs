//! Fibers and the stacks they run on.
//!
//! Must never follow the pointer to the running fiber: that is `current.rs`'s.

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::rc::Rc;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};

use crate::current::{self, Resumer};

type Routine = Coroutine<(), (), (), DefaultStack>;

/// Stacks of one size, each ending in a guard page, used again and again.
///
/// A clone shares the stacks. The pool keeps every stack it ever made until its last clone and its last fiber are
/// gone, so it holds as many as there were fibers alive at one time. It stays on the OS thread that made it.
///
/// ```compile_fail
/// fn needs_send(_: impl Send) {}
/// needs_send(fiber::Pool::new(65536));
/// ```
#[derive(Clone)]
pub struct Pool {
    shared: Rc<Shared>,
}

struct Shared {
    stack_bytes: usize,
    idle: RefCell<Vec<DefaultStack>>,
}

impl Pool {
    /// A pool of stacks of `stack_bytes`, rounded up to whole pages, the guard page not counted. None is
    /// allocated yet; memory is taken page by page as a stack is first touched.
    pub fn new(stack_bytes: usize) -> Pool {
        Pool { shared: Rc::new(Shared { stack_bytes, idle: RefCell::default() }) }
    }

    /// Makes a fiber that will run `body` from its first [`resume`](Fiber::resume) on.
    ///
    /// # Errors
    ///
    /// The system's error when it will not map another stack. A stack takes two mappings, of which Linux by
    /// default grants a process 65 530 (`vm.max_map_count`): room for some 32 000 fibers.
    pub fn spawn(&self, body: impl FnOnce() + 'static) -> io::Result<Fiber> {
        let stack = self.shared.take()?;
        // Boxed because corosensei does not check that what it puts on the new stack fits there.
        let body = Box::new(body);
        let routine = Coroutine::with_stack(stack, move |yielder, ()| current::enter(yielder, body));
        Ok(Fiber { routine: Some(routine), home: Rc::clone(&self.shared) })
    }

    /// How many stacks lie ready for use.
    pub fn idle_stacks(&self) -> usize {
        self.shared.idle.borrow().len()
    }

    /// Bytes of a stack, as given to [`Pool::new`].
    pub fn stack_bytes(&self) -> usize {
        self.shared.stack_bytes
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("stack_bytes", &self.stack_bytes())
            .field("idle_stacks", &self.idle_stacks())
            .finish()
    }
}

impl Shared {
    fn take(&self) -> io::Result<DefaultStack> {
        let idle = self.idle.borrow_mut().pop();
        idle.map_or_else(|| DefaultStack::new(self.stack_bytes), Ok)
    }

    fn give_back(&self, stack: DefaultStack) {
        self.idle.borrow_mut().push(stack);
    }
}

/// What [`Fiber::resume`] came back with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Status {
    /// The fiber called [`suspend`](crate::suspend) and can be resumed.
    Suspended,
    /// The body returned. The stack has gone back to the pool.
    Finished,
}

/// A function with a stack of its own: runs when resumed, pauses where it calls [`suspend`](crate::suspend).
///
/// Dropping a fiber that never ran drops its body. Dropping a suspended one unwinds its stack, so that the
/// destructors on it run; should one of them panic, the process aborts. Either way the stack returns to the pool.
///
/// A fiber stays on the OS thread that made it.
///
/// ```compile_fail
/// fn needs_send(_: impl Send) {}
/// needs_send(fiber::Pool::new(65536).spawn(|| ()).unwrap());
/// ```
pub struct Fiber {
    /// `None` once the body has returned.
    routine: Option<Routine>,
    home: Rc<Shared>,
}

impl Fiber {
    /// Runs the fiber until it suspends or its body returns.
    ///
    /// # Panics
    ///
    /// A panic in the body unwinds the fiber's stack and goes on out of this call; the fiber is finished then.
    /// Panics when the fiber is finished already.
    #[inline]
    pub fn resume(&mut self) -> Status {
        let routine = self.routine.as_mut().expect("a finished fiber was resumed");
        let resumer = Resumer::remember();
        let result = routine.resume(());
        drop(resumer);
        match result {
            CoroutineResult::Yield(()) => Status::Suspended,
            CoroutineResult::Return(()) => {
                self.release();
                Status::Finished
            }
        }
    }

    /// Whether the body has returned or panicked.
    pub fn is_finished(&self) -> bool {
        self.routine.as_ref().is_none_or(Coroutine::done)
    }

    /// Ends the body, if need be by unwinding it, and gives the stack back.
    fn release(&mut self) {
        let Some(mut routine) = self.routine.take() else { return };
        let resumer = Resumer::remember();
        routine.force_unwind();
        drop(resumer);
        self.home.give_back(routine.into_stack());
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        self.release();
    }
}

impl fmt::Debug for Fiber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fiber").field("finished", &self.is_finished()).finish_non_exhaustive()
    }
}
