//! Atomic words of 1, 2, 4 and 8 bytes under one trait, for generic code.
//!
//! This module must never know where words stand.

use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

mod sealed {
    /// Keeps the trait to the four types below: `string.rs` relies on their size.
    pub trait Sealed {}
}

/// An atomic unsigned integer of 1, 2, 4 or 8 bytes. Size and alignment are as in its [`Value`](Self::Value).
pub trait AtomicWord: sealed::Sealed + fmt::Debug + Send + Sync + 'static {
    /// The integer of the same size.
    type Value: Copy + Eq + Default + Send + Sync + 'static;

    /// Loads the value.
    ///
    /// # Panics
    /// If the order is that of a store.
    fn load(&self, order: Ordering) -> Self::Value;

    /// Stores a value.
    ///
    /// # Panics
    /// If the order is that of a load.
    fn store(&self, value: Self::Value, order: Ordering);

    /// Adds to the value in one step, wrapping, and returns the previous value.
    fn fetch_add(&self, amount: Self::Value, order: Ordering) -> Self::Value;

    /// Replaces the value by `new` in one step if it is `current`. Returns the previous value either way.
    ///
    /// # Errors
    /// The value, if it is not `current`.
    ///
    /// # Panics
    /// If `failure` is the order of a store.
    fn compare_exchange(
        &self,
        current: Self::Value,
        new: Self::Value,
        success: Ordering,
        failure: Ordering,
    ) -> Result<Self::Value, Self::Value>;
}

macro_rules! words {
    ($($atomic:ident of $value:ident,)*) => {$(
        impl sealed::Sealed for $atomic {}

        impl AtomicWord for $atomic {
            type Value = $value;

            #[inline]
            fn load(&self, order: Ordering) -> $value {
                self.load(order)
            }

            #[inline]
            fn store(&self, value: $value, order: Ordering) {
                self.store(value, order);
            }

            #[inline]
            fn fetch_add(&self, amount: $value, order: Ordering) -> $value {
                self.fetch_add(amount, order)
            }

            #[inline]
            fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(current, new, success, failure)
            }
        }
    )*};
}

words! {
    AtomicU8 of u8,
    AtomicU16 of u16,
    AtomicU32 of u32,
    AtomicU64 of u64,
}
