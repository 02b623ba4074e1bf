//! A contention hint: it names the processor of a node that uses the state that the node's processors share. It concerns nodes whose
//! processors all compute and run handlers.
//!
//! A lock, a ring, or the entry of a key is in the cache of the processor that used it last, and fetching a line of it takes longer than
//! most operations on it. Processors that take turns do little else. So one processor *holds the hint* and performs one operation after
//! the other in its own cache: it holds keys for its threads, and sends messages to its own node and serves them. Another processor waits
//! for a moment before such an operation, and longer as long as the holder goes on. The messages that a node sends to itself are served
//! by the holder of the hint: mostly by their sender, at its next opportunity to serve.
//!
//! The hint is *free* when its holder has said that it is idle, or has made no such operation for a moment. Idle processors then serve
//! the messages of a thread that goes on computing.
//!
//! # A wrong hint is harmless
//!
//! All of this is advice, read and written relaxed. Mutual exclusion is by locks and keys, not by the hint. No processor waits for the
//! hint for longer than [`FIRST_PAUSES`] and [`LATER_PAUSES`]; no server leaves its node's own messages alone for more than
//! [`LOOKS_REFUSED`] looks; and a processor that is about to sleep, or was woken, serves all events (`idle`).
//!
//! This module must never know messages, or the operations on the shared state.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use crate::padding::PaddedCounter;
use crate::parts::tuning::{FIRST_PAUSES, LATER_PAUSES, LOOKS_PER_TEST, LOOKS_REFUSED, PAUSES_PER_OPERATION};

/// The contention hint of a node.
#[derive(Default)]
pub(crate) struct ContentionHint {
    /// The last holder, and the number of operations up to its last one.
    last: PaddedCounter,
    /// The value of `last` when its processor became idle.
    left: PaddedCounter,
    /// 1 while a processor waits for the hint.
    wanted: PaddedCounter,
}

/// A processor's view of the hint of its node.
pub(crate) struct HintView {
    /// The processor's number plus one, in the bits above [`COUNT`].
    name: u64,
    /// Length of its next first wait, in pauses.
    pauses: Cell<u32>,
    /// Whether the hint was free, or its own, at the last look.
    is_free: Cell<bool>,
    /// Looks since then.
    looks: Cell<u32>,
    /// Consecutive looks that found the hint held by another processor.
    refusals: Cell<u32>,
    /// Values of the hint's `last` and `left` at the last look.
    last: Cell<u64>,
    left: Cell<u64>,
}

/// Bits of the hint's word that count operations.
const COUNT: u64 = u32::MAX as u64;

impl HintView {
    /// The view of the processor with this number on its node.
    pub(crate) fn new(number: usize) -> Self {
        Self {
            name: (number as u64 + 1) << 32,
            pauses: Cell::new(FIRST_PAUSES),
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

impl ContentionHint {
    /// Takes the hint for an operation, after its holder has gone on for long enough.
    #[inline]
    pub(crate) fn take(&self, view: &HintView) {
        let last = self.last.0.load(Ordering::Relaxed);
        if !view.is(last) {
            self.let_others_go_on(view, last);
        }
        self.go_on(view);
    }

    /// Counts an operation, whichever processor holds the hint, and makes the caller the holder.
    #[inline]
    pub(crate) fn go_on(&self, view: &HintView) {
        let done = self.last.0.load(Ordering::Relaxed).wrapping_add(1) & COUNT;
        self.last.0.store(view.name | done, Ordering::Relaxed);
    }

    #[cold]
    fn let_others_go_on(&self, view: &HintView, last: u64) {
        let left = self.left.0.load(Ordering::Relaxed);
        if last == left {
            return;
        }
        self.wanted.0.store(1, Ordering::Relaxed);
        let first = view.pauses.get();
        if self.goes_on(last, left, first) {
            view.pauses.set(FIRST_PAUSES);
            let mut moments = LATER_PAUSES.into_iter();
            while moments
                .next()
                .is_some_and(|pauses| self.goes_on(self.last.0.load(Ordering::Relaxed), left, pauses))
            {
            }
        } else {
            view.pauses.set((first / 2).max(1));
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

    /// Whether the hint is free for an idle processor, or was at its last look. While others hold the hint it looks only once in
    /// [`LOOKS_PER_TEST`] calls, so as not to disturb them.
    #[inline]
    pub(crate) fn may_be_free_for(&self, view: &HintView) -> bool {
        if view.is_free.get() {
            return true;
        }
        let looks = view.looks.get() + 1;
        view.looks.set(looks);
        (looks >= LOOKS_PER_TEST || view.left.get() != self.left.0.load(Ordering::Relaxed))
            && self.is_free_for(view)
    }

    /// Whether the hint is free for a processor now. While a processor waits for it, it is free for no other, except a processor that
    /// has been refused [`LOOKS_REFUSED`] times in a row.
    pub(crate) fn is_free_for(&self, view: &HintView) -> bool {
        let (last, left) = (self.last.0.load(Ordering::Relaxed), self.left.0.load(Ordering::Relaxed));
        let is_silent = is_silent(view.last.replace(last), last, view.looks.replace(0));
        view.left.set(left);
        let is_wanted = self.wanted.0.load(Ordering::Relaxed) != 0;
        let is_its_turn = !is_wanted && (view.is(last) || last == left || is_silent);
        let refusals = if is_its_turn { 0 } else { (view.refusals.get() + 1).min(LOOKS_REFUSED) };
        view.refusals.set(refusals);
        let is_free = is_its_turn || refusals == LOOKS_REFUSED;
        view.is_free.set(is_free);
        is_free
    }

    /// Marks the holder as idle, if that is `view`.
    pub(crate) fn leave(&self, view: &HintView) {
        let last = self.last.0.load(Ordering::Relaxed);
        if view.is(last) && self.left.0.load(Ordering::Relaxed) != last {
            self.left.0.store(last, Ordering::Relaxed);
        }
    }
}

/// Whether too few operations were made between two looks, `pauses` pauses apart, for the holder to be active.
fn is_silent(before: u64, now: u64, pauses: u32) -> bool {
    let done = (now as u32).wrapping_sub(before as u32);
    done < (pauses / PAUSES_PER_OPERATION).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hint with two processors; the first has made an operation.
    fn two() -> (ContentionHint, HintView, HintView) {
        let (hint, first, second) = (ContentionHint::default(), HintView::new(0), HintView::new(1));
        hint.take(&first);
        (hint, first, second)
    }

    #[test]
    fn it_is_whose_goes_on_until_that_one_idles() {
        let (hint, first, second) = two();
        assert!(hint.is_free_for(&first) && !hint.is_free_for(&second));
        hint.leave(&second);
        assert!(!hint.may_be_free_for(&second), "it was not its own to leave");
        hint.leave(&first);
        assert!(hint.may_be_free_for(&second), "seen at the next look");
        hint.take(&second);
        assert!(hint.is_free_for(&second) && !hint.is_free_for(&first));
    }

    #[test]
    fn who_is_silent_for_a_number_of_looks_has_it_no_more() {
        let (hint, first, second) = two();
        let free = || {
            assert!(!hint.is_free_for(&second));
            (1..LOOKS_PER_TEST).for_each(|_| assert!(!hint.may_be_free_for(&second)));
            hint.may_be_free_for(&second)
        };
        assert!(free());
        hint.go_on(&first);
        assert!(free(), "what was before the first look does not count");
    }

    #[test]
    fn who_goes_on_has_it_still() {
        let (hint, first, second) = two();
        assert!(!hint.is_free_for(&second));
        (0..LOOKS_PER_TEST / PAUSES_PER_OPERATION).for_each(|_| hint.go_on(&first));
        (1..=LOOKS_PER_TEST).for_each(|_| assert!(!hint.may_be_free_for(&second)));
    }

    #[test]
    fn nobody_is_refused_for_ever() {
        let (hint, first, second) = two();
        let looks = || {
            (0..LOOKS_PER_TEST).for_each(|_| hint.go_on(&first));
            hint.is_free_for(&second)
        };
        assert!((1..LOOKS_REFUSED).all(|_| !looks()));
        assert!(looks() && looks(), "and not before it has been its turn");
        hint.leave(&first);
        assert!(hint.is_free_for(&second));
        assert!(!looks(), "all others have gone on since");
    }

    #[test]
    fn whom_somebody_waits_for_lets_that_one() {
        let (hint, first, _) = two();
        hint.wanted.0.store(1, Ordering::Relaxed);
        assert!(!hint.is_free_for(&first));
    }

    #[test]
    fn one_waits_half_as_long_where_it_was_in_vain() {
        let (hint, first, second) = two();
        hint.take(&second);
        assert_eq!(second.pauses.get(), FIRST_PAUSES / 2);
        hint.take(&first);
        hint.leave(&first);
        hint.take(&second);
        assert_eq!(
            (second.pauses.get(), first.pauses.get()),
            (FIRST_PAUSES / 2, FIRST_PAUSES / 2),
            "who has left is not waited for"
        );
    }
}
