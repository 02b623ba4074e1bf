//! A thread's accesses to its private arrays.
//!
//! This module must never know caches.

use std::ops::Range;

use super::handle::Thread;
use crate::plain::access::Touch;
use crate::{Access, Element, Private};

impl<T: Element> Private<T> {
    /// Loads element `index`. A simulator charges a load of each field of the element.
    ///
    /// # Panics
    /// If there is no such element.
    #[inline]
    pub fn get(&self, thread: &Thread<'_>, index: usize) -> T {
        let Some(&value) = self.elements.get(index) else { self.refuse(index..index.saturating_add(1)) };
        if thread.is_charged() {
            self.charge_one(thread, index, Access::Load);
        }
        value
    }

    /// Stores element `index`. A simulator charges a store of each field of the element.
    ///
    /// # Panics
    /// If there is no such element.
    #[inline]
    pub fn set(&mut self, thread: &Thread<'_>, index: usize, value: T) {
        if index >= self.elements.len() {
            self.refuse(index..index.saturating_add(1));
        }
        if thread.is_charged() {
            self.charge_one(thread, index, Access::Store);
        }
        self.elements[index] = value;
    }

    /// Returns the elements of `range` to be read. Before the call returns, a simulator charges a load of each field of
    /// each element.
    ///
    /// # Panics
    /// If there are no such elements.
    #[inline]
    pub fn view(&self, thread: &Thread<'_>, range: Range<usize>) -> &[T] {
        let Some(elements) = self.elements.get(range.clone()) else { self.refuse(range) };
        if thread.is_charged() {
            self.charge(thread, range, Access::Load);
        }
        elements
    }

    /// Returns the elements of `range` to be written. Before the call returns, a simulator charges a store of each
    /// field of each element. A thread that also needs the old values calls [`view`](Self::view) before.
    ///
    /// # Panics
    /// If there are no such elements.
    #[inline]
    pub fn view_mut(&mut self, thread: &Thread<'_>, range: Range<usize>) -> &mut [T] {
        if self.elements.get(range.clone()).is_none() {
            self.refuse(range);
        }
        if thread.is_charged() {
            self.charge(thread, range.clone(), Access::Store);
        }
        &mut self.elements[range]
    }

    /// Returns the elements of `range`, of which the thread reads only the field with number `field` in the
    /// [layout](Element::LAYOUT). A simulator charges a load of that field of each element before this returns.
    ///
    /// # Panics
    /// If there are no such elements, or they have no such field.
    #[inline]
    pub fn view_field(&self, thread: &Thread<'_>, range: Range<usize>, field: usize) -> &[T] {
        let Some(elements) = self.elements.get(range.clone()) else { self.refuse(range) };
        if thread.is_charged() {
            thread.charge_touch(self.of_field(range, field, Access::Load));
        }
        elements
    }

    /// Returns the elements of `range`, of which the thread writes only the field with number `field` in the
    /// [layout](Element::LAYOUT). A simulator charges a store of that field of each element before this returns.
    ///
    /// # Panics
    /// If there are no such elements, or they have no such field.
    #[inline]
    pub fn view_field_mut(&mut self, thread: &Thread<'_>, range: Range<usize>, field: usize) -> &mut [T] {
        if self.elements.get(range.clone()).is_none() {
            self.refuse(range);
        }
        if thread.is_charged() {
            thread.charge_touch(self.of_field(range.clone(), field, Access::Store));
        }
        &mut self.elements[range]
    }

    /// Charges accesses to all fields of element `index`.
    #[inline(never)]
    fn charge_one(&self, thread: &Thread<'_>, index: usize, access: Access) {
        match const { T::LAYOUT.dense() } {
            Some((1, bytes)) => thread.charge_one(self.first + index as u64 * u64::from(bytes), access),
            _ => self.charge(thread, index..index + 1, access),
        }
    }

    /// Charges accesses to all fields of the elements of `range`.
    #[inline(never)]
    fn charge(&self, thread: &Thread<'_>, range: Range<usize>, access: Access) {
        if let Some((fields, bytes)) = const { T::LAYOUT.dense() } {
            let first = self.first + range.start as u64 * u64::from(T::LAYOUT.bytes);
            return thread.charge_touch(Touch::dense(
                first,
                range.len() * fields as usize,
                bytes.into(),
                access,
            ));
        }
        for element in range {
            for field in 0..T::LAYOUT.fields.len() {
                thread.charge_touch(self.of_field(element..element + 1, field, access));
            }
        }
    }
}
