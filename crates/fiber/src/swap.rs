//! Switching stacks on x86-64, by jumps.
//!
//! corosensei, which serves everywhere else (`portable.rs`), enters a fiber by a call and leaves it by a return. The processor
//! predicts returns from the calls before them, so a fiber that suspends some calls deep mispredicts twice at each switch:
//! once where it leaves, once at the first return after it has been entered again. That makes 29 ns of 4. Here both ways are
//! indirect jumps, whose targets hardly ever change, and the predictor's stack stays as it is: threads that wait at the same
//! place return to the same places.
//!
//! # States of a fiber
//!
//! `other` is the stack pointer of the side that does not run: the fiber's while it is *fresh* or *suspended*, its resumer's
//! while it *runs* or is *done*. Each swap changes the two, so whoever swaps passes control to where the other side swapped
//! last. On the stack that is left lie, from the top: the address to go on at, `rbx`, `rbp`. All other registers are given up,
//! as the compiler is told. On a fresh stack lies the address of [`start`], which finds its core in `rdi`, where every swap has
//! it.
//!
//! How numbers are rounded, and what else the control words of the floating-point units say, is the OS thread's: no Rust code
//! may change it. There is no second stack of return addresses to switch (shadow stacks): where a process had those, the first
//! return after a switch would end it.
//!
//! # Who runs
//!
//! `CURRENT` names the core of the fiber whose stack the OS thread is on, null for its own. It is changed in one place,
//! [`Routine::resume`], before it swaps to a fiber and after the fiber has swapped back. A core lives as long as its routine,
//! which is borrowed for as long as the fiber runs.
//!
//! # Panics
//!
//! Nothing unwinds past [`start`]: it catches what a body panics with, and `resume` goes on with that on the other side. A
//! suspended fiber is ended by a panic of our own, raised where it is suspended.

use std::any::Any;
use std::arch::asm;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::{self, NonNull};

use corosensei::stack::Stack as _;

use crate::stack::Stack;

type Body = Box<dyn FnOnce()>;

thread_local! {
    // A constant without a destructor: an access is one load, and stays possible while the thread ends.
    static CURRENT: Cell<*const Core> = const { Cell::new(ptr::null()) };
}

/// What both sides of a switch know of a fiber, what each switch needs first.
#[repr(C)]
struct Core {
    /// First, so that it has the address of all.
    other: Cell<usize>,
    done: Cell<bool>,
    /// Set to have the fiber unwind its stack instead of going on.
    unwinds: Cell<bool>,
    /// Until it starts.
    body: Cell<Option<Body>>,
    panic: Cell<Option<Box<dyn Any + Send>>>,
}

/// What a suspended fiber panics with to unwind its stack.
struct Unwinding;

/// Goes on with the other side.
///
/// # Safety
/// `other` is that of a core whose other side is a stack as the module describes, and is left so for who swaps back.
#[inline(always)]
unsafe fn swap(other: *mut usize) {
    // SAFETY: what the compiler may keep in registers across this block is `rbx`, `rbp` and the stack pointer, which are saved
    // on the stack that is left and restored from there; all others are declared lost. Memory is assumed to change.
    unsafe {
        asm!(
            "push rbp",
            "push rbx",
            "lea rax, [rip + 2f]",
            "push rax",
            "mov rax, [rdi]",
            "mov [rdi], rsp",
            "mov rsp, rax",
            "pop rax",
            "jmp rax",
            "2:",
            "pop rbx",
            "pop rbp",
            inout("rdi") other => _,
            out("r12") _,
            out("r13") _,
            out("r14") _,
            out("r15") _,
            clobber_abi("sysv64"),
        );
    }
}

/// The first and last function on a fiber's stack. It panics nowhere outside the body.
extern "sysv64" fn start(core: *const Core) -> ! {
    // SAFETY: whoever swapped here for the first time had the address of the core in `rdi`, and a core outlives its fiber.
    let core = unsafe { &*core };
    if let Some(body) = core.body.take()
        && let Err(panic) = catch_unwind(AssertUnwindSafe(body))
        && !panic.is::<Unwinding>()
    {
        core.panic.set(Some(panic));
    }
    core.done.set(true);
    // SAFETY: the resumer waits in its swap. Nothing is left on this stack that has a destructor, and nobody swaps back.
    unsafe { swap(core.other.as_ptr()) };
    std::process::abort()
}

/// A fiber with its stack.
pub(crate) struct Routine {
    core: NonNull<Core>,
    stack: Stack,
}

impl Routine {
    /// Of a body that has not begun.
    pub(crate) fn new(stack: Stack, body: Body) -> Self {
        // Two words below the base, which is a multiple of 16: `start` is entered as if it had been called from nowhere.
        let top = stack.base().get() - 2 * size_of::<usize>();
        let words = ptr::with_exposed_provenance_mut::<usize>(top);
        // SAFETY: the stack is ours, unused, aligned, and longer than two words.
        unsafe {
            words.write(start as *const () as usize);
            words.add(1).write(0);
        }
        let core = Core {
            other: Cell::new(top),
            body: Cell::new(Some(body)),
            done: Cell::new(false),
            unwinds: Cell::new(false),
            panic: Cell::new(None),
        };
        Self { core: NonNull::from(Box::leak(Box::new(core))), stack }
    }

    #[inline]
    fn core(&self) -> &Core {
        // SAFETY: made in `new` and freed in `into_stack`, if at all; all of it that changes is in cells, and stays on this OS
        // thread.
        unsafe { self.core.as_ref() }
    }

    /// Whether the body has ended.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.core().done.get()
    }

    /// Runs the body until it suspends or ends; true if it has ended. Goes on with the body's panic. Not for one that is done.
    #[inline]
    pub(crate) fn resume(&mut self) -> bool {
        assert!(!self.is_done(), "a body that has ended cannot go on");
        let before = CURRENT.replace(self.core.as_ptr());
        // SAFETY: not done, and not running, because `self` is borrowed while it runs: so `other` is the fiber's, fresh or left by
        // `suspend`.
        unsafe { swap(self.core().other.as_ptr()) };
        CURRENT.set(before);
        let done = self.is_done();
        if done && let Some(panic) = self.core().panic.take() {
            resume_unwind(panic);
        }
        done
    }

    /// Ends the body: drops it if it has not begun, else unwinds its stack, as often as it takes.
    pub(crate) fn end(&mut self) {
        if self.core().body.take().is_some() {
            self.core().done.set(true);
        }
        self.core().unwinds.set(true);
        while !self.is_done() {
            self.resume();
        }
    }

    /// The stack of a body that has ended.
    pub(crate) fn into_stack(self) -> Stack {
        assert!(self.is_done(), "a stack with something on it");
        let Self { core, stack } = self;
        // SAFETY: from `Box::leak`; the fiber is done, so nobody names the core any more.
        drop(unsafe { Box::from_raw(core.as_ptr()) });
        stack
    }
}

/// See the crate's.
#[inline]
pub(crate) fn suspend() {
    let core = CURRENT.get();
    assert!(!core.is_null(), "fiber::suspend was called outside a fiber");
    // SAFETY: not null, so it names the core of the fiber whose stack this very call is on, which lives at least until the fiber
    // has ended; and `other` is its resumer's, who waits in its swap.
    let core = unsafe {
        swap((*core).other.as_ptr());
        &*core
    };
    if core.unwinds.get() {
        unwind();
    }
}

#[cold]
fn unwind() -> ! {
    resume_unwind(Box::new(Unwinding))
}

/// See the crate's.
#[inline]
pub(crate) fn is_inside() -> bool {
    !CURRENT.get().is_null()
}
