//! Stackful threads: one safe type over a switch of stacks, and a pool of guarded stacks.
//!
//! A [`Fiber`] is a function with a stack of its own. [`Fiber::resume`] runs it until it calls [`suspend`] or
//! returns; in between it is an ordinary value that can be kept, moved and dropped. Fibers of a [`Crew`] may also
//! [`pass`] the turn to each other. Nothing is scheduled here: who runs next is the caller's business. This room
//! knows nothing of tradewind; it must never learn what a node, a message or a clock is.
//!
//! ```
//! use std::{cell::Cell, rc::Rc};
//!
//! let pool = tradewind_fiber::Pool::new(64 * 1024);
//! let steps = Rc::new(Cell::new(0));
//! let seen = Rc::clone(&steps);
//! let mut fiber = pool.spawn(move || {
//!     seen.set(1);
//!     tradewind_fiber::suspend();
//!     seen.set(2);
//! })?;
//! assert_eq!((fiber.resume(), steps.get()), (tradewind_fiber::Status::Suspended, 1));
//! assert_eq!((fiber.resume(), steps.get()), (tradewind_fiber::Status::Finished, 2));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Why the safe interface is sound
//!
//! The switch itself is ours on x86-64 (`swap.rs`, which says why and how) and corosensei's elsewhere
//! (`portable.rs`). A thread-local names the fiber that runs on this OS thread, and [`suspend`] follows that pointer
//! without a handle (`swap.rs`, `current.rs`); another names the crew that runs (`crew.rs`). Stacks are cut from
//! mappings of ours (`stack.rs`). These modules have the unsafe blocks, each with its reason. The rest rests on these
//! facts:
//!
//! - *A fiber stays on its OS thread.* [`Fiber`], [`Crew`] and [`Pool`] are neither `Send` nor `Sync`, so code on a
//!   fiber's stack never sees its thread-locals change under it, and what it borrowed from the thread stays valid.
//! - *A fiber outlives nothing it borrows.* Its body is `'static`, so a fiber that is leaked, or dropped late,
//!   holds no dangling reference; a leaked one keeps its stack for ever.
//! - *A running fiber is never touched.* `resume` holds `&mut Fiber` for as long as the body runs, so the body
//!   cannot resume, move or drop its own fiber; with a crew it holds all of that (`crew.rs`).
//! - *A suspended fiber is unwound before its stack is used again*, so that destructors run and no pinned value
//!   is overwritten. The stack goes back to the pool only when nothing lives on it.
//! - *The body is boxed*, two words whatever the closure holds, so that it fits any stack.
//! - *A stack outlives its fiber.* A fiber holds its pool's stacks alive, also one that is leaked (`pool.rs`).
//! - *Overflow meets a guard page.* Each stack ends in a page that nobody may touch (`stack.rs`), and rustc probes
//!   every page of a large frame, so running out of stack kills the process by a signal (a test checks it). C code
//!   compiled without `-fstack-clash-protection` may step over the guard with a single frame of more than a page.
//!
//! # What a body must not do
//!
//! None of these breaks memory safety unless said; all end badly.
//!
//! - Suspend, or pass the turn, inside a destructor: while the stack unwinds, a second unwinding cannot start, and
//!   the process aborts.
//! - Catch the unwinding that dropping a suspended fiber starts, and go on for ever without suspending: `drop` then never
//!   returns. A body that catches it, suspends again, and does so a hundred times is leaked with its stack.
//! - Hold a guard of the OS thread (a mutex guard, a `RefCell` borrow) across `suspend` or `pass`: the next fiber
//!   that wants it waits for ever or panics.
//! - Suspend, or pass the turn, inside `LocalKey::with` while the fiber itself is stored in another thread-local: at
//!   thread exit the borrowed value may be destroyed first. **This is the one way to undefined behaviour**; keep fibers
//!   out of thread-locals.
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
//! On two cores of a cloud Xeon a resume and the suspend that ends it take 5 to 6 ns together for one fiber or 64 in turn and 7 ns
//! for 1 024, and 11 to 12 ns where they suspend three calls deep; with corosensei's switch it is 27 to 46 ns. Stacks begin at
//! different places of their pages, so that what switches touch does not compete for the same sets of the cache. A fiber that
//! is spawned, runs to its end and is dropped takes 28 ns on a used stack. `cargo bench -p tradewind-fiber` measures it.
//!
//! A suspended fiber that has called little takes a page or two of memory for its stack.

mod crew;
#[cfg(any(not(target_arch = "x86_64"), feature = "portable"))]
mod current;
mod pool;
#[cfg_attr(all(target_arch = "x86_64", not(feature = "portable")), path = "swap.rs")]
#[cfg_attr(any(not(target_arch = "x86_64"), feature = "portable"), path = "portable.rs")]
mod routine;
mod stack;

pub use crew::{Crew, pass, prefetch};
pub use pool::{Fiber, Pool, Status};

/// Suspends the fiber that runs on this OS thread: its [`resume`](Fiber::resume) returns
/// [`Suspended`](Status::Suspended), and this call returns at the next one. Of nested fibers, the innermost
/// is meant.
///
/// When the suspended fiber is dropped this call does not return but unwinds, so that destructors run.
///
/// # Panics
///
/// Panics when no fiber is running.
#[inline]
pub fn suspend() {
    routine::suspend();
}

/// Whether the caller runs inside a fiber, that is, whether [`suspend`] may be called.
#[inline]
pub fn is_inside() -> bool {
    routine::is_inside()
}
