//! Who has the floor on a node whose processors all compute and run handlers: who holds keys there, and sends to the own node and
//! serves that.
//!
//! What such a node's processors share, a lock, a ring, the entry of a key, is in the cache of the one that used it
//! last, and to fetch a line of it takes longer than most of what is done with it. Processors that do these things in
//! turn do little else. So one of them *has the floor*, and does one thing after the other in its own cache. Another
//! one waits for a moment before it does anything of the kind, and for longer ones as long as the first goes on. What a
//! node has sent to itself is served by who has the floor: mostly its sender, when it comes to a point where it serves.
//!
//! The floor is *free* when its holder has said that it is idle, or has done nothing on the floor for a moment. Idle processors
//! then serve the messages of a thread that goes on computing.
//!
//! # Why it may be wrong
//!
//! All this is advice, read and written relaxed. Locks and keys exclude, not the floor. Nobody waits for it for
//! longer than [`FIRST`] and [`LATER`]; nobody who serves leaves what the node has sent to itself for more than
//! [`REFUSALS`] looks; and who is about to sleep, or was woken, takes all there is (`idle`).
//!
//! This module must never know messages, or what is done on the floor.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use crate::apart::Apart;

/// Pauses of the core in the first moment for which one lets another go on, at most: a microsecond or two, so that it shows
/// whether the other does. Where that was in vain the next first moment is half as long.
const FIRST: u32 = 32;

/// Pauses of those after it, some twenty microseconds in all: time for some hundreds of things, so that the way of the
/// lines from one to another hardly counts.
const LATER: [u32; 4] = [64, 128, 128, 128];

/// Looks of one that idles, with a pause of the core each, until it looks again whether who has the floor is silent.
const LOOKS: u32 = 64;

/// Looks at the floor in a row that find others on it, until one takes no more notice of them: some of those who go on never come
/// to a point where they serve.
const REFUSALS: u32 = 8;

/// Who does something once in so many pauses, about a microsecond, goes on; who does less computes.
const APART: u32 = 16;

/// The floor of a node.
#[derive(Default)]
pub(crate) struct Floor {
    /// Who had it last, and how much that one had done.
    last: Apart,
    /// The value of `last` when its processor became idle.
    left: Apart,
    /// 1 while somebody waits for it.
    wanted: Apart,
}

/// What a processor knows of the floor of its node.
pub(crate) struct Speaker {
    /// Its number and one, above [`COUNT`].
    name: u64,
    /// Pauses of its next first moment.
    pauses: Cell<u32>,
    /// Whether the floor was free, or its own, when it last looked.
    is_free: Cell<bool>,
    /// Looks since.
    looks: Cell<u32>,
    /// Looks at the floor in a row that found others on it.
    refusals: Cell<u32>,
    /// What it saw then.
    last: Cell<u64>,
    left: Cell<u64>,
}

/// The part of what stands on the floor that counts what was done.
const COUNT: u64 = u32::MAX as u64;

impl Speaker {
    /// The processor of that number on its node.
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
    /// Takes the floor to do something, once others who have it have gone on for long enough.
    #[inline]
    pub(crate) fn take(&self, speaker: &Speaker) {
        let last = self.last.0.load(Ordering::Relaxed);
        if !speaker.is(last) {
            self.let_others_go_on(speaker, last);
        }
        self.go_on(speaker);
    }

    /// Something has been done on the floor, whoever had it.
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

    /// Lets a moment pass; whether somebody has gone on meanwhile, since there stood `last`, and has not become idle.
    fn goes_on(&self, last: u64, left: u64, pauses: u32) -> bool {
        let leaves = (0..pauses).any(|_| {
            std::hint::spin_loop();
            self.left.0.load(Ordering::Relaxed) != left
        });
        !leaves && !is_silent(last, self.last.0.load(Ordering::Relaxed), pauses)
    }

    /// Whether the floor is free for one who idles, or was when it last looked. It looks at most once in [`LOOKS`]
    /// calls while others have it, so as not to disturb them.
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

    /// Whether the floor is free for one, now. While somebody waits for it, it is for nobody else, but for who has been refused
    /// [`REFUSALS`] times in a row.
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

    /// Whoever has it idles, if that is `speaker`.
    pub(crate) fn leave(&self, speaker: &Speaker) {
        let last = self.last.0.load(Ordering::Relaxed);
        if speaker.is(last) && self.left.0.load(Ordering::Relaxed) != last {
            self.left.0.store(last, Ordering::Relaxed);
        }
    }
}

/// Whether too little was done between two looks, so many pauses apart, for somebody to be on the floor.
fn is_silent(before: u64, now: u64, pauses: u32) -> bool {
    let done = (now as u32).wrapping_sub(before as u32);
    done < (pauses / APART).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two processors of a node; the first has done something.
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
