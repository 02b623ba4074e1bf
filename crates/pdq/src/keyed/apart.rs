//! Values that are dropped one by one: the destructors of entries are foreign code, and several of them may panic.
//!
//! A collection of the standard library goes on with the other values when a destructor panics, and aborts the
//! process when a second one panics. This module must never know the meaning of the values.

use std::any::Any;
use std::mem::{needs_drop, take};
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A collection that drops each of its values, even if destructors panic. The first panic goes on after all values are dropped,
/// unless the thread is being unwound already.
#[derive(Debug, Default)]
pub(super) struct Apart<C: IntoIterator + Default>(pub(super) C);

impl<C: IntoIterator + Default> Apart<C> {
    /// Returns the collection, which then drops its values in its own way.
    pub(super) fn into_inner(mut self) -> C {
        take(&mut self.0)
    }
}

impl<C: IntoIterator + Default> Deref for Apart<C> {
    type Target = C;

    #[inline]
    fn deref(&self) -> &C {
        &self.0
    }
}

impl<C: IntoIterator + Default> DerefMut for Apart<C> {
    fn deref_mut(&mut self) -> &mut C {
        &mut self.0
    }
}

impl<C: IntoIterator + Default> Drop for Apart<C> {
    fn drop(&mut self) {
        if !needs_drop::<C::Item>() {
            return;
        }
        let mut first: Option<Box<dyn Any + Send>> = None;
        for value in take(&mut self.0) {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
                match first {
                    None => first = Some(panic),
                    // The destructor of a payload may panic, too.
                    Some(_) => std::mem::forget(panic),
                }
            }
        }
        match first {
            Some(panic) if std::thread::panicking() => std::mem::forget(panic),
            Some(panic) => resume_unwind(panic),
            None => {}
        }
    }
}
