//! Taking a lock of which a holder may have panicked. This module must never know what it protects.

use std::sync::PoisonError;

use crate::sync::{Mutex, MutexGuard};

/// Takes a lock whatever happened to a holder before: a run in which something panicked is over anyway.
#[inline]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
