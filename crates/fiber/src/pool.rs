//! Fibers and the stacks they run on.
//!
//! This module must never follow the pointer to the running fiber: that is the switch's (`swap.rs`, or `current.rs`).

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt::{self, Display};
use std::io;
use std::mem;
use std::panic::resume_unwind;
use std::rc::Rc;

use crate::overflow::{self, AlternateStack};
use crate::owner::Owner;
use crate::routine::Routine;
use crate::stack::{Slab, Stack};

/// Maximum number of unwindings of a suspended body that catches each one and suspends again.
const UNWINDINGS: usize = 100;

/// Cache lines of the suspended calls, to which a fiber returns soon after it is resumed.
const ABOVE: usize = 8;

/// Cache lines of the calls that a fiber makes soon after it is resumed.
const BELOW: usize = 8;

/// Stacks of one size, each ending in a guard page, used again and again.
///
/// A clone shares the stacks. The pool keeps every stack it ever made until its last clone and its last fiber are
/// gone, so it holds as many as there were fibers alive at one time. It stays on the OS thread that made it.
///
/// ```compile_fail
/// fn needs_send(_: impl Send) {}
/// needs_send(tradewind_fiber::Pool::new(65536));
/// ```
#[derive(Clone)]
pub struct Pool {
    shared: Rc<Shared>,
}

/// State that a pool and all of its [`Fiber`]s hold, leaked ones included: a slab is freed when no stack of it is in
/// use.
struct Shared {
    stack_bytes: usize,
    /// Bytes over which the beginnings of stacks are spread.
    spread: usize,
    /// Unused stacks. Declared before the slabs that they are cut from, as fields are dropped in order.
    idle: RefCell<Vec<Stack>>,
    slabs: RefCell<Vec<Slab>>,
    /// Number of stacks cut since the pool was made.
    made: Cell<usize>,
    /// Owner of the fibers, if only an owner may suspend them.
    owner: Option<&'static Owner>,
    /// Alternate signal stack, from the first fiber on.
    watched: OnceCell<Rc<AlternateStack>>,
}

impl Pool {
    /// A pool of stacks of `stack_bytes`, rounded up to whole pages, the guard page not counted. None is
    /// allocated yet; memory is taken page by page as a stack is first touched.
    pub fn new(stack_bytes: usize) -> Pool {
        Pool::spread_over(stack_bytes, usize::MAX)
    }

    /// A pool of stacks of `stack_bytes`, rounded up to whole pages, that begin at most `spread` bytes, a power of two, below the
    /// end of a page. A fiber that never needs more than a page less `spread` touches one page of its stack. The stacks of
    /// [`Pool::new`] begin anywhere in a page, so that the lines of their beginnings do not compete for a few sets of the cache.
    ///
    /// # Panics
    /// If `spread` is neither a power of two nor `usize::MAX`, which stands for a page.
    pub fn spread_over(stack_bytes: usize, spread: usize) -> Pool {
        assert!(
            spread == usize::MAX || spread.is_power_of_two(),
            "a spread of {spread} bytes: expected a power of two"
        );
        let (idle, slabs, made, owner, watched) = Default::default();
        Pool { shared: Rc::new(Shared { stack_bytes, spread, idle, slabs, made, owner, watched }) }
    }

    /// Has `owner` alone suspend the fibers of the pool, which has made none yet.
    ///
    /// # Panics
    ///
    /// If the pool has a clone.
    #[must_use]
    pub fn owned_by(mut self, owner: &'static Owner) -> Self {
        let shared = Rc::get_mut(&mut self.shared).expect("a pool is given an owner before it is used");
        shared.owner = Some(owner);
        self
    }

    /// Makes a fiber that will run `body` from its first [`resume`](Fiber::resume) on.
    ///
    /// # Errors
    ///
    /// When the system has no room for another stack; the error gives the number of stacks and the limit to check.
    /// Where it has no light guards (Linux before 6.13) a stack takes two mappings, of which Linux by default grants a
    /// process 65 530 (`vm.max_map_count`): room for some 32 000 fibers.
    ///
    /// # Safety
    ///
    /// The caller promises about all code that runs on the fiber, called functions included, two things that no
    /// compiler can check:
    ///
    /// 1. *No data reached through a thread-local is borrowed across a suspension*, unless it stays valid whatever code
    ///    runs on the OS thread meanwhile. Other fibers see the same thread-locals, and their scopes do not nest as
    ///    calls do. A scoped thread-local, such as safe code makes with the crate `scoped-tls`, points into the stack
    ///    of the function that set it: if two fibers set it in turn, one restores the dangling value of the other.
    /// 2. *A fiber that is suspended inside [`LocalKey::with`](std::thread::LocalKey::with) is resumed to its end or
    ///    dropped before the OS thread destroys its thread-locals.* So it is neither leaked nor kept in a thread-local
    ///    itself, nor does it catch the unwinding of a drop until it is leaked.
    ///
    /// A body that uses only its own data and its own stack keeps both promises, and so does a fiber that is never
    /// suspended.
    ///
    /// ```compile_fail,E0133
    /// let fiber = tradewind_fiber::Pool::new(65536).spawn(|| ());
    /// ```
    pub unsafe fn spawn(&self, body: impl FnOnce() + 'static) -> io::Result<Fiber> {
        self.make_fiber(None, Box::new(body))
    }

    /// Makes a fiber that will run `body` from its first [`resume`](Fiber::resume) on, with a name. If the fiber
    /// overflows its stack, "`occupant` has overflowed its stack of 64 KiB" is written to the standard error before the
    /// process dies. `occupant` is formatted at that moment, so its text may tell the current activity of the fiber.
    ///
    /// # Errors
    ///
    /// The errors of [`spawn`](Self::spawn).
    ///
    /// # Safety
    ///
    /// The caller keeps the promises of [`spawn`](Self::spawn). Formatting `occupant` must be *async-signal-safe* at
    /// any time: it neither allocates nor takes a lock nor panics. Writing texts, numbers, and the contents of cells
    /// and plain memory is fine.
    pub unsafe fn spawn_as(
        &self,
        occupant: Rc<dyn Display>,
        body: impl FnOnce() + 'static,
    ) -> io::Result<Fiber> {
        self.make_fiber(Some(occupant), Box::new(body))
    }

    #[inline(always)]
    fn make_fiber(&self, occupant: Option<Rc<dyn Display>>, body: Box<dyn FnOnce()>) -> io::Result<Fiber> {
        let routine = Routine::new(self.shared.take()?, self.shared.owner, occupant, body);
        Ok(Fiber { routine: Some(routine), home: Rc::clone(&self.shared) })
    }

    /// Number of unused stacks in the pool.
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
    fn take(&self) -> io::Result<Stack> {
        let idle = self.idle.borrow_mut().pop();
        idle.map_or_else(|| self.make().map_err(|error| self.refusal(&error)), Ok)
    }

    #[cold]
    fn make(&self) -> io::Result<Stack> {
        if self.watched.get().is_none() {
            let _watched = self.watched.set(overflow::watch()?);
        }
        let nth = self.made.get();
        let mut slabs = self.slabs.borrow_mut();
        let mut stack = match slabs.last_mut() {
            Some(slab) => slab.cut(nth)?,
            None => None,
        };
        if stack.is_none() {
            let mut slab = Slab::map(self.stack_bytes, self.spread)?;
            stack = slab.cut(nth)?;
            slabs.push(slab);
        }
        self.made.set(nth + 1);
        Ok(stack.expect("a new slab has slots"))
    }

    fn refusal(&self, error: &io::Error) -> io::Error {
        io::Error::new(
            error.kind(),
            format!(
                "no room for a stack of {} KiB beside {} others: {error}; the system's limits are those on memory (`ulimit -v`) \
                 and on mappings (`sysctl vm.max_map_count`, of which each stack takes two where the kernel is older than 6.13)",
                self.stack_bytes / 1024,
                self.made.get()
            ),
        )
    }

    fn give_back(&self, stack: Stack) {
        self.idle.borrow_mut().push(stack);
    }
}

/// Result of [`Fiber::resume`].
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
/// destructors on it run; should one of them panic, the process aborts. Either way the stack returns to the pool. Only
/// a body that catches the unwinding a hundred times and suspends again each time is leaked, with its stack.
///
/// A fiber stays on the OS thread that made it.
///
/// ```compile_fail
/// fn needs_send(_: impl Send) {}
/// needs_send(unsafe { tradewind_fiber::Pool::new(65536).spawn(|| ()) }.unwrap());
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
        self.routine.as_mut().expect("a finished fiber was resumed").resume();
        self.settle()
    }

    /// Status after control is back from the fiber, or from a fiber to which it passed the turn.
    #[inline]
    pub(crate) fn settle(&mut self) -> Status {
        match &self.routine {
            Some(routine) if !routine.is_done() => Status::Suspended,
            _ => self.finish(),
        }
    }

    #[inline(never)]
    fn finish(&mut self) -> Status {
        let panic = self.routine.as_ref().and_then(Routine::take_panic);
        self.release();
        panic.map_or(Status::Finished, |panic| resume_unwind(panic))
    }

    /// Until the body has returned.
    #[inline]
    pub(crate) fn routine(&self) -> Option<&Routine> {
        self.routine.as_ref()
    }

    /// Prefetches the cache lines of the fiber's stack that the next [`resume`](Fiber::resume) touches first, where the
    /// switch knows them. Useful for a scheduler that knows its choice some resumes ahead, among so large a number of
    /// fibers that their stacks are in no near cache. Changes no state.
    #[inline]
    pub fn prefetch(&self) {
        self.prefetch_around(BELOW, ABOVE);
    }

    /// Prefetches lines of the fiber's stack: `below` cache lines for the calls that the fiber makes when it is
    /// resumed, and `above` lines of the calls that it returns from. For schedulers that know the depth of these calls.
    #[inline]
    pub fn prefetch_around(&self, below: usize, above: usize) {
        if let Some(routine) = &self.routine {
            routine.prefetch(below, above);
        }
    }

    /// Bytes of stack left to the fiber, which is not running. For the running fiber there is [`room`](crate::room()).
    #[inline]
    pub fn room(&self) -> usize {
        self.routine.as_ref().map_or(0, Routine::room)
    }

    /// Whether the body has returned or panicked.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.routine.as_ref().is_none_or(Routine::is_done)
    }

    /// Ends the body, if need be by unwinding it, and gives the stack back. A body that does not end is left where it is, for
    /// ever, and its stack with it.
    fn release(&mut self) {
        let Some(mut routine) = self.routine.take() else { return };
        if routine.end(UNWINDINGS) {
            self.home.give_back(routine.into_stack());
        } else {
            // The slab that the stack is cut from stays, too.
            mem::forget((routine, Rc::clone(&self.home)));
        }
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
