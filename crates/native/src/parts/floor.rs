//! The floor: a contention hint that tells which processor of a node uses the state that its processors share. It concerns nodes whose
//! processors all compute and run handlers.
//!
//! A lock, a ring, or the entry of a key is in the cache of the processor that used it last, and fetching a line of it takes longer than
//! most operations on it. Processors that take turns do little else. So one processor *has the floor* and performs one operation after
//! the other in its own cache: it holds keys for its threads, and sends messages to its own node and serves them. Another processor waits
//! for a moment before such an operation, and longer as long as the holder goes on. The messages that a node sends to itself are served
//! by the holder of the floor: mostly by their sender, at its next opportunity to serve.
//!
//! The floor is *free* when its holder has said that it is idle, or has done nothing on the floor for a moment. Idle processors
//! then serve the messages of a thread that goes on computing.
//!
//! # A wrong hint is harmless
//!
//! All of this is advice, read and written relaxed. Mutual exclusion is by locks and keys, not by the floor. No processor waits for the
//! floor for longer than [`FIRST`] and [`LATER`]; no server leaves its node's own messages alone for more than [`REFUSALS`] looks; and a
//! processor that is about to sleep, or was woken, serves all events (`idle`).
//!
//! This module must never know messages, or the operations on the floor.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use crate::apart::Apart;

/// Maximum length of the first wait for the holder, in spin-loop pauses: a microsecond or two, enough to see whether the holder goes on.
/// After a wait during which it did not, the next first wait is half as long.
const FIRST: u32 = 32;

/// Lengths of the later waits, in spin-loop pauses, some twenty microseconds in all: time for some hundreds of operations, so that moving
/// the cache lines to another processor hardly counts.
const LATER: [u32; 4] = [64, 128, 128, 128];

/// Looks of an idle processor, with a pause each, between two tests whether the holder is silent.
const LOOKS: u32 = 64;

/// Consecutive looks that find the floor taken before a processor ignores it: some holders go on without ever reaching an opportunity to
/// serve.
const REFUSALS: u32 = 8;

/// Pauses per operation, about a microsecond, below which a holder counts as active. A slower holder counts as computing.
const APART: u32 = 16;

/// The floor of a node.
#[derive(Default)]
pub(crate) struct Floor {
    /// The last holder, and the number of operations up to its last one.
    last: Apart,
    /// The value of `last` when its processor became idle.
    left: Apart,
    /// 1 while a processor waits for the floor.
    wanted: Apart,
}

/// A processor's view of the floor of its node.
pub(crate) struct Speaker {
    /// The processor's number plus one, in the bits above [`COUNT`].
    name: u64,
    /// Length of its next first wait, in pauses.
    pauses: Cell<u32>,
    /// Whether the floor was free, or its own, at the last look.
    is_free: Cell<bool>,
    /// Looks since then.
    looks: Cell<u32>,
    /// Consecutive looks that found the floor taken.
    refusals: Cell<u32>,
    /// Values of the floor's `last` and `left` at the last look.
    last: Cell<u64>,
    left: Cell<u64>,
}

/// Bits of the floor's word that count operations.
const COUNT: u64 = u32::MAX as u64;

impl Speaker {
    /// The view of the processor with this number on its node.
    pub(crate) fn new(number: usize) -> Self {
        Self {
            name: (number as u64 + 1) << 32,
            pauses: Cell::new(FIRST),
            is_free: Cell::new(true),
            looks: Cell::new(0),
            refusals: Cell::new(0),
            last: Cell::new(0),
            left: Cell::new(0),
        }
    }

    #[inline]
    fn is(&self, last: u64) -> bool {
        last & !COUNT == self.name
    }
}

impl Floor {
    /// Takes the floor for an operation, after its holder has gone on for long enough.
    #[inline]
    pub(crate) fn take(&self, speaker: &Speaker) {
        let last = self.last.0.load(Ordering::Relaxed);
        if !speaker.is(last) {
            self.let_others_go_on(speaker, last);
        }
        self.go_on(speaker);
    }

    /// Counts an operation on the floor, whichever processor holds it, and makes the caller the holder.
    #[inline]
    pub(crate) fn go_on(&self, speaker: &Speaker) {
        let done = self.last.0.load(Ordering::Relaxed).wrapping_add(1) & COUNT;
        self.last.0.store(speaker.name | done, Ordering::Relaxed);
    }

    #[cold]
    fn let_others_go_on(&self, speaker: &Speaker, last: u64) {
        let left = self.left.0.load(Ordering::Relaxed);
        if last == left {
            return;
        }
        self.wanted.0.store(1, Ordering::Relaxed);
        let first = speaker.pauses.get();
        if self.goes_on(last, left, first) {
            speaker.pauses.set(FIRST);
            let mut moments = LATER.into_iter();
            while moments
                .next()
                .is_some_and(|pauses| self.goes_on(self.last.0.load(Ordering::Relaxed), left, pauses))
            {
            }
        } else {
            speaker.pauses.set((first / 2).max(1));
        }
        self.wanted.0.store(0, Ordering::Relaxed);
    }

    /// Waits for `pauses` pauses. Returns whether the holder has gone on meanwhile, since the value `last`, and has not become idle.
    fn goes_on(&self, last: u64, left: u64, pauses: u32) -> bool {
        let leaves = (0..pauses).any(|_| {
            std::hint::spin_loop();
            self.left.0.load(Ordering::Relaxed) != left
        });
        !leaves && !is_silent(last, self.last.0.load(Ordering::Relaxed), pauses)
    }

    /// Whether the floor is free for an idle processor, or was at its last look. While others have the floor it looks only once in
    /// [`LOOKS`] calls, so as not to disturb them.
    #[inline]
    pub(crate) fn may_be_free_for(&self, speaker: &Speaker) -> bool {
        if speaker.is_free.get() {
            return true;
        }
        let looks = speaker.looks.get() + 1;
        speaker.looks.set(looks);
        (looks >= LOOKS || speaker.left.get() != self.left.0.load(Ordering::Relaxed))
            && self.is_free_for(speaker)
    }

    /// Whether the floor is free for a processor now. While a processor waits for it, it is free for no other, except a processor that
    /// has been refused [`REFUSALS`] times in a row.
    pub(crate) fn is_free_for(&self, speaker: &Speaker) -> bool {
        let (last, left) = (self.last.0.load(Ordering::Relaxed), self.left.0.load(Ordering::Relaxed));
        let is_silent = is_silent(speaker.last.replace(last), last, speaker.looks.replace(0));
        speaker.left.set(left);
        let is_wanted = self.wanted.0.load(Ordering::Relaxed) != 0;
        let is_its_turn = !is_wanted && (speaker.is(last) || last == left || is_silent);
        let refusals = if is_its_turn { 0 } else { (speaker.refusals.get() + 1).min(REFUSALS) };
        speaker.refusals.set(refusals);
        let is_free = is_its_turn || refusals == REFUSALS;
        speaker.is_free.set(is_free);
        is_free
    }

    /// Marks the holder as idle, if that is `speaker`.
    pub(crate) fn leave(&self, speaker: &Speaker) {
        let last = self.last.0.load(Ordering::Relaxed);
        if speaker.is(last) && self.left.0.load(Ordering::Relaxed) != last {
            self.left.0.store(last, Ordering::Relaxed);
        }
    }
}

/// Whether too few operations were made between two looks, `pauses` pauses apart, for the holder to be active.
fn is_silent(before: u64, now: u64, pauses: u32) -> bool {
    let done = (now as u32).wrapping_sub(before as u32);
    done < (pauses / APART).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A floor with two processors; the first has made an operation.
    fn two() -> (Floor, Speaker, Speaker) {
        let (floor, first, second) = (Floor::default(), Speaker::new(0), Speaker::new(1));
        floor.take(&first);
        (floor, first, second)
    }

    #[test]
    fn it_is_whose_goes_on_until_that_one_idles() {
        let (floor, first, second) = two();
        assert!(floor.is_free_for(&first) && !floor.is_free_for(&second));
        floor.leave(&second);
        assert!(!floor.may_be_free_for(&second), "it was not its own to leave");
        floor.leave(&first);
        assert!(floor.may_be_free_for(&second), "seen at the next look");
        floor.take(&second);
        assert!(floor.is_free_for(&second) && !floor.is_free_for(&first));
    }

    #[test]
    fn who_is_silent_for_a_number_of_looks_has_it_no_more() {
        let (floor, first, second) = two();
        let free = || {
            assert!(!floor.is_free_for(&second));
            (1..LOOKS).for_each(|_| assert!(!floor.may_be_free_for(&second)));
            floor.may_be_free_for(&second)
        };
        assert!(free());
        floor.go_on(&first);
        assert!(free(), "what was before the first look does not count");
    }

    #[test]
    fn who_goes_on_has_it_still() {
        let (floor, first, second) = two();
        assert!(!floor.is_free_for(&second));
        (0..LOOKS / APART).for_each(|_| floor.go_on(&first));
        (1..=LOOKS).for_each(|_| assert!(!floor.may_be_free_for(&second)));
    }

    #[test]
    fn nobody_is_refused_for_ever() {
        let (floor, first, second) = two();
        let looks = || {
            (0..LOOKS).for_each(|_| floor.go_on(&first));
            floor.is_free_for(&second)
        };
        assert!((1..REFUSALS).all(|_| !looks()));
        assert!(looks() && looks(), "and not before it has been its turn");
        floor.leave(&first);
        assert!(floor.is_free_for(&second));
        assert!(!looks(), "all others have gone on since");
    }

    #[test]
    fn whom_somebody_waits_for_lets_that_one() {
        let (floor, first, _) = two();
        floor.wanted.0.store(1, Ordering::Relaxed);
        assert!(!floor.is_free_for(&first));
    }

    #[test]
    fn one_waits_half_as_long_where_it_was_in_vain() {
        let (floor, first, second) = two();
        floor.take(&second);
        assert_eq!(second.pauses.get(), FIRST / 2);
        floor.take(&first);
        floor.leave(&first);
        floor.take(&second);
        assert_eq!(
            (second.pauses.get(), first.pauses.get()),
            (FIRST / 2, FIRST / 2),
            "who has left is not waited for"
        );
    }
}
