//! The program of every scenario: its threads and its handlers run the closures of a [`Script`].
//!
//! This module must never know the way a scenario is run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tempest::{
    Event, FinalState, Handler, Key, Keyed, Merge, Protocol, Report, Segment, Setup, Thread, handlers,
};

/// Keys that have an entry in the stage's table. A message states one of them, [`NOSYNC`], [`SEQUENTIAL`], or any other number.
pub(crate) const KEYS: u64 = 16;

/// The number that states [`Key::NoSync`].
pub(crate) const NOSYNC: u64 = u64::MAX;

/// The number that states [`Key::Sequential`].
pub(crate) const SEQUENTIAL: u64 = u64::MAX - 1;

/// The places of a stage's segment.
const PLACES: usize = 4;

/// The body of every thread of a scenario.
pub(crate) type Main = Box<dyn Fn(&Stage, &Thread<'_>) + Send + Sync>;

/// The handler of every message of a scenario, with the message's payload.
pub(crate) type Handle = Box<dyn Fn(&Stage, Note, &[u64], &mut Handler<'_>) + Send + Sync>;

/// The closures of a scenario.
pub(crate) struct Script {
    pub(crate) main: Main,
    pub(crate) handle: Handle,
}

/// Counts of all nodes of a run in this process together.
#[derive(Default)]
pub(crate) struct Tally {
    /// Messages sent, if a scenario counts them. A successful run with another number of `handled` is wrong.
    pub(crate) sent: AtomicU64,
    /// Messages handled, if a scenario counts them.
    pub(crate) handled: AtomicU64,
    /// Broken promises. A successful run with any is wrong.
    pub(crate) wrong: AtomicU64,
}

/// The program on one node.
pub(crate) struct Stage {
    script: Arc<Script>,
    /// The counts of this process.
    pub(crate) tally: Arc<Tally>,
    /// An event of this node.
    pub(crate) event: Event,
    /// An entry for each key.
    pub(crate) table: Keyed<u64>,
    /// A segment that other nodes may write.
    pub(crate) segment: Segment<u64>,
    /// By key: whether an event of it is under way.
    busy: Vec<AtomicBool>,
}

impl Stage {
    /// Enters an event under the key that `key` states, and counts violations of its exclusion. The event ends with
    /// [`leave`](Self::leave).
    pub(crate) fn enter(&self, key: u64) {
        let overlaps = match key {
            SEQUENTIAL => self.busy.iter().any(|busy| busy.load(Ordering::Acquire)),
            _ => self.busy.get(key as usize).is_some_and(|busy| busy.swap(true, Ordering::Acquire)),
        };
        self.tally.wrong.fetch_add(overlaps.into(), Ordering::Relaxed);
    }

    /// Ends an event that [`enter`](Self::enter) began.
    pub(crate) fn leave(&self, key: u64) {
        if let Some(busy) = self.busy.get(key as usize) {
            busy.store(false, Ordering::Release);
        }
    }
}

impl Protocol for Stage {
    type Config = (Arc<Script>, Arc<Tally>);

    fn install((script, tally): &Self::Config, setup: &mut Setup<'_>) -> Self {
        Self {
            script: Arc::clone(script),
            tally: Arc::clone(tally),
            event: Event::new("hostile.event"),
            table: setup.keyed(KEYS as usize, |_| 0),
            segment: setup.segment("hostile.segment", PLACES, 0),
            busy: (0..KEYS).map(|_| AtomicBool::new(false)).collect(),
        }
    }
}

fn key_of(number: u64) -> Key {
    match number {
        NOSYNC => Key::NoSync,
        SEQUENTIAL => Key::Sequential,
        number => Key::User(number),
    }
}

#[handlers]
impl Stage {
    /// A message of four words, under the key that `key` states. The scenario defines the meaning of the others.
    #[message(key = key_of(key))]
    pub(crate) fn note(&self, key: u64, kind: u64, a: u64, b: u64, payload: &[u64], cx: &mut Handler<'_>) {
        (self.script.handle)(self, Note { key, kind, a, b }, payload, cx);
    }

    /// A message without a word.
    #[message]
    pub(crate) fn empty(&self, cx: &mut Handler<'_>) {
        (self.script.handle)(self, Self::note(NOSYNC, 0, 0, 0), &[], cx);
    }

    /// A message as long as one may be, of consecutive numbers.
    #[message(key = key_of(key))]
    pub(crate) fn long(&self, key: u64, words: [u64; 13], cx: &mut Handler<'_>) {
        let consecutive = words.windows(2).all(|two| two[1] == two[0].wrapping_add(1));
        self.tally.wrong.fetch_add((!consecutive).into(), Ordering::Relaxed);
        (self.script.handle)(self, Self::note(key, 0, 0, 0), &[], cx);
    }

    fn main(&self, thread: &Thread<'_>) {
        (self.script.main)(self, thread);
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        let [sent, handled, wrong] = [&self.tally.sent, &self.tally.handled, &self.tally.wrong]
            .map(|count| count.load(Ordering::Relaxed));
        Report::checked(wrong == 0, || format!("{wrong} promises were broken"))
            .figure(SENT, sent as f64, Merge::Sum)
            .figure(HANDLED, handled as f64, Merge::Sum)
    }
}

/// Figures of a report: the counts of its process, so equal factors of the counts of the run.
const SENT: &str = "sent";
const HANDLED: &str = "handled";

/// Whether as many messages were handled as sent in a run with this report.
pub(crate) fn is_balanced(report: &Report) -> bool {
    let count = |name| report.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value);
    count(SENT) == count(HANDLED)
}
