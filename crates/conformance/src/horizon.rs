//! A thread that computes, polls and tests a count sees the handlers that were done before, none that began later, and comes to
//! an end.

use tempest::{Cells, Event, Handler, NodeId, Operations, Protocol, Quiet, Report, Setup, Thread, handlers};
use units::Time;

use crate::Setting;

/// Messages that the first thread of each node sends to the next node.
const MESSAGES: u64 = 20;

/// The clocks of two processors of this host are taken to agree so far. Those of a model agree.
const APART: Time = Time::from_microseconds(1);

/// A loop that computes, polls and tests a count ends, and each count that it reads is that of the handlers up to its clock.
pub fn counts_are_those_of_the_clock(setting: &Setting<'_>) {
    setting.verified::<Counts>("counts_are_those_of_the_clock", (), 1);
}

struct Counts {
    node: NodeId,
    got: Event,
    /// The number of handlers that have begun.
    handlers: Cells<u64>,
    /// When each handler began, and when it had signalled, in femtoseconds.
    begun: Cells<u64>,
    ended: Cells<u64>,
    /// When the first thread first read each count, and when it last read it.
    first: Cells<u64>,
    last: Cells<u64>,
}

impl Protocol for Counts {
    type Config = ();

    fn install((): &(), setup: &mut Setup<'_>) -> Self {
        let due = MESSAGES as usize;
        let times = |len| Cells::new(len, u64::MAX);
        Self {
            node: setup.node(),
            got: Event::new("conformance.got"),
            handlers: Cells::new(1, 0),
            begun: times(due),
            ended: times(due),
            first: times(due + 1),
            last: times(due + 1),
        }
    }
}

impl Counts {
    /// The number of these times that are no later than `time`.
    fn until(times: &Cells<u64>, time: u64) -> u64 {
        (0..times.len()).filter(|&at| times.get(at) <= time).count() as u64
    }
}

#[handlers]
impl Counts {
    #[message]
    fn one(&self, cx: &mut Handler<'_>) {
        let mine = self.handlers.add(0, 1) as usize;
        self.begun.set(mine, cx.now().as_femtoseconds());
        cx.signal(&self.got, 1);
        self.ended.set(mine, cx.now().as_femtoseconds());
    }

    fn main(&self, thread: &Thread<'_>) {
        // The other threads leave the node's processors to this one, which never waits.
        if thread.index() > 0 {
            return;
        }
        (0..MESSAGES).for_each(|_| thread.send(thread.next_node(), Self::one()));
        loop {
            let before = thread.now().as_femtoseconds();
            let count = self.got.count(thread);
            let place = count as usize;
            self.last.set(place, before);
            if self.first.get(place) == u64::MAX {
                self.first.set(place, thread.now().as_femtoseconds());
            }
            if count == MESSAGES {
                return;
            }
            thread.charge(Operations::NONE.integers(20));
            thread.poll();
        }
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        let (apart, mut report) = (APART.as_femtoseconds(), Report::default());
        let read = (0..=MESSAGES).filter(|&count| self.first.get(count as usize) != u64::MAX);
        for count in read {
            let (first, last) = (self.first.get(count as usize), self.last.get(count as usize));
            let begun = Self::until(&self.begun, first.saturating_add(apart));
            let ended = last.checked_sub(apart).map_or(0, |last| Self::until(&self.ended, last));
            report.merge(Report::checked((ended..=begun).contains(&count), || {
                format!(
                    "{} read a count of {count} from {first} to {last} fs: {ended} handlers had ended, {begun} had begun",
                    self.node
                )
            }));
        }
        report
    }
}
