//! Arrays that only one thread reads and writes. A simulator charges their accesses as hits or misses in its caches.
//!
//! # Address of an array
//!
//! A simulator gives an array an address, which follows from the array's name and its thread's index, and from nothing
//! else: not from the order in which arrays are made, nor from the actions of other threads. An array begins at a page.
//! The position of that page in a cache follows from a hash of the name, so that it is as random as on a machine whose
//! system hands out pages.
//!
//! # Cost of an access
//!
//! Natively an access to an element costs a comparison of its index, and a view costs nothing. In a simulation an
//! access to an element is a load or store of each of its fields. A view is charged when it is made, as if the thread
//! went through the range once; accesses to the slice are then free. A thread that goes through an array several times
//! must therefore make a view each time.
//!
//! This module must never know caches.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::data::address::AddressRange;
use crate::plain::access::Touch;
use crate::{Access, Element, ThreadId};

/// An array of plain data that belongs to one thread. [`Thread::private`](crate::Thread::private) makes it.
///
/// A thread may hand the array to another thread of its node. Two threads can never use the array at once.
///
/// ```compile_fail
/// # use tradewind_tempest::Private;
/// fn shared<T: Sync>() {}
/// shared::<Private<u32>>();
/// ```
#[derive(Debug)]
pub struct Private<T> {
    pub(crate) elements: Box<[T]>,
    /// The modelled address of the first element.
    pub(crate) first: u64,
    range: PrivateRange,
    one_at_a_time: PhantomData<Cell<()>>,
}

impl<T: Element> Private<T> {
    /// Makes the array `name` of `len` elements for the thread `of`, with every byte zero. `ranges` gives the array's
    /// modelled addresses.
    pub(crate) fn new(ranges: &PrivateRanges, of: ThreadId, name: &'static str, len: usize) -> Self {
        Self::holding(ranges, of, name, vec![T::zeroed(); len])
    }

    /// Makes the array `name` of the thread `of` with the given elements. `ranges` gives the array's modelled
    /// addresses.
    pub(crate) fn holding(
        ranges: &PrivateRanges,
        of: ThreadId,
        name: &'static str,
        elements: Vec<T>,
    ) -> Self {
        T::LAYOUT.check().unwrap_or_else(|bad| panic!("{bad}"));
        let (first, range) = ranges.take(of, name, elements.len() as u64 * u64::from(T::LAYOUT.bytes));
        Self { elements: elements.into(), first, range, one_at_a_time: PhantomData }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Returns the elements and drops the array. A simulator charges nothing for this.
    pub fn into_vec(self) -> Vec<T> {
        self.elements.into()
    }

    /// Describes the accesses to the field with number `field`, from 0, of each element in `range`.
    pub(crate) fn of_field(&self, range: Range<usize>, field: usize, access: Access) -> Touch {
        let layout = &T::LAYOUT;
        let Some(field) = layout.fields.get(field) else {
            panic!("field {field} of `{}`, which has {}", layout.name, layout.fields.len())
        };
        let stride = u64::from(layout.bytes);
        let first = self.first + range.start as u64 * stride + u64::from(field.at);
        Touch { first, elements: range.len() as u64, bytes: field.bytes.into(), stride, access }
    }

    #[cold]
    pub(crate) fn refuse(&self, range: Range<usize>) -> ! {
        let (name, len) = (self.range.name, self.elements.len());
        match range.len() {
            1 => panic!("index {} of private array `{name}`, which has {len}", range.start),
            _ => panic!("elements {range:?} of private array `{name}`, which has {len}"),
        }
    }
}

/// The modelled address ranges of a node's private arrays, by first address. The value has the end of the range, and
/// the thread and the name of the array.
type Taken = BTreeMap<u64, (u64, ThreadId, &'static str)>;

/// The modelled addresses that the private arrays of a node occupy.
#[derive(Debug, Default)]
pub(crate) struct PrivateRanges(OnceLock<Arc<Mutex<Taken>>>);

/// The modelled addresses of one private array, which its drop frees.
#[derive(Debug)]
struct PrivateRange {
    first: u64,
    name: &'static str,
    all: Arc<Mutex<Taken>>,
}

impl PrivateRanges {
    /// Reserves `bytes` bytes of addresses for the array `name` of the thread `of`. Returns the first address, and the
    /// reservation.
    ///
    /// # Panics
    /// If the thread has an array of this name, or another array of the node has some of these addresses.
    fn take(&self, of: ThreadId, name: &'static str, bytes: u64) -> (u64, PrivateRange) {
        let all = self.0.get_or_init(Arc::default);
        let first = AddressRange::Private.page_named(name, of.index.into());
        // An array without elements reserves a byte too, so that its name is taken.
        let end = first + bytes.max(1);
        let mut taken = lock(all);
        if let Some((_, &(_, other, other_name))) =
            taken.range(..end).next_back().filter(|(_, there)| there.0 > first)
        {
            drop(taken);
            refuse(of, name, other, other_name);
        }
        taken.insert(first, (end, of, name));
        (first, PrivateRange { first, name, all: Arc::clone(all) })
    }
}

impl Drop for PrivateRange {
    fn drop(&mut self) {
        lock(&self.all).remove(&self.first);
    }
}

fn lock(taken: &Mutex<Taken>) -> MutexGuard<'_, Taken> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cold]
fn refuse(of: ThreadId, name: &str, other: ThreadId, other_name: &str) -> ! {
    if (of, name) == (other, other_name) {
        panic!("a second private array `{name}` of {of}: expected a name for each array of a thread");
    }
    panic!(
        "private array `{name}` of {of} would lie over `{other_name}` of {other}: their names give them one place; name one otherwise"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeId;

    const OF: ThreadId = ThreadId { node: NodeId(1), index: 2 };

    #[test]
    fn an_array_stands_where_its_name_and_thread_say_whatever_was_made_before() {
        let (ranges, others) = (PrivateRanges::default(), PrivateRanges::default());
        let first = Private::<u32>::new(&ranges, OF, "first", 100).first;
        let _kept = [
            Private::<u64>::new(&others, OF, "second", 1000),
            Private::<u64>::new(&others, ThreadId { index: 3, ..OF }, "first", 1000),
        ];
        let there = Private::<u32>::new(&others, OF, "first", 100);
        assert_eq!((there.first, AddressRange::of(first)), (first, AddressRange::Private));
        assert_eq!((there.len(), there.is_empty()), (100, false));
    }

    #[test]
    #[should_panic(expected = "a second private array `twice` of node 1 thread 2")]
    fn a_thread_has_one_array_of_a_name() {
        let ranges = PrivateRanges::default();
        drop(Private::<u8>::new(&ranges, OF, "twice", 1));
        let _one = Private::<u8>::new(&ranges, OF, "twice", 0);
        Private::<u8>::new(&ranges, OF, "twice", 1);
    }

    #[test]
    #[should_panic(expected = "would lie over")]
    fn no_array_lies_over_another() {
        let ranges = PrivateRanges::default();
        let (first, range) = ranges.take(OF, "first", 1);
        drop(range);
        let all = ranges.0.get().expect("an array has been made");
        lock(all).insert(first + 4096, (first + 8192, OF, "second"));
        ranges.take(OF, "first", 4097);
    }

    #[test]
    fn a_private_array_is_sent_to_another_thread() {
        fn sent<T: Send>() {}
        sent::<Private<f64>>();
    }
}
