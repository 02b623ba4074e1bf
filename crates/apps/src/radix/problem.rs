//! The inputs of radix.
//!
//! This module must never know how keys travel.

use tempest::entry::{FRAMES, HOMES, InputError, Inputs};
use tempest::memory::{Frames, Placement};

use crate::kit::sorts::Digit;

/// The inputs of radix.
#[derive(Clone, Copy, Debug, Inputs)]
#[inputs(check)]
pub(super) struct Options {
    /// keys of 4 bytes; the study of the dispatch queue has 4194304
    #[input(default = 16384, range = 1..=1 << 26)]
    pub(super) keys: u32,
    /// values of a digit, a power of two; a pass sorts by one digit
    #[input(default = 1024, range = 2..=1 << 16)]
    pub(super) radix: u32,
    /// bits of a key
    #[input(default = 19, range = 1..=31)]
    pub(super) bits: u32,
    #[input(like = FRAMES)]
    pub(super) frames: Frames,
    #[input(like = HOMES)]
    pub(super) homes: Placement,
}

impl Options {
    fn check(&self) -> Result<(), InputError> {
        let Self { radix, .. } = *self;
        if radix.is_power_of_two() {
            return Ok(());
        }
        let above = radix.next_power_of_two();
        let expected =
            format!("expected a power of two, as a digit is some bits of a key: {} or {above}", above / 2);
        Err(format!("input `radix={radix}`: {expected}").into())
    }

    /// The digits of a key, the lowest first.
    pub(super) fn digits(&self) -> impl Iterator<Item = Digit> {
        Digit::all(self.bits, self.radix.trailing_zeros())
    }
}
