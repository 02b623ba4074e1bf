//! Locks whose holder may have panicked. This module must never know the protected data.

use std::sync::PoisonError;

use crate::sync::{Mutex, MutexGuard};

/// Takes a lock, even if a former holder has panicked: such a run is over anyway.
#[inline]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
