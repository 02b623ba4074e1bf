//! The present time, and what will happen when.
//!
//! Must never know what an event means to the part it is for.

use std::collections::VecDeque;

use des::EventQueue;
use tempest::Failure;
use units::Time;

use crate::progress::Progress;

/// What the engine's queue holds. Small: entries are copied at every sift.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Happening {
    /// The fiber at work on a core goes on, unless an interrupt has put it off since.
    Continue { core: u32, epoch: u32 },
    /// The first byte of something sent is at its destination.
    Arrive { flight: u32 },
    /// It has passed the port in.
    Pass { flight: u32 },
    /// What a node sends to itself is there.
    Deliver { flight: u32 },
    /// Something moves inside the network.
    Network { event: hardware::Event },
    /// A message that the network processor handed over can be seen by the computing processor.
    Forward { flight: u32 },
    /// The next step of a packet of a transfer.
    Packet { packet: u32, step: PacketStep },
    /// A message may have waited too long at a port in.
    Overflow { flight: u32, uses: u32 },
    /// The device of a node may ask for the bus to write the next line that has been placed.
    Post { node: u32 },
    /// Somebody of a node may find something to do that nobody could do before.
    Look { node: u32 },
}

impl Happening {
    /// Somebody looks, and may find nothing; or what nobody waits for goes on.
    pub(crate) fn is_a_look(self) -> bool {
        matches!(self, Self::Look { .. } | Self::Overflow { .. } | Self::Post { .. })
    }
}

/// What happens to a packet next.
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
    /// When the last event before now was that had an effect, if nothing but looks without one came since.
    quiet_since: Option<Time>,
    events: EventQueue<Happening>,
    /// Cores whose fibers go on at the present time, in order, each with the epoch it was told in. They come before
    /// every queued event, and save most of them.
    due: VecDeque<(usize, u32)>,
    /// Events so far.
    happened: u64,
    /// How long nothing may happen.
    stall_limit: Option<Time>,
    progress: Progress,
    /// Why the run ends before its time, once that is certain.
    stopped: Option<Failure>,
}

impl Agenda {
    /// Time zero, with nothing to come. A run in which nothing happens for longer than `stall_limit` has stalled.
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

    /// How many events have happened.
    pub(crate) fn happened(&self) -> u64 {
        self.happened
    }

    /// How many events are to come.
    pub(crate) fn waiting(&self) -> usize {
        self.events.len()
    }

    /// Has something happen at `at`; `tie` is the place of its node among simultaneous events of different nodes.
    #[inline]
    pub(crate) fn push(&mut self, at: Time, tie: u32, happening: Happening) {
        self.events.push(at, tie, happening);
    }

    /// Has the fiber at work on a core go on at the present time, before every event.
    pub(crate) fn go_on_now(&mut self, core: usize, epoch: u32) {
        self.due.push_back((core, epoch));
    }

    /// The core whose fiber goes on next at the present time, with the number of its continuation.
    pub(crate) fn first_due(&self) -> Option<(usize, u32)> {
        self.due.front().copied()
    }

    /// Takes the core whose fiber goes on next at the present time.
    pub(crate) fn take_due(&mut self) -> Option<(usize, u32)> {
        let due = self.due.pop_front()?;
        self.quiet_since = None;
        Some(due)
    }

    /// Takes the next event, which [begins](Self::begin) or is the [end](Self::end).
    pub(crate) fn take_next(&mut self) -> Option<(Time, Happening)> {
        self.events.pop()
    }

    /// An event that has been taken happens now.
    pub(crate) fn begin(&mut self, at: Time, happening: Happening) {
        self.quiet_since = happening.is_a_look().then(|| self.quiet_since.unwrap_or(self.now));
        self.now = at;
        self.happened += 1;
    }

    /// Nothing that matters is left to happen. Looks that found nothing have not made the run longer.
    pub(crate) fn end(&mut self) {
        self.now = self.quiet_since.unwrap_or(self.now);
    }

    /// Lets time pass by `ahead`, if nothing comes before the end of that. Else the instant at which it ends, for the caller to
    /// [go on](Self::push) at.
    pub(crate) fn pass(&mut self, ahead: Time) -> Option<Time> {
        let target = self.now + ahead;
        let nothing_before = self.due.is_empty() && self.events.next_time().is_none_or(|next| next > target);
        if nothing_before && !self.is_stalled_at(target) {
            self.now = target;
            return None;
        }
        Some(target)
    }

    /// Something happens that may end a wait.
    #[inline]
    pub(crate) fn note_progress(&mut self) {
        self.progress.note(self.now);
    }

    /// What last happened.
    pub(crate) fn progress(&self) -> Progress {
        self.progress
    }

    /// How many events are to come that may end a wait, looks among them unless they are `ignored`. Those that let a processor
    /// go on do not count: the processor shows whether it is at work.
    pub(crate) fn under_way(&self, ignored: bool) -> usize {
        let counts = |happening: &&Happening| match happening {
            Happening::Continue { .. } => false,
            happening => !(ignored && happening.is_a_look()),
        };
        self.events.iter().filter(counts).count()
    }

    /// The run ends now, though events are to come.
    pub(crate) fn stop(&mut self, why: Failure) {
        self.stopped = Some(why);
    }

    /// Why the run ends now, if it does.
    pub(crate) fn take_stop(&mut self) -> Option<Failure> {
        self.stopped.take()
    }

    /// The limit for a time in which nothing happens, if more than that has passed.
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
