//! Stackful threads: one type over a switch of stacks, and a pool of guarded stacks.
//!
//! A [`Fiber`] is a function with a stack of its own. [`Fiber::resume`] runs it until it calls [`suspend`] or
//! returns; in between it is an ordinary value that can be kept, moved and dropped. Fibers of a [`Crew`] may also
//! [`pass`] the turn to each other. This room schedules nothing: the caller chooses the fiber that runs next. It knows
//! nothing of tradewind; it must never learn what a node, a message or a clock is.
//!
//! ```
//! use std::{cell::Cell, rc::Rc};
//!
//! let pool = tradewind_fiber::Pool::new(64 * 1024);
//! let steps = Rc::new(Cell::new(0));
//! let seen = Rc::clone(&steps);
//! let body = move || {
//!     seen.set(1);
//!     tradewind_fiber::suspend();
//!     seen.set(2);
//! };
//! // SAFETY: the body borrows nothing of a thread-local.
//! let mut fiber = unsafe { pool.spawn(body) }?;
//! assert_eq!((fiber.resume(), steps.get()), (tradewind_fiber::Status::Suspended, 1));
//! assert_eq!((fiber.resume(), steps.get()), (tradewind_fiber::Status::Finished, 2));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Why the interface is sound
//!
//! Making a fiber is `unsafe` for one reason: fibers of an OS thread share its thread-locals, which the language takes
//! to belong to one stack. [`Pool::spawn`] lists the caller's promises about them. All the rest is safe, by the
//! arguments below.
//!
//! The switch itself is ours on x86-64 (`swap.rs`, which says why and how) and corosensei's elsewhere (`portable.rs`).
//! A thread-local names the running fiber of this OS thread, and [`suspend`] follows that pointer without a handle
//! (`swap.rs`, `current.rs`); another names the active crew (`crew.rs`). Stacks are cut from mappings of ours
//! (`stack.rs`), and an overflow is reported by a signal handler (`overflow.rs`). These modules have the unsafe blocks,
//! each with its reason.
//!
//! - *A fiber stays on its OS thread.* [`Fiber`], [`Crew`] and [`Pool`] are neither `Send` nor `Sync`, so code on a
//!   fiber's stack never sees another OS thread's thread-locals.
//! - *A fiber outlives nothing it borrows.* Its body is `'static`, so a fiber that is leaked, or dropped late,
//!   holds no dangling reference; a leaked one keeps its stack for ever.
//! - *A running fiber is never touched.* `resume` holds `&mut Fiber` for as long as the body runs, so the body
//!   cannot resume, move or drop its own fiber; with a crew it holds all of that (`crew.rs`).
//! - *A suspended fiber is unwound before its stack is used again*, so that destructors run and no pinned value
//!   is overwritten. The stack goes back to the pool only when nothing lives on it.
//! - *The body is boxed*: two words on the stack, whatever the size of the closure, so that it fits any stack.
//! - *A stack outlives its fiber.* A fiber, leaked or not, keeps its pool's stacks alive (`pool.rs`).
//! - *Overflow meets a guard page.* Each stack ends in an inaccessible page (`stack.rs`), and rustc probes
//!   every page of a large frame, so running out of stack kills the process by a signal. C code
//!   compiled without `-fstack-clash-protection` may step over the guard with a single frame of more than a page.
//!
//! # Overflow
//!
//! Before the process dies of an overflow, one line on the standard error names the fiber and the size of its stack: "a
//! fiber has overflowed its stack of 64 KiB", or the text given to [`Pool::spawn_as`]. For this the first stack of a
//! process installs a handler for `SIGSEGV` and `SIGBUS`. It chains to the handlers installed before, Rust's own among
//! them, for every signal, also after an overflow; these decide how the process dies. Each OS thread with a pool
//! handles its signals on an alternate stack. [`room()`] returns the bytes left on the stack, for code that would
//! rather run elsewhere than overflow.
//!
//! # What a body must not do
//!
//! None of these breaks memory safety; all end badly.
//!
//! - Suspend, or pass the turn, of a fiber whose scheduler does not expect it: give such fibers an [`Owner`].
//! - Suspend, or pass the turn, inside a destructor: while the stack unwinds, a second unwinding cannot start, and
//!   the process aborts.
//! - Catch the unwinding that dropping a suspended fiber starts, and go on for ever without suspending: `drop` then never
//!   returns. A body that catches it, suspends again, and does so a hundred times is leaked with its stack.
//! - Hold a guard of the OS thread (a mutex guard, a `RefCell` borrow) across `suspend` or `pass`: the next fiber
//!   that wants it waits for ever or panics.
//!
//! # Unwinding, valgrind, sanitizers
//!
//! `panic = "unwind"` is needed to drop a suspended fiber; with `panic = "abort"` that aborts. Stacks are
//! registered with valgrind by corosensei (a few instructions per stack, none per switch). AddressSanitizer
//! wants the feature `portable` and corosensei's `sanitizer`, without which it reports false errors after a switch;
//! ThreadSanitizer and Miri cannot follow a switch at all.
//!
//! # Cost
//!
//! On two cores of a cloud Xeon a resume and the suspend that ends it take 4 to 6 ns together for one fiber or 64 in
//! turn and 7 ns for 1 024, and 9 to 11 ns where they suspend three calls deep; with corosensei's switch it is 27 to
//! 46 ns. Stacks begin at different places of their pages, so that the lines that switches touch do not compete for the
//! same sets of the cache. A fiber that is spawned, runs to its end and is dropped takes 32 ns on a used stack.
//! `cargo bench -p tradewind-fiber` measures it.
//!
//! A suspended fiber that has called little takes a page or two of memory for its stack.

mod ahead;
mod crew;
#[cfg(any(not(target_arch = "x86_64"), feature = "portable"))]
mod current;
mod overflow;
mod owner;
mod pool;
mod right;
#[cfg_attr(all(target_arch = "x86_64", not(feature = "portable")), path = "swap.rs")]
#[cfg_attr(any(not(target_arch = "x86_64"), feature = "portable"), path = "portable.rs")]
mod routine;
mod stack;

pub use ahead::prefetch_value;
pub use crew::{Crew, prefetch};
pub use owner::Owner;
pub use pool::{Fiber, Pool, Status};
pub use right::pass;

/// Suspends the fiber that runs on this OS thread: its [`resume`](Fiber::resume) returns
/// [`Suspended`](Status::Suspended), and this call returns at the next resume. Where fibers are nested, the innermost
/// is suspended.
///
/// When the suspended fiber is dropped this call does not return but unwinds, so that destructors run.
///
/// # Panics
///
/// Panics when no fiber is running, or the running one has an [`Owner`].
#[inline]
pub fn suspend() {
    right::expect_none("fiber::suspend");
    routine::suspend();
}

/// Whether the caller runs inside a fiber, that is, whether [`suspend`] may be called.
#[inline]
pub fn is_inside() -> bool {
    routine::is_inside()
}

/// Bytes of stack that are left to the fiber that runs on this OS thread; `None` if none does. It costs a few instructions.
#[inline]
pub fn room() -> Option<usize> {
    routine::room()
}
