//! The measurements of each message, on the node that handles the messages.
//!
//! This module must never know which findings follow from them.

use tempest::{Cells, FinalState, Handler};

use super::item::{Item, Kind, Tag};

/// The words of a message.
const EACH: usize = 6;
const TAG: usize = 0;
const MADE: usize = 1;
const BEGAN: usize = 2;
const ENTERED: usize = 3;
const ENDED: usize = 4;
const BUSY: usize = 5;

/// The bit of a tag that says that a thread has done the work.
const POSTPONED: u64 = 1 << 63;

/// The measurements of one message, in femtoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Handled {
    pub(super) kind: Kind,
    pub(super) key: u64,
    /// Time at which the message was made.
    pub(super) made: u64,
    /// Time at which the handler began.
    pub(super) began: u64,
    /// Time at which the computing began: no message of its key was in its way any more.
    pub(super) entered: u64,
    /// Time at which the computing ended.
    pub(super) ended: u64,
    /// The time for which the message kept processors busy.
    pub(super) busy: u64,
    /// Whether a thread has done the work.
    pub(super) postponed: bool,
}

/// The measurements of all messages. Each message has words of its own, so that handlers need no exclusion.
#[derive(Debug)]
pub(super) struct Records(Cells<u64>);

impl Records {
    pub(super) fn new(messages: u32) -> Self {
        Self(Cells::new(messages as usize * EACH, 0))
    }

    /// The handler of a message has begun.
    pub(super) fn begin(&self, cx: &Handler<'_>, item: &Item, now: u64) {
        self.set(cx, item, TAG, item.tag.0);
        self.set(cx, item, MADE, item.made);
        self.set(cx, item, BEGAN, now);
    }

    /// The handler has left the message to a thread.
    pub(super) fn postpone(&self, cx: &Handler<'_>, item: &Item, now: u64) {
        self.set(cx, item, TAG, item.tag.0 | POSTPONED);
        self.add_busy(cx, item, now - self.get(cx, item, BEGAN));
    }

    /// The computing has begun.
    pub(super) fn enter(&self, cx: &Handler<'_>, item: &Item, now: u64) {
        self.set(cx, item, ENTERED, now);
    }

    /// The computing has ended.
    pub(super) fn end(&self, cx: &Handler<'_>, item: &Item, now: u64) {
        self.set(cx, item, ENDED, now);
    }

    /// A processor that was busy with the message since `since` is no longer.
    pub(super) fn leave(&self, cx: &Handler<'_>, item: &Item, since: u64, now: u64) {
        self.add_busy(cx, item, now - since);
    }

    /// The measurements of every message, by number.
    pub(super) fn all(&self, end: &FinalState<'_>) -> Vec<Handled> {
        (0..self.0.len() / EACH).map(|number| self.handled(end, number)).collect()
    }

    fn handled(&self, end: &FinalState<'_>, number: usize) -> Handled {
        let word = |word| self.0.get(end, number * EACH + word);
        let tag = Tag(word(TAG) & !POSTPONED);
        Handled {
            kind: tag.kind(),
            key: tag.number(),
            made: word(MADE),
            began: word(BEGAN),
            entered: word(ENTERED),
            ended: word(ENDED),
            busy: word(BUSY),
            postponed: word(TAG) & POSTPONED != 0,
        }
    }

    fn add_busy(&self, cx: &Handler<'_>, item: &Item, time: u64) {
        self.0.add(cx, item.number as usize * EACH + BUSY, time);
    }

    fn get(&self, cx: &Handler<'_>, item: &Item, word: usize) -> u64 {
        self.0.get(cx, item.number as usize * EACH + word)
    }

    fn set(&self, cx: &Handler<'_>, item: &Item, word: usize, value: u64) {
        self.0.set(cx, item.number as usize * EACH + word, value);
    }
}
