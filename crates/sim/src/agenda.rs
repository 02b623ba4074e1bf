//! The present time, and all events to come.
//!
//! This module must never know what an event means to the part that it is for.

use std::collections::VecDeque;

use des::EventQueue;
use tempest::Failure;
use units::Time;

use crate::progress::Progress;

/// One event of the engine's queue. It is small because the queue copies an entry at every sift.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Happening {
    /// The fiber at work on a core goes on, unless an interrupt has put off the continuation of this epoch.
    Continue { core: u32, epoch: u32 },
    /// A flight comes to the port in of its destination.
    Arrive { flight: u32 },
    /// A flight has passed the port in.
    Pass { flight: u32 },
    /// A message of a node to itself arrives.
    Deliver { flight: u32 },
    /// An event inside the network.
    Network { event: hardware::Event },
    /// A message that the network processor handed over can be seen by the computing processor.
    Forward { flight: u32 },
    /// The next step of a packet of a transfer.
    Packet { packet: u32, step: PacketStep },
    /// A message may have waited too long at a port in. `uses` tells it from a later flight at the same place.
    Overflow { flight: u32, uses: u32 },
    /// The device of a node may ask for the bus to write the next line that was placed in its memory.
    Post { node: u32 },
    /// The processors of a node may find something to do that was not there before.
    Look { node: u32 },
}

impl Happening {
    /// Whether the event only makes a part look, perhaps in vain, or is one that no thread waits for.
    pub(crate) fn is_a_look(self) -> bool {
        matches!(self, Self::Look { .. } | Self::Overflow { .. } | Self::Post { .. })
    }
}

/// The next step of a packet of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PacketStep {
    Stage,
    Leave,
    Wire,
    Gone,
    Look,
    Place,
    Placed,
}

/// The present time and all events to come.
pub(crate) struct Agenda {
    now: Time,
    /// The time of the last event that had an effect, if all events since were looks without one; otherwise
    /// `None`.
    quiet_since: Option<Time>,
    events: EventQueue<Happening>,
    /// Cores whose fibers go on at the present time, in order, each with the epoch of its continuation. They come
    /// before every queued event, and most continuations need no queue entry because of them.
    due: VecDeque<(usize, u32)>,
    /// The number of events so far.
    happened: u64,
    /// The longest time without progress before the run counts as stalled.
    stall_limit: Option<Time>,
    progress: Progress,
    /// The reason why the run ends early, once that is certain.
    stopped: Option<Failure>,
}

impl Agenda {
    /// An agenda at time zero without events. A run without progress for longer than `stall_limit` has stalled.
    pub(crate) fn new(stall_limit: Option<Time>) -> Self {
        Self {
            now: Time::ZERO,
            quiet_since: None,
            events: EventQueue::new(),
            due: VecDeque::new(),
            happened: 0,
            stall_limit,
            progress: Progress::default(),
            stopped: None,
        }
    }

    /// The present time.
    pub(crate) fn now(&self) -> Time {
        self.now
    }

    /// The number of events that have happened.
    pub(crate) fn happened(&self) -> u64 {
        self.happened
    }

    /// The number of events to come.
    pub(crate) fn waiting(&self) -> usize {
        self.events.len()
    }

    /// Adds an event at `at`. `tie` orders simultaneous events of different nodes.
    #[inline]
    pub(crate) fn push(&mut self, at: Time, tie: u32, happening: Happening) {
        self.events.push(at, tie, happening);
    }

    /// Lets the fiber at work on a core go on at the present time, before every event.
    pub(crate) fn go_on_now(&mut self, core: usize, epoch: u32) {
        self.due.push_back((core, epoch));
    }

    /// The core whose fiber goes on next at the present time, with the epoch of its continuation; `None` if the run ends now.
    pub(crate) fn first_due(&self) -> Option<(usize, u32)> {
        self.due.front().copied().filter(|_| self.stopped.is_none())
    }

    /// Removes and returns the core whose fiber goes on next at the present time.
    pub(crate) fn take_due(&mut self) -> Option<(usize, u32)> {
        let due = self.due.pop_front()?;
        self.quiet_since = None;
        Some(due)
    }

    /// Removes the next event from the queue. The caller then [begins](Self::begin) it, or [ends](Self::end) the
    /// run.
    pub(crate) fn take_next(&mut self) -> Option<(Time, Happening)> {
        self.events.pop()
    }

    /// Moves the present time to an event that was taken from the queue.
    pub(crate) fn begin(&mut self, at: Time, happening: Happening) {
        self.quiet_since = happening.is_a_look().then(|| self.quiet_since.unwrap_or(self.now));
        self.now = at;
        self.happened += 1;
    }

    /// Ends the run because no event that matters is left. The run's time excludes final looks that found
    /// nothing.
    pub(crate) fn end(&mut self) {
        self.now = self.quiet_since.unwrap_or(self.now);
    }

    /// Advances the present time by `ahead` if no event comes earlier. Otherwise returns the instant `ahead` from
    /// now, at which the caller [queues](Self::push) its continuation.
    pub(crate) fn pass(&mut self, ahead: Time) -> Option<Time> {
        let target = self.now + ahead;
        let nothing_before = self.due.is_empty() && self.events.next_time().is_none_or(|next| next > target);
        if nothing_before && !self.is_stalled_at(target) {
            self.now = target;
            return None;
        }
        Some(target)
    }

    /// Records an event that may end a wait.
    #[inline]
    pub(crate) fn note_progress(&mut self) {
        self.progress.note(self.now);
    }

    /// The last event that may end a wait.
    pub(crate) fn progress(&self) -> Progress {
        self.progress
    }

    /// The number of events to come that may end a wait. Looks count unless they are `ignored`. Continuations of
    /// processors do not count, because the processor itself shows that it is at work.
    pub(crate) fn under_way(&self, ignored: bool) -> usize {
        let counts = |happening: &&Happening| match happening {
            Happening::Continue { .. } => false,
            happening => !(ignored && happening.is_a_look()),
        };
        self.events.iter().filter(counts).count()
    }

    /// Ends the run now, though there are events to come.
    pub(crate) fn stop(&mut self, why: Failure) {
        self.stopped = Some(why);
    }

    /// Removes and returns the reason why the run ends now, if it does.
    pub(crate) fn take_stop(&mut self) -> Option<Failure> {
        self.stopped.take()
    }

    /// The stall limit, if the run has gone on for longer than that without progress.
    pub(crate) fn stalled(&self) -> Option<Time> {
        self.stall_limit.filter(|_| self.is_stalled_at(self.now))
    }

    fn is_stalled_at(&self, at: Time) -> bool {
        self.stall_limit.is_some_and(|limit| at.saturating_sub(self.progress.at()) > limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(time: u64) -> Time {
        Time::from_nanoseconds(time)
    }

    #[test]
    fn time_passes_up_to_the_next_event_and_not_beyond() {
        let mut agenda = Agenda::new(None);
        agenda.push(ns(10), 0, Happening::Deliver { flight: 1 });
        assert_eq!((agenda.pass(ns(9)), agenda.now()), (None, ns(9)));
        assert_eq!((agenda.pass(ns(1)), agenda.now()), (Some(ns(10)), ns(9)), "the event comes first");
        agenda.go_on_now(3, 7);
        assert_eq!(agenda.pass(ns(0)), Some(ns(9)), "so does what is due");
        assert_eq!(
            (agenda.first_due(), agenda.take_due(), agenda.take_due()),
            (Some((3, 7)), Some((3, 7)), None)
        );
    }

    #[test]
    fn looks_that_find_nothing_do_not_make_a_run_longer() {
        let mut agenda = Agenda::new(None);
        let mut happens = |at, happening| {
            agenda.push(ns(at), 0, happening);
            let (at, happening) = agenda.take_next().unwrap();
            agenda.begin(at, happening);
        };
        happens(5, Happening::Deliver { flight: 0 });
        happens(8, Happening::Look { node: 0 });
        happens(9, Happening::Post { node: 0 });
        assert_eq!(agenda.now(), ns(9));
        agenda.end();
        assert_eq!((agenda.now(), agenda.happened(), agenda.waiting()), (ns(5), 3, 0));
    }

    #[test]
    fn a_look_after_which_a_fiber_went_on_counts() {
        let mut agenda = Agenda::new(None);
        agenda.begin(ns(8), Happening::Look { node: 0 });
        agenda.go_on_now(0, 0);
        agenda.take_due();
        agenda.end();
        assert_eq!(agenda.now(), ns(8));
    }

    #[test]
    fn events_are_under_way_that_may_end_a_wait() {
        let mut agenda = Agenda::new(None);
        agenda.push(ns(1), 0, Happening::Continue { core: 0, epoch: 0 });
        agenda.push(ns(2), 0, Happening::Look { node: 0 });
        assert_eq!((agenda.under_way(false), agenda.under_way(true)), (1, 0));
        agenda.push(ns(3), 0, Happening::Arrive { flight: 0 });
        assert_eq!((agenda.under_way(false), agenda.under_way(true)), (2, 1));
        agenda.take_next();
        assert_eq!(agenda.under_way(false), 2);
    }

    #[test]
    fn a_run_stalls_when_nothing_happens_for_longer_than_the_limit() {
        let mut agenda = Agenda::new(Some(ns(100)));
        agenda.begin(ns(100), Happening::Deliver { flight: 0 });
        assert_eq!(agenda.stalled(), None);
        assert_eq!(agenda.pass(ns(1)), Some(ns(101)), "a clock does not run past the limit");
        agenda.note_progress();
        assert_eq!((agenda.pass(ns(1)), agenda.stalled()), (None, None));
        agenda.begin(ns(201), Happening::Deliver { flight: 0 });
        assert_eq!(agenda.stalled(), Some(ns(100)));
    }
}
