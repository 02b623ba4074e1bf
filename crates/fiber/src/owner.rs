//! Owners of fibers. This module must never know how a fiber is suspended, nor why.

/// The owner of some fibers: only code with access to it can suspend them. It stands in a `static` private to that
/// code, and is identified by its address.
///
/// ```
/// use tradewind_fiber::{Owner, Pool, Status};
///
/// static SCHEDULER: Owner = Owner::new("call `rest` instead");
/// fn rest() {
///     SCHEDULER.suspend();
/// }
///
/// let pool = Pool::new(64 * 1024).owned_by(&SCHEDULER);
/// // SAFETY: the body borrows nothing of a thread-local.
/// let mut fiber = unsafe { pool.spawn(rest) }?;
/// assert_eq!(fiber.resume(), Status::Suspended);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Owner {
    advice: &'static str,
}

impl Owner {
    /// Makes an owner. Code on its fibers that calls [`suspend`](crate::suspend) or [`pass`](crate::pass) itself panics with
    /// `advice`.
    pub const fn new(advice: &'static str) -> Self {
        Self { advice }
    }

    /// The text of the panic on a fiber of this owner that other code suspends.
    pub(crate) fn advice(&self) -> &'static str {
        self.advice
    }
}
