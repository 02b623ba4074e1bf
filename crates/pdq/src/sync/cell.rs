//! A cell like `std`'s, with separate methods for shared and exclusive accesses, which a model checker tells apart.
//!
//! This module must never know the protocol of the accesses.

/// A cell whose accesses a model checker can watch.
#[derive(Debug, Default)]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(crate) fn new(content: T) -> Self {
        Self(std::cell::UnsafeCell::new(content))
    }

    /// Returns a pointer to the content, for an access that excludes all others.
    #[inline]
    pub(crate) fn get(&self) -> *mut T {
        self.0.get()
    }

    /// Returns a pointer to the content, for reading while other threads may read it too.
    #[inline]
    pub(crate) fn get_shared(&self) -> *const T {
        self.0.get()
    }

    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }

    pub(crate) fn into_inner(self) -> T {
        self.0.into_inner()
    }
}
