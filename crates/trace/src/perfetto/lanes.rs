//! Open slices of a track, so that every beginning gets its end, in an order that holds when times are equal.
//!
//! Perfetto sorts events by their nanosecond and keeps the order of the file among equals; the end of a slice
//! closes the innermost open slice. So the order of the file on a track is made its order in time: rounding down to
//! nanoseconds keeps the order of sorted events, and a late event is moved to the end of the written ones. This module
//! must never know which of our events opens or closes a slice, beyond the names given here.

use std::collections::VecDeque;

use super::names::THREAD_RUNS;
use super::output::Output;
use super::schema::{TracePacket, TrackEvent};

/// The time of a track: nanoseconds that never go back.
#[derive(Default)]
struct Clock {
    last: u64,
    moved: u64,
}

impl Clock {
    fn reach(&mut self, at: u64) -> u64 {
        self.moved += u64::from(at < self.last);
        self.last = self.last.max(at);
        self.last
    }
}

/// Maximum nesting depth of the slices of a track: Perfetto shows no more.
const DEPTH: usize = 512;

/// Maximum number of waits of a thread without a resumption, and of resumptions without a wait, before the first is
/// given up.
const PATIENCE: usize = 4096;

/// Kinds of slices on the track of a processor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Open {
    /// A handler.
    Handler,
    /// A thread of this number.
    Thread(u32),
}

/// The track of a processor.
pub(crate) struct Lane {
    pub(crate) track: u64,
    open: Vec<Open>,
    clock: Clock,
}

impl Lane {
    pub(crate) fn new(track: u64) -> Self {
        Self { track, open: Vec::new(), clock: Clock::default() }
    }

    /// Begins a slice within the open ones. `None` if [`DEPTH`] slices are open.
    pub(crate) fn begin(&mut self, out: &mut Output, at: u64, open: Open, event: TrackEvent) -> Option<()> {
        if self.open.len() == DEPTH {
            return None;
        }
        self.open.push(open);
        out.packet(&TracePacket::event(self.clock.reach(at), event));
        Some(())
    }

    /// Ends the innermost slice of a kind, and first the open slices within it. `None` if there is no such slice.
    pub(crate) fn end(&mut self, out: &mut Output, at: u64, open: Open) -> Option<()> {
        let outer = self.open.iter().rposition(|&slice| slice == open)?;
        self.end_down_to(out, at, outer);
        Some(())
    }

    /// Ends all open slices. Returns how many beginnings and ends of slices were moved to later in all.
    pub(crate) fn finish(&mut self, out: &mut Output, at: u64) -> u64 {
        self.end_down_to(out, at, 0);
        self.clock.moved
    }

    fn end_down_to(&mut self, out: &mut Output, at: u64, outer: usize) {
        for _ in self.open.drain(outer..) {
            out.packet(&TracePacket::event(self.clock.reach(at), TrackEvent::end(self.track)));
        }
    }
}

/// The track of a thread: its life, and within it its waits.
///
/// A thread starts, blocks and ends on its own processor, which records these events in order. But any processor may
/// resume it, and each hands its events in at its own time. So a resumption may be recorded before its wait, and a
/// later one before an earlier one; in time it lies between its wait and the next. A wait is therefore written when the
/// next one is known, and the end of the life, which must follow all waits, when no more events can come. A resumption
/// that is late beyond [`PATIENCE`] is given up: the wait then ends with the next.
pub(crate) struct Waits {
    track: u64,
    alive: bool,
    ended: Option<u64>,
    /// Time and number of the name of each wait.
    blocked: VecDeque<(u64, u64)>,
    /// Times of resumptions, sorted.
    resumed: VecDeque<u64>,
    lost: u64,
    clock: Clock,
}

impl Waits {
    pub(crate) fn new(track: u64) -> Self {
        let (blocked, resumed) = (VecDeque::new(), VecDeque::new());
        Self { track, alive: false, ended: None, blocked, resumed, lost: 0, clock: Clock::default() }
    }

    /// The thread lives from now on; a life before that is over.
    pub(crate) fn start(&mut self, out: &mut Output, at: u64) {
        self.end_all(out, at);
        self.alive = true;
        self.write(out, at, TrackEvent::begin(self.track, THREAD_RUNS));
    }

    /// The life of the thread is over. `None` if it was not alive.
    pub(crate) fn end(&mut self, at: u64) -> Option<()> {
        (self.alive && self.ended.is_none()).then(|| self.ended = Some(at))
    }

    /// Begins a wait of the thread, for the object of this name.
    pub(crate) fn block(&mut self, out: &mut Output, at: u64, name: u64) {
        self.blocked.push_back((at, name));
        if self.blocked.len() > PATIENCE {
            self.end_wait(out, at);
        }
        self.settle(out);
    }

    /// A wait is over.
    pub(crate) fn resume(&mut self, out: &mut Output, at: u64) {
        let place = self.resumed.partition_point(|&other| other <= at);
        self.resumed.insert(place, at);
        if self.resumed.len() > PATIENCE {
            self.resumed.pop_front();
            self.lost += 1;
        }
        self.settle(out);
    }

    /// Ends all open slices. Returns the total numbers of events that were moved to later and of events without a
    /// counterpart.
    pub(crate) fn finish(&mut self, out: &mut Output, at: u64) -> (u64, u64) {
        self.end_all(out, at);
        (self.clock.moved, self.lost + self.resumed.len() as u64)
    }

    /// Writes the waits whose end is certain: a resumption at the very time of the next wait may be that one's.
    fn settle(&mut self, out: &mut Output) {
        while let [Some(&(since, _)), Some(&(next, _))] = [self.blocked.front(), self.blocked.get(1)] {
            if self.resumption(since).is_none_or(|until| until >= next) {
                return;
            }
            self.end_wait(out, next);
        }
    }

    /// The earliest resumption since then, while nothing before then waits for one.
    fn resumption(&mut self, since: u64) -> Option<u64> {
        while self.resumed.front().is_some_and(|&at| at < since) {
            self.resumed.pop_front();
            self.lost += 1;
        }
        self.resumed.front().copied()
    }

    /// Writes the first wait with the end that is known, or else with the beginning of the next, or with `at`.
    fn end_wait(&mut self, out: &mut Output, at: u64) -> Option<()> {
        let (since, name) = self.blocked.pop_front()?;
        let limit = self.blocked.front().map_or(at, |&(next, _)| next);
        let known = self.resumption(since).filter(|&until| until <= limit);
        if known.is_some() {
            self.resumed.pop_front();
        }
        self.write(out, since, TrackEvent::begin(self.track, name));
        self.write(out, known.unwrap_or(limit), TrackEvent::end(self.track));
        Some(())
    }

    /// Ends all that is open, at last at `at`.
    fn end_all(&mut self, out: &mut Output, at: u64) {
        while self.end_wait(out, at).is_some() {}
        if std::mem::take(&mut self.alive) {
            let at = self.ended.take().unwrap_or(at);
            self.write(out, at, TrackEvent::end(self.track));
        }
    }

    fn write(&mut self, out: &mut Output, at: u64, event: TrackEvent) {
        out.packet(&TracePacket::event(self.clock.reach(at), event));
    }
}
