//! Switching stacks on x86-64, by jumps.
//!
//! corosensei, used on all other processors (`portable.rs`), enters a fiber by a call and leaves it by a return. The
//! processor predicts returns from the calls before them, so a fiber that suspends some calls deep mispredicts twice at
//! each switch: once where it leaves, once at the first return after it has been entered again. A switch then takes 29
//! ns, not 4 ns. Here both ways are indirect jumps, whose targets hardly ever change, and the return predictor stays in
//! step: threads that wait at the same place return to the same places.
//!
//! # States of a fiber
//!
//! `other` is the stack pointer of the side that does not run: the fiber's while it is *fresh* or *suspended*, its resumer's
//! while it *runs*; it is 0 when the fiber is *done*. Each swap exchanges it with the stack pointer, so it passes
//! control to the place where the other side swapped last. On the stack that is left lie, from the top: the address to
//! go on at, `rbx`, `rbp`. All other registers are declared as clobbered, but for two: `rdi` holds the address of
//! `other` in every swap, and `rsi` the [`order`](GO_ON) for the side that goes on. On a fresh stack lies the address
//! of [`start`].
//!
//! The control words of the floating-point units (rounding and others) belong to the OS thread: no Rust code may change
//! them. There is no second stack of return addresses (shadow stack) to switch: in a process with shadow stacks, the
//! first return after a switch would end it.
//!
//! # The running fiber
//!
//! `CURRENT` names the routine of the fiber whose stack the OS thread is on, null for its own. It is changed in two places:
//! in [`Routine::obey`], before it swaps to a fiber and after a fiber has swapped back, and in [`Routine::pass`]. A routine is
//! borrowed for as long as its fiber runs, and so stays in place; between two resumes it may be moved, and its old
//! address, which the stack still holds, is not used again.
//!
//! # Panics
//!
//! Nothing unwinds past [`start`]: it catches the body's panic, and `resume` propagates it on the other side. A
//! suspended fiber is ended by a panic of our own, raised where it is suspended.

use std::any::Any;
use std::arch::asm;
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
use std::cell::Cell;
use std::fmt::Display;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::{self, NonNull};
use std::rc::Rc;

use corosensei::stack::Stack as _;

use crate::owner::Owner;
use crate::stack::{Extent, Stack};

type Body = Box<dyn FnOnce()>;

/// Order to a suspended fiber: return from where it was suspended.
const GO_ON: usize = 0;

/// Order to a suspended fiber: unwind the stack.
const UNWIND: usize = 1;

/// Bytes of a line of the cache.
const LINE: usize = 64;

thread_local! {
    // A constant without a destructor: an access is one load, and stays possible while the thread ends.
    static CURRENT: Cell<*const Routine> = const { Cell::new(ptr::null()) };
}

/// State needed only at the beginning and the end of a fiber.
struct Ends {
    stack: Stack,
    /// Name of the fiber, for people.
    occupant: Option<Rc<dyn Display>>,
    /// Body of the fiber, until it starts.
    body: Cell<Option<Body>>,
    panic: Cell<Option<Box<dyn Any + Send>>>,
}

/// Payload of the panic that unwinds a suspended fiber's stack.
struct Unwinding;

/// Switches to the other side, and gives it an order. Returns the order of the side that swaps back.
///
/// # Safety
/// `other` belongs to a routine whose other side is a stack as the module describes, and stays so until the swap back.
#[inline(always)]
unsafe fn swap(other: *mut usize, order: usize) -> usize {
    let told;
    // SAFETY: the compiler may keep `rbx`, `rbp` and the stack pointer across this block; they are saved on the stack
    // that is left and restored from there. All other registers are declared lost. Memory is assumed to change.
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
            inout("rsi") order => told,
            out("r12") _,
            out("r13") _,
            out("r14") _,
            out("r15") _,
            clobber_abi("sysv64"),
        );
    }
    told
}

/// Switches from this stack to the one that `to` names; `to` then names the stack that `from` named. Returns the order
/// of the side that swaps back.
///
/// # Safety
/// `from` and `to` belong to two routines; `to` names a stack as the module describes, and `from` the resumer's stack
/// that `to` is to name. Both stay so until the swap back.
#[inline(always)]
unsafe fn swap_three(from: *mut usize, to: *mut usize) -> usize {
    let told;
    // SAFETY: as in `swap`.
    unsafe {
        asm!(
            "push rbp",
            "push rbx",
            "lea rax, [rip + 2f]",
            "push rax",
            "mov rax, [rdx]",
            "mov [rdx], rsp",
            "mov rsp, [rdi]",
            "mov [rdi], rax",
            "pop rax",
            "jmp rax",
            "2:",
            "pop rbx",
            "pop rbp",
            inout("rdx") from => _,
            inout("rdi") to => _,
            inout("rsi") GO_ON => told,
            out("r12") _,
            out("r13") _,
            out("r14") _,
            out("r15") _,
            clobber_abi("sysv64"),
        );
    }
    told
}

/// Goes on with the other side for good.
///
/// # Safety
/// `to` is the stack pointer of a side that waits in its swap, and nothing with a destructor is left on this stack.
unsafe fn leave(to: usize) -> ! {
    // SAFETY: the caller's promise; the other side takes no order.
    unsafe { asm!("mov rsp, {}", "pop rax", "jmp rax", in(reg) to, options(noreturn)) }
}

/// The first and last function on a fiber's stack. It panics nowhere outside the body.
extern "sysv64" fn start(routine: *const Routine) -> ! {
    // SAFETY: the first swap to here had the address of `other` in `rdi`, which is that of its routine.
    let ends = unsafe { (*routine).ends };
    // SAFETY: they live until the stack is taken out of a routine that is done.
    let ends = unsafe { ends.as_ref() };
    if let Some(body) = ends.body.take()
        && let Err(panic) = catch_unwind(AssertUnwindSafe(body))
        && !panic.is::<Unwinding>()
    {
        ends.panic.set(Some(panic));
    }
    // SAFETY: this fiber runs, so `CURRENT` names its `other`, which is that of the resumer, waiting in its swap;
    // nobody swaps back.
    unsafe { leave((*CURRENT.get()).other.replace(0)) }
}

/// A fiber with its stack.
#[repr(C)]
pub(crate) struct Routine {
    /// First, so that it has the address of all.
    other: Cell<usize>,
    /// Lowest address of the stack that may be touched. Stored here because its readers have this cache line at hand.
    lowest: usize,
    /// Owner that alone may suspend the fiber; `None` if any code may.
    owner: Option<&'static Owner>,
    ends: NonNull<Ends>,
}

impl Routine {
    /// Makes the routine of a body that has not begun.
    pub(crate) fn new(
        stack: Stack,
        owner: Option<&'static Owner>,
        occupant: Option<Rc<dyn Display>>,
        body: Body,
    ) -> Self {
        // Two words below the base, which is a multiple of 16: `start` is entered as if it had been called from nowhere.
        let top = stack.base().get() - 2 * size_of::<usize>();
        let words = ptr::with_exposed_provenance_mut::<usize>(top);
        // SAFETY: the stack is ours, unused, aligned, and longer than two words.
        unsafe {
            words.write(start as *const () as usize);
            words.add(1).write(0);
        }
        let lowest = stack.extent().lowest();
        let ends = Ends { stack, occupant, body: Cell::new(Some(body)), panic: Cell::new(None) };
        Self { other: Cell::new(top), lowest, owner, ends: NonNull::from(Box::leak(Box::new(ends))) }
    }

    #[inline]
    fn ends(&self) -> &Ends {
        // SAFETY: made in `new` and freed in `into_stack`, if at all; all of it that changes is in cells, and stays on this OS
        // thread.
        unsafe { self.ends.as_ref() }
    }

    /// Whether the body has ended.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.other.get() == 0
    }

    /// Whether it runs, and the caller is on its stack.
    #[inline]
    pub(crate) fn is_current(&self) -> bool {
        ptr::eq(CURRENT.get(), self)
    }

    /// Runs the body until it suspends or ends. The body must not be done.
    #[inline]
    pub(crate) fn resume(&mut self) {
        // SAFETY: `self` is borrowed while it runs, so it does not run yet, and stays where it is.
        unsafe { self.go_on() };
    }

    /// Runs the body until it suspends or ends, without a unique borrow. If the turn is passed, until the
    /// fiber that has it last suspends or ends.
    ///
    /// # Safety
    /// The fiber does not run, and neither it nor a fiber that may be passed the turn is moved or dropped
    /// before this returns.
    #[inline]
    pub(crate) unsafe fn go_on(&self) {
        // SAFETY: the caller's promise.
        unsafe { self.obey(GO_ON) };
    }

    /// # Safety
    /// As [`go_on`](Self::go_on).
    #[inline]
    unsafe fn obey(&self, order: usize) {
        assert!(!self.is_done(), "a body that has ended cannot go on");
        let before = CURRENT.replace(self);
        // SAFETY: neither done nor running, so `other` is the fiber's, fresh or left by a swap.
        unsafe { swap(self.other.as_ptr(), order) };
        CURRENT.set(before);
    }

    /// A turn is passed from stack to stack.
    pub(crate) const PASSES: bool = true;

    /// Suspends a fiber and resumes another in its place, for the same resumer. Both are passed as pointers, since
    /// no reference may stay on a stack that is left while the routines may be moved.
    ///
    /// # Safety
    /// `from` runs, and the caller is on its stack; `to` does not run, and is not done. Neither is moved or dropped
    /// before control is back at the resumer.
    #[inline]
    pub(crate) unsafe fn pass(from: *const Self, to: *const Self) {
        // SAFETY: both are there, as the caller promises.
        let (leaves, enters) = unsafe { ((*from).other.as_ptr(), (*to).other.as_ptr()) };
        CURRENT.set(to);
        // SAFETY: as `from` runs, its `other` is that of the resumer, waiting in its swap; that of `to` belongs to a
        // fiber, fresh or left by a swap. Each gets a stack of the right kind.
        let told = unsafe { swap_three(leaves, enters) };
        if told == UNWIND {
            unwind();
        }
    }

    /// Bytes of stack that are left to a fiber that does not run.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        self.other.get().saturating_sub(self.lowest)
    }

    /// Takes the payload of the panic that ended the body.
    pub(crate) fn take_panic(&self) -> Option<Box<dyn Any + Send>> {
        self.ends().panic.take()
    }

    /// Prefetches `below` cache lines of the stack below the place where it was left, and `above` lines above it.
    #[inline]
    pub(crate) fn prefetch(&self, below: usize, above: usize) {
        let lowest = self.other.get().wrapping_sub(below * LINE);
        (0..below + above).for_each(|line| {
            let at = ptr::without_provenance(lowest.wrapping_add(line * LINE));
            // SAFETY: a prefetch is no access, whatever the address: it changes no visible state and never faults.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at) };
        });
    }

    /// Ends the body: drops it if it has not begun, else unwinds its stack, up to `times` times if it suspends again.
    /// Returns whether it has ended.
    pub(crate) fn end(&mut self, times: usize) -> bool {
        if self.ends().body.take().is_some() {
            self.other.set(0);
        }
        for _ in 0..times {
            if self.is_done() {
                break;
            }
            // SAFETY: `self` is borrowed, as in `resume`.
            unsafe { self.obey(UNWIND) };
        }
        self.is_done()
    }

    /// The stack of a body that has ended.
    pub(crate) fn into_stack(self) -> Stack {
        assert!(self.is_done(), "a stack with something on it");
        // SAFETY: from `Box::leak`; the fiber is done, so no pointer to it is used any more.
        let ends = unsafe { Box::from_raw(self.ends.as_ptr()) };
        ends.stack
    }
}

/// Suspends the innermost running fiber, without a check of its owner.
#[inline]
pub(crate) fn suspend() {
    let running = CURRENT.get();
    assert!(!running.is_null(), "fiber::suspend was called outside a fiber");
    // SAFETY: not null, so it names the routine of the fiber whose stack this very call is on, borrowed by its resumer,
    // which waits in its swap.
    if unsafe { swap((*running).other.as_ptr(), GO_ON) } == UNWIND {
        unwind();
    }
}

/// Bytes of stack left to the running fiber; `None` outside fibers.
#[inline]
pub(crate) fn room() -> Option<usize> {
    let running = CURRENT.get();
    if running.is_null() {
        return None;
    }
    let here = MaybeUninit::<u8>::uninit();
    // SAFETY: not null, so it names the routine of the fiber whose stack this very call is on, as in `suspend`.
    Some((&raw const here).addr().saturating_sub(unsafe { (*running).lowest }))
}

/// Calls `tell` with the extent of the stack and the name of the running fiber, if the OS thread runs one. Safe in a
/// signal handler.
pub(crate) fn with_running(tell: impl FnOnce(Extent, Option<&dyn Display>)) {
    let running = CURRENT.get();
    if running.is_null() {
        return;
    }
    // SAFETY: not null, so it names a routine borrowed by its resumer, which waits in its swap or has not come to it
    // yet.
    let ends = unsafe { (*running).ends() };
    tell(ends.stack.extent(), ends.occupant.as_deref());
}

/// The owner of the fiber that runs, if one does and has one.
#[inline]
pub(crate) fn owner() -> Option<&'static Owner> {
    // SAFETY: null, or it names the routine of the fiber whose stack this very call is on, as in `suspend`.
    unsafe { CURRENT.get().as_ref() }.and_then(|running| running.owner)
}

#[cold]
fn unwind() -> ! {
    resume_unwind(Box::new(Unwinding))
}

/// Whether the caller runs on a fiber's stack.
#[inline]
pub(crate) fn is_inside() -> bool {
    !CURRENT.get().is_null()
}
