//! Memory that is divided among words once and for all.
//!
//! # Why views are sound
//!
//! All that is ever derived from the bytes of a mapping are references to atomics, and each byte belongs to the atomics of one
//! width:
//!
//! - [`Words`](crate::Words) and [`Column`](crate::Column) hold a result of [`Mapping::view`], which gives nothing unless a word of that width
//!   begins at that byte of each record. A [`Piece`] asks the form before it makes a reference. Words of a [`Form`]
//!   never overlap.
//! - The forms and the address never change, and the bytes live as long as the mapping, which every view keeps alive or borrows.
//! - Atomics may be read and written through shared references, by any thread.
//! - Bytes of a [file](crate::SharedFile) may be changed by other processes too, and through other mappings of the same piece.
//!   Each word is loaded and stored by atomic instructions, and every value is a valid word, so a change at any moment is no
//!   worse than a store of another thread. The file never becomes shorter, so the bytes stay accessible.
//!
//! This module must never know which threads read and write.

#![allow(unsafe_code, reason = "it makes references of addresses")]

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use bulk::AtomicWord;
use bytemuck::Pod;

use crate::backing::{Backing, LINE, Pages};
use crate::form::{CUT_BYTES, words_of};
use crate::{Form, Width};

/// Bytes that belong to words of 1, 2, 4 and 8 bytes: consecutive *stretches*, each of one [`Form`]. They are zero at first.
pub struct Mapping {
    backing: Backing,
    stretches: Box<[Stretch]>,
}

/// Consecutive records of one form.
struct Stretch {
    /// Bytes of the stretch in the mapping, rounded up to words of 8.
    bytes: Range<usize>,
    /// Number of bytes asked for.
    len: usize,
    form: Form,
    /// The width of all its words, if they have one.
    width: Option<Width>,
}

/// The division of a mapping into stretches.
pub(crate) struct Division {
    stretches: Box<[Stretch]>,
    /// The number of bytes of all stretches, each rounded up to cache lines.
    pub(crate) bytes: usize,
}

/// The promise of a caller that asks for memory of this process.
pub(crate) const ADDRESSABLE: &str = "a mapping is no larger than what can be addressed";

impl Division {
    /// Places a stretch for each form, one behind the other; `None` if they are more than can be addressed.
    pub(crate) fn of(forms: impl IntoIterator<Item = (Form, usize)>) -> Option<Self> {
        let mut end = 0_usize;
        let stretches = forms.into_iter().map(|(form, len)| {
            let first = end;
            end = len.checked_next_multiple_of(LINE).and_then(|bytes| first.checked_add(bytes))?;
            let bytes = first..first + len.next_multiple_of(CUT_BYTES);
            Some(Stretch { bytes, len, width: form.width(), form })
        });
        let stretches = stretches.collect::<Option<_>>()?;
        Some(Self { stretches, bytes: end })
    }
}

/// The error of a view in a width that the bytes do not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrongWidth {
    /// The width that was asked for.
    pub asked: Width,
    /// The number of the stretch.
    pub stretch: usize,
    /// The byte in each of its records.
    pub offset: usize,
}

impl fmt::Display for WrongWidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { asked, stretch, offset } = self;
        write!(f, "no word of {asked} begins at byte {offset} of the records of stretch {stretch}")
    }
}

impl std::error::Error for WrongWidth {}

// SAFETY: bytes are only reached as atomics, which any thread may use, and the backing is freed by its owner alone.
unsafe impl Send for Mapping {}
// SAFETY: as for `Send`: a shared mapping gives nothing but shared atomics.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps a stretch for each form, of as many bytes as stand beside it. Stretches begin at multiples of 64 bytes.
    ///
    /// # Panics
    /// If the system has no room for them.
    pub fn new(forms: impl IntoIterator<Item = (Form, usize)>, pages: Pages) -> Self {
        let division = Division::of(forms).expect(ADDRESSABLE);
        Self::at(Backing::new(division.bytes, pages), division)
    }

    /// Makes the mapping of a division of memory, which must have as many bytes.
    pub(crate) fn at(backing: Backing, division: Division) -> Self {
        Self { backing, stretches: division.stretches }
    }

    /// The place in its [file](crate::SharedFile) at which the mapping begins; `None` if its memory belongs to this process
    /// alone.
    pub fn place_in_file(&self) -> Option<u64> {
        self.backing.place_in_file()
    }

    /// Fills `to` with the bytes from byte `at` on, 8 in each word, in the order of memory. Words of memory are loaded one by
    /// one, each whole, as [`bulk::load`] does.
    ///
    /// # Panics
    /// If `at` is no multiple of 8, or the bytes do not lie in one stretch.
    pub fn load(&self, at: usize, to: &mut [u64]) {
        let piece = self.piece(at, to.len());
        match piece.stretch.width {
            Some(Width::One) => bulk::load(piece.elements::<AtomicU8>(), bytemuck::cast_slice_mut(to)),
            Some(Width::Two) => bulk::load(piece.elements::<AtomicU16>(), bytemuck::cast_slice_mut(to)),
            Some(Width::Four) => bulk::load(piece.elements::<AtomicU32>(), bytemuck::cast_slice_mut(to)),
            Some(Width::Eight) => bulk::load(piece.elements::<AtomicU64>(), to),
            None => to.iter_mut().enumerate().for_each(|(number, to)| {
                let bytes: &mut [u8; CUT_BYTES] = bytemuck::cast_mut(to);
                for (first, width) in piece.words_of(number) {
                    match width {
                        Width::One => piece.load_word::<AtomicU8>((number, first), bytes),
                        Width::Two => piece.load_word::<AtomicU16>((number, first), bytes),
                        Width::Four => piece.load_word::<AtomicU32>((number, first), bytes),
                        Width::Eight => piece.load_word::<AtomicU64>((number, first), bytes),
                    }
                }
            }),
        }
    }

    /// Stores the bytes of `from` from byte `at` on, 8 of each word, in the order of memory. Words of memory are stored one by
    /// one, each whole, as [`bulk::store`] does.
    ///
    /// # Panics
    /// If `at` is no multiple of 8, or the bytes do not lie in one stretch.
    pub fn store(&self, at: usize, from: &[u64]) {
        let piece = self.piece(at, from.len());
        match piece.stretch.width {
            Some(Width::One) => bulk::store(piece.elements::<AtomicU8>(), bytemuck::cast_slice(from)),
            Some(Width::Two) => bulk::store(piece.elements::<AtomicU16>(), bytemuck::cast_slice(from)),
            Some(Width::Four) => bulk::store(piece.elements::<AtomicU32>(), bytemuck::cast_slice(from)),
            Some(Width::Eight) => bulk::store(piece.elements::<AtomicU64>(), from),
            None => from.iter().enumerate().for_each(|(number, from)| {
                let bytes = bytemuck::cast_ref(from);
                for (first, width) in piece.words_of(number) {
                    match width {
                        Width::One => piece.store_word::<AtomicU8>((number, first), bytes),
                        Width::Two => piece.store_word::<AtomicU16>((number, first), bytes),
                        Width::Four => piece.store_word::<AtomicU32>((number, first), bytes),
                        Width::Eight => piece.store_word::<AtomicU64>((number, first), bytes),
                    }
                }
            }),
        }
    }

    /// Gives the memory of `words` words of 8 bytes, from byte `at` on, back to the system. All these words are 0 then,
    /// and take memory again at the next store. No thread may load or store there meanwhile: a store of another
    /// processor may be lost, and its loads may find the old words for a while after it has found zeros. The caller
    /// guarantees this. The words of a [file](crate::SharedFile) are 0 in every process, and no thread of any process may
    /// access them meanwhile.
    ///
    /// Memory goes back in pages of the system. Where the bytes are not whole pages, or belong to a small mapping, or on a system
    /// other than Linux, the words become 0 and their memory stays.
    ///
    /// # Panics
    /// If `at` is no multiple of 8, or the bytes do not lie in one stretch.
    pub fn give_back(&self, at: usize, words: usize) {
        const ZEROS: [u64; 512] = [0; 512];
        let piece = self.piece(at, words);
        if self.backing.give_back(&(at..at + piece.words * CUT_BYTES)) {
            return;
        }
        for first in (0..words).step_by(ZEROS.len()) {
            self.store(at + first * CUT_BYTES, &ZEROS[..ZEROS.len().min(words - first)]);
        }
    }

    /// The first word of a width at byte `offset` of the records of a stretch, the logarithm of the bytes from one to the
    /// next, and their number.
    pub(crate) fn view<A: AtomicWord>(
        &self,
        stretch: usize,
        offset: usize,
    ) -> Result<(NonNull<A>, u32, usize), WrongWidth> {
        let asked = Width::of::<A>();
        let found = self.stretches.get(stretch).filter(|stretch| stretch.form.has(offset, asked));
        let found = found.ok_or(WrongWidth { asked, stretch, offset })?;
        let records = found.len / found.form.bytes();
        // SAFETY: the stretch lies in the backing, and the field in its first record, or at its end if it has none.
        let first = unsafe {
            self.backing.first().byte_add(found.bytes.start + if records > 0 { offset } else { 0 })
        };
        Ok((first.cast(), found.form.bytes().trailing_zeros(), records))
    }

    /// The first word of a stretch whose words all have this width, and their number.
    pub(crate) fn view_elements<A: AtomicWord>(
        &self,
        stretch: usize,
    ) -> Result<(NonNull<A>, usize), WrongWidth> {
        let (first, ..) = self.view::<A>(stretch, 0)?;
        let asked = Width::of::<A>();
        let found = &self.stretches[stretch];
        if found.width != Some(asked) {
            return Err(WrongWidth { asked, stretch, offset: 0 });
        }
        Ok((first, found.len / asked.bytes()))
    }

    fn piece(&self, at: usize, words: usize) -> Piece<'_> {
        let number = self.stretches.partition_point(|stretch| stretch.bytes.end <= at);
        let end = words.checked_mul(CUT_BYTES).and_then(|bytes| at.checked_add(bytes));
        let within =
            |stretch: &&Stretch| stretch.bytes.start <= at && end.is_some_and(|end| end <= stretch.bytes.end);
        match self.stretches.get(number).filter(within) {
            Some(stretch) if at.is_multiple_of(CUT_BYTES) => {
                // SAFETY: the bytes from `at` on lie in the backing.
                let first = unsafe { self.backing.first().byte_add(at) };
                Piece {
                    first,
                    words,
                    number: (at - stretch.bytes.start) / CUT_BYTES,
                    stretch,
                    of: PhantomData,
                }
            }
            _ => panic!("{words} words of 8 bytes at byte {at} of a mapping lie in no stretch of it"),
        }
    }
}

/// Bytes of one stretch that are loaded or stored together.
struct Piece<'a> {
    first: NonNull<u8>,
    /// Number of 8-byte words.
    words: usize,
    stretch: &'a Stretch,
    /// The number of the first 8 bytes in the stretch.
    number: usize,
    of: PhantomData<&'a Mapping>,
}

impl<'a> Piece<'a> {
    /// The words of a stretch whose words all have this width.
    fn elements<A: AtomicWord>(&self) -> &'a [A] {
        assert_eq!(self.stretch.width, Some(Width::of::<A>()), "the width of the words");
        let len = self.words * CUT_BYTES / size_of::<A>();
        // SAFETY: `len` words of this width stand there, as the stretch has no other width, and the mapping is
        // borrowed.
        unsafe { slice::from_raw_parts(self.first.cast().as_ptr(), len) }
    }

    /// The words of the 8 bytes with this number.
    fn words_of(&self, number: usize) -> impl Iterator<Item = (usize, Width)> + use<> {
        words_of(self.stretch.form.cut(self.number + number))
    }

    /// The word that begins at byte `first` of the 8 bytes with this number.
    fn word<A: AtomicWord>(&self, (number, first): (usize, usize)) -> &'a A {
        let is = number < self.words && self.words_of(number).any(|word| word == (first, Width::of::<A>()));
        assert!(is, "a word of {} at byte {first}", Width::of::<A>());
        // SAFETY: a word of this width stands there, and the mapping is borrowed.
        unsafe { self.first.byte_add(number * CUT_BYTES + first).cast().as_ref() }
    }

    fn load_word<A: AtomicWord<Value: Pod>>(&self, at: (usize, usize), bytes: &mut [u8; CUT_BYTES]) {
        let value = self.word::<A>(at).load(Ordering::Relaxed);
        bytes[at.1..][..size_of::<A>()].copy_from_slice(bytemuck::bytes_of(&value));
    }

    fn store_word<A: AtomicWord<Value: Pod>>(&self, at: (usize, usize), bytes: &[u8; CUT_BYTES]) {
        let value = bytemuck::pod_read_unaligned(&bytes[at.1..][..size_of::<A>()]);
        self.word::<A>(at).store(value, Ordering::Relaxed);
    }
}

impl fmt::Debug for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stretches = self.stretches.iter().map(|stretch| &stretch.bytes);
        f.debug_struct("Mapping").field("stretches", &stretches.collect::<Vec<_>>()).finish_non_exhaustive()
    }
}
