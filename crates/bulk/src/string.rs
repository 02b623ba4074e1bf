//! The loop over words as one x86-64 instruction, `rep movsb`, `movsw`, `movsd` or `movsq`: it moves a word of 1, 2, 4
//! or 8 bytes from `rsi` to `rdi`, steps both to the next, and repeats this `rcx` times. Processors run it at the speed
//! of whole cache lines.
//!
//! # Why this is a loop of relaxed loads and stores
//!
//! - *No word tears.* Each iteration is defined as a move of one word, and loads and stores of words on their natural
//!   boundary are atomic (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3A, “Guaranteed Atomic
//!   Operations”; AMD64 Architecture Programmer's Manual, volume 2, “Access Atomicity”). Slices of words have this
//!   alignment.
//! - *No order within.* The stores of one string instruction may be seen in any order, but not after a store that follows it
//!   (Intel's volume 3A, “Fast-String Operation and Out-of-Order Stores”): so a release after it covers it, as it covers
//!   relaxed stores.
//! - *No compiler moves accesses across it*, since it is not said to leave memory alone.
//!
//! The block has an effect that Rust code could have, as inline assembly must.
//!
//! This module must never know the meaning of the copied words.

#![allow(unsafe_code, reason = "the one place in this room")]

use std::arch::asm;

use crate::AtomicWord;

/// Minimum number of words: below, starting the instruction takes longer than the loop.
pub(crate) const LONG: usize = 128;

pub(crate) fn store<A: AtomicWord>(to: &[A], from: &[A::Value]) {
    let words = to.len().min(from.len());
    // SAFETY: both slices have `words` words, and atomics may be stored to through a shared reference.
    unsafe { move_words::<A>(to.as_ptr().cast::<A::Value>().cast_mut(), from.as_ptr(), words) }
}

pub(crate) fn load<A: AtomicWord>(from: &[A], to: &mut [A::Value]) {
    let words = to.len().min(from.len());
    // SAFETY: both slices have `words` words, and `to` is borrowed exclusively.
    unsafe { move_words::<A>(to.as_mut_ptr(), from.as_ptr().cast(), words) }
}

pub(crate) fn copy<A: AtomicWord>(from: &[A], to: &[A]) {
    let words = to.len().min(from.len());
    // SAFETY: both slices have `words` words, and atomics may be stored to through a shared reference.
    unsafe { move_words::<A>(to.as_ptr().cast::<A::Value>().cast_mut(), from.as_ptr().cast(), words) }
}

/// The instruction with this name, between registers that it counts and steps.
macro_rules! repeat {
    ($instruction:literal, $to:ident, $from:ident, $words:ident) => {
        asm!(
            $instruction,
            inout("rcx") $words => _,
            inout("rsi") $from => _,
            inout("rdi") $to => _,
            options(nostack, preserves_flags)
        )
    };
}

/// Moves words one after the other.
///
/// # Safety
/// `from` is valid for loads and `to` for stores of `words` words, both on the boundary of a word; other threads may
/// meanwhile access them only as atomics of this size.
unsafe fn move_words<A: AtomicWord>(to: *mut A::Value, from: *const A::Value, words: usize) {
    // SAFETY: the instruction loads from and stores to the words that the caller vouches for, each of the size that an
    // `AtomicWord` has, upwards, because the direction flag is clear wherever an asm block begins; it changes the three
    // registers, and neither flags nor stack. Why racing with other threads' atomics is sound, see above.
    unsafe {
        match size_of::<A>() {
            1 => repeat!("rep movsb", to, from, words),
            2 => repeat!("rep movsw", to, from, words),
            4 => repeat!("rep movsd", to, from, words),
            _ => repeat!("rep movsq", to, from, words),
        }
    }
}
