//! A node's arena: words of 8 bytes and, if the plan has any, words of 4; and the encoding of a place in a message.
//!
//! The two word sizes are two segments, because a byte of memory must always be accessed in one width. A message names a place
//! by 32 bits; the upper bits encode the word size. Each word of the payload holds one word of 8 bytes or two of 4. This module
//! must never know which operation accesses a word.

use tempest::data::{Clocked, Word};
use tempest::{Cells, Place, Rights, Segment, Setup};

/// Bit of an encoded place: set if the place's words have 4 bytes, clear if they have 8.
const SHORT: u32 = 1 << 31;

/// Bit of an encoded place: the last word of the message's payload holds only one word of 4 bytes, not two.
const ODD: u32 = 1 << 30;

/// Bound of the number of words of 8 bytes in an arena: an encoded place has the offset of a word below the bit `SHORT`.
pub(super) const MOST: u32 = SHORT;

/// Bound of the number of words of 4 bytes in an arena: an encoded place has the offset of a word below the bit `ODD`.
pub(super) const MOST_SHORT: u32 = ODD;

/// Words of a node's arena, of both sizes. Behind the words that the plan reserves stands one landing word for each thread, for
/// the results of its blocking operations.
#[derive(Debug)]
pub(super) struct Arena {
    long: Segment<u64>,
    /// Words of 4 bytes; `None` if the plan reserves none.
    short: Option<Segment<u32>>,
    planned: Sizes,
}

/// Numbers of words of 8 bytes (`long`) and of 4 bytes (`short`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Sizes {
    pub(super) long: u32,
    pub(super) short: u32,
}

mod sealed {
    use tempest::Segment;
    use tempest::data::Word;

    /// A type of value that the global address space can hold.
    pub trait Kept: Word {
        /// Unsigned word that stores a value of this type.
        type Raw: Word;

        /// Whether a value of this type has 4 bytes rather than 8.
        const SHORT: bool;

        /// Returns the segment for words of this type's size: `long` or `short`.
        fn part<'a>(
            long: &'a Segment<u64>,
            short: Option<&'a Segment<u32>>,
        ) -> Option<&'a Segment<Self::Raw>>;
    }
}

pub(super) use sealed::Kept;

/// A value that the global address space holds: a number of 4 or 8 bytes.
#[diagnostic::on_unimplemented(
    message = "the global address space holds no `{Self}`",
    label = "expected `u32`, `i32`, `f32`, `u64`, `i64` or `f64`"
)]
pub trait ArenaWord: Kept {}

macro_rules! kept {
    (($($of:ident)*) as $raw:ident, $is_short:literal, $long:ident $short:ident => $part:expr) => {$(
        impl Kept for $of {
            type Raw = $raw;

            const SHORT: bool = $is_short;

            #[inline]
            fn part<'a>(
                $long: &'a Segment<u64>,
                $short: Option<&'a Segment<u32>>,
            ) -> Option<&'a Segment<$raw>> {
                $part
            }
        }

        impl ArenaWord for $of {}
    )*};
}

kept!((u64 i64 f64) as u64, false, long _short => Some(long));
kept!((u32 i32 f32) as u32, true, _long short => short);

/// Converts a value to the word that stores it.
#[inline]
pub(super) fn raw<T: Kept>(value: T) -> T::Raw {
    T::Raw::from_bits(value.to_bits())
}

/// Converts a stored word back to the value.
#[inline]
pub(super) fn value<T: Kept>(raw: T::Raw) -> T {
    T::from_bits(raw.to_bits())
}

/// Encodes one value as a message's payload of one word of 8 bytes.
#[inline]
pub(super) fn alone<T: Kept>(value: T) -> u64 {
    if T::SHORT { bytemuck::cast([value.to_bits() as u32, 0]) } else { value.to_bits() }
}

/// Encodes the place of `words` words from `offset` on, for a message with these words as its payload.
#[inline]
pub(super) fn place<T: Kept>(offset: u32, words: usize) -> u32 {
    match (T::SHORT, words.is_multiple_of(2)) {
        (false, _) => offset,
        (true, true) => offset | SHORT,
        (true, false) => offset | SHORT | ODD,
    }
}

/// Returns the number of words that `payload` holds for `place`, in words of the place's size.
pub(super) fn words_of(place: u32, payload: &[u64]) -> u32 {
    let packed = payload.len() as u32;
    if place & SHORT == 0 { packed } else { 2 * packed - u32::from(place & ODD != 0) }
}

/// Returns the size of `words` words at `place`, in bytes.
pub(super) fn bytes_of(place: u32, words: u32) -> u64 {
    u64::from(words) * if place & SHORT == 0 { 8 } else { 4 }
}

/// Encodes the place at which a reply with `words` words stores them, from a request's place `landing`.
pub(super) fn answer_place(landing: u32, words: u32) -> u32 {
    if landing & SHORT == 0 { landing } else { place::<u32>(landing & !(SHORT | ODD), words as usize) }
}

/// Returns the address of `place` in words of the place's size: consecutive words have consecutive addresses.
pub(super) fn position(place: u32) -> u64 {
    u64::from(place & !ODD)
}

impl Arena {
    pub(super) fn new(others: Rights, planned: Sizes, setup: &mut Setup<'_>) -> Self {
        let threads = setup.shape().threads;
        let len = |words: u32| words as usize + threads as usize;
        let long = setup.segment_for(others, "split_phase.arena", len(planned.long), 0);
        let short = (planned.short > 0)
            .then(|| setup.segment_for(others, "split_phase.arena_of_4_bytes", len(planned.short), 0));
        Self { long, short, planned }
    }

    /// Number of words of the size of `T` that the plan reserves.
    pub(super) fn len<T: Kept>(&self) -> u32 {
        if T::SHORT { self.planned.short } else { self.planned.long }
    }

    /// Returns the offset of the landing word, for words of the size of `T`, of the thread with index `thread`.
    pub(super) fn landing<T: Kept>(&self, thread: u32) -> u32 {
        self.len::<T>() + thread
    }

    /// Returns this node's words of the size of `T`.
    ///
    /// # Panics
    /// If the plan reserves no words of this size.
    #[inline]
    pub(super) fn cells<T: Kept>(&self) -> &Cells<T::Raw> {
        self.segment::<T>().cells()
    }

    /// Returns this node's segment for words of the size of `T`.
    ///
    /// # Panics
    /// If the plan reserves no words of this size.
    #[inline]
    pub(super) fn segment<T: Kept>(&self) -> &Segment<T::Raw> {
        T::part(&self.long, self.short.as_ref()).expect("the plan has words of 4 bytes")
    }

    /// Packs `words` words from the encoded `place` on into `packed`. Returns the part of `packed` that they fill.
    pub(super) fn load<'p>(
        &self,
        on: &impl Clocked,
        place: u32,
        words: u32,
        packed: &'p mut [u64],
    ) -> &'p [u64] {
        if place & SHORT == 0 {
            let packed = &mut packed[..words as usize];
            self.long.cells().read(on, place as usize, packed);
            return packed;
        }
        let (first, filled) = (place & !(SHORT | ODD), words.div_ceil(2) as usize);
        let shorts: &mut [u32] = bytemuck::cast_slice_mut(&mut packed[..filled]);
        self.cells::<u32>().read(on, first as usize, &mut shorts[..words as usize]);
        &packed[..filled]
    }

    /// Stores the words of `payload` from the encoded `place` on.
    pub(super) fn store(&self, on: &impl Clocked, place: u32, payload: &[u64]) {
        if place & SHORT == 0 {
            return self.long.cells().write(on, place as usize, payload);
        }
        let (first, words) = (place & !(SHORT | ODD), words_of(place, payload) as usize);
        let shorts: &[u32] = bytemuck::cast_slice(payload);
        self.cells::<u32>().write(on, first as usize, &shorts[..words]);
    }

    /// Reads words from the encoded `place` on, as `packed` payload words of 8 bytes, for a bulk transfer.
    pub(super) fn read(&self, on: &impl Clocked, place: u32, packed: u32) -> Vec<u64> {
        let mut found = vec![0; packed as usize];
        if place & SHORT == 0 {
            self.long.cells().read(on, place as usize, &mut found);
        } else {
            let first = place & !(SHORT | ODD);
            self.cells::<u32>().read(on, first as usize, bytemuck::cast_slice_mut(&mut found));
        }
        found
    }

    /// Converts an encoded place to the destination of a bulk transfer in the place's segment.
    pub(super) fn place(&self, place: u32) -> Place {
        match &self.short {
            Some(short) if place & SHORT != 0 => short.place(place & !(SHORT | ODD)),
            _ => self.long.place(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_says_which_words_its_payload_holds() {
        let payload = [0; 3];
        let long = place::<f64>(5, 3);
        assert_eq!((long, words_of(long, &payload), bytes_of(long, 3)), (5, 3, 24));
        let (even, odd) = (place::<i32>(5, 6), place::<i32>(5, 5));
        assert_eq!((words_of(even, &payload), words_of(odd, &payload)), (6, 5));
        assert_eq!(
            (bytes_of(odd, 5), position(odd), position(even) + 6),
            (20, position(even), position(place::<f32>(11, 1)))
        );
        assert_eq!((answer_place(even, 5), answer_place(odd, 6), answer_place(long, 1)), (odd, even, long));
    }
}
