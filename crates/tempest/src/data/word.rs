//! Values that memory holds as one atomic word of 1, 2, 4 or 8 bytes.
//!
//! A word is loaded and stored as a whole, and a memory location has the same width for ever. This module must never
//! know whose memory a word stands in.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use bulk::AtomicWord;
use bytemuck::Pod;

/// A value that fills one word of memory: 1, 2, 4 or 8 bytes, loaded and stored as a whole.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no word of memory",
    label = "expected a number of 1, 2, 4 or 8 bytes",
    note = "memory that several threads or nodes write holds `u8` to `u64`, `i8` to `i64`, `f32` and `f64`"
)]
pub trait Word: Pod + Send + Sync {
    /// The atomic type that holds the value in memory.
    type Atomic: AtomicWord<Value: Pod>;

    /// Converts the value to the 64 bits in which a message carries it: its own bits, then zeros in the high bits.
    fn to_bits(self) -> u64;

    /// Converts the low bits of `bits` back to the value. The other bits are ignored.
    fn from_bits(bits: u64) -> Self;

    /// Packs values into units of 8 bytes in the order of memory, as a [transfer](crate::Thread::transfer) or a
    /// [deposit](crate::Thread::deposit) moves them: a value of 8 bytes, two of 4, four of 2, eight of 1.
    ///
    /// # Panics
    /// If the values do not fill a whole number of units.
    #[inline]
    fn packed(values: &[Self]) -> Cow<'_, [u64]> {
        match bytemuck::try_cast_slice(values) {
            Ok(words) => Cow::Borrowed(words),
            Err(_) => Cow::Owned(packed(bytemuck::cast_slice(values))),
        }
    }
}

/// Copies bytes, at an address that need not be aligned, into units of 8 bytes.
///
/// # Panics
/// If the number of bytes is no multiple of 8.
#[cold]
fn packed(bytes: &[u8]) -> Vec<u64> {
    let (words, rest) = bytes.as_chunks();
    assert!(
        rest.is_empty(),
        "{} bytes are packed in words of 8: expected a multiple of 8 bytes",
        bytes.len()
    );
    words.iter().map(|word| u64::from_ne_bytes(*word)).collect()
}

/// An integer of 1, 2, 4 or 8 bytes to which a thread or handler can add in memory atomically.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no integer that memory adds to in one step",
    label = "expected `u8` to `u64` or `i8` to `i64`"
)]
pub trait IntegerWord: Word + Eq {}

/// The integer type with the size of the word type `T`, which its atomic holds.
pub(crate) type Value<T> = <<T as Word>::Atomic as AtomicWord>::Value;

/// The modelled address of word `index` of an array of `T` that begins at the address `first`.
#[inline]
pub(crate) fn address<T: Word>(first: u64, index: usize) -> u64 {
    first + index as u64 * size_of::<T>() as u64
}

/// Loads a value with relaxed order.
#[inline]
pub(crate) fn load<T: Word>(from: &T::Atomic) -> T {
    bytemuck::cast(from.load(Ordering::Relaxed))
}

/// Stores a value with relaxed order.
#[inline]
pub(crate) fn store<T: Word>(to: &T::Atomic, value: T) {
    to.store(bytemuck::cast(value), Ordering::Relaxed);
}

/// Adds `amount` to an integer atomically with the given order, wrapping on overflow, and returns the previous value.
#[inline]
pub(crate) fn add<T: IntegerWord>(to: &T::Atomic, amount: T, order: Ordering) -> T {
    bytemuck::cast(to.fetch_add(bytemuck::cast(amount), order))
}

/// Replaces the integer in `word` by `new` atomically if it is `current`. The operation acquires, and if it replaces
/// the integer it also releases. Returns the previous value, as an error if it was not `current`.
#[inline]
pub(crate) fn exchange<T: IntegerWord>(word: &T::Atomic, current: T, new: T) -> Result<T, T> {
    let (current, new) = (bytemuck::cast(current), bytemuck::cast(new));
    let done = word.compare_exchange(current, new, Ordering::AcqRel, Ordering::Acquire);
    done.map(bytemuck::cast).map_err(bytemuck::cast)
}

/// Stores an integer in a word atomically, with acquire and release order, and returns the previous value.
#[inline]
pub(crate) fn swap<T: IntegerWord>(word: &T::Atomic, new: T) -> T {
    let mut current = load::<T>(word);
    loop {
        match exchange(word, current, new) {
            Ok(previous) => return previous,
            Err(other) => current = other,
        }
    }
}

/// Views values as the integers that their atomics hold.
#[inline]
pub(crate) fn values<T: Word>(values: &[T]) -> &[Value<T>] {
    bytemuck::cast_slice(values)
}

/// Views values as the integers that their atomics hold, for the caller to overwrite.
#[inline]
pub(crate) fn values_mut<T: Word>(values: &mut [T]) -> &mut [Value<T>] {
    bytemuck::cast_slice_mut(values)
}

macro_rules! words {
    ($($of:ident, $bits:ident, $atomic:ident;)*) => {$(
        impl Word for $of {
            type Atomic = $atomic;

            #[inline]
            fn to_bits(self) -> u64 {
                bytemuck::cast::<$of, $bits>(self).into()
            }

            #[inline]
            fn from_bits(bits: u64) -> Self {
                bytemuck::cast(bits as $bits)
            }
        }
    )*};
}

words! {
    u8, u8, AtomicU8;
    i8, u8, AtomicU8;
    u16, u16, AtomicU16;
    i16, u16, AtomicU16;
    u32, u32, AtomicU32;
    i32, u32, AtomicU32;
    f32, u32, AtomicU32;
    u64, u64, AtomicU64;
    i64, u64, AtomicU64;
    f64, u64, AtomicU64;
}

macro_rules! integers {
    ($($of:ident)*) => {$(
        impl IntegerWord for $of {}
    )*};
}

integers!(u8 i8 u16 i16 u32 i32 u64 i64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_a_message_give_the_value_back() {
        assert_eq!((Word::to_bits(-1_i8), i8::from_bits(0x1ff)), (0xff, -1));
        assert_eq!((Word::to_bits(-2_i32), <i32 as Word>::from_bits(0xffff_fffe)), (0xffff_fffe, -2));
        assert_eq!(<f32 as Word>::from_bits(Word::to_bits(-1.5_f32)), -1.5);
        assert_eq!(<f64 as Word>::from_bits(Word::to_bits(-1.5_f64)), -1.5);
    }

    #[test]
    fn values_are_packed_in_the_order_of_memory_wherever_they_stand() {
        let values: Vec<u16> = (1..10).collect();
        for from in [0, 1] {
            let word = u16::packed(&values[from..][..4]).into_owned();
            let halves: &[u16] = bytemuck::cast_slice(&word);
            assert_eq!(halves, &values[from..][..4]);
        }
        assert_eq!(*f64::packed(&[1.0, 2.0]), [1.0, 2.0].map(f64::to_bits));
    }

    #[test]
    #[should_panic(expected = "12 bytes are packed in words of 8: expected a multiple of 8 bytes")]
    fn no_part_of_a_word_is_packed() {
        u32::packed(&[1, 2, 3]);
    }

    #[test]
    fn integers_of_any_size_wrap() {
        let word = AtomicU8::new(255);
        assert_eq!((add(&word, 3_u8, Ordering::Relaxed), load::<u8>(&word)), (255, 2));
        assert_eq!((exchange(&word, 2_i8, -1), exchange(&word, 2_i8, 5)), (Ok(2), Err(-1)));
    }
}
