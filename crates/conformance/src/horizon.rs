//! A thread that computes, polls and tests a count or a cell sees the handlers that were done before, none that began later, and comes to
//! an end. The clock is one for all nodes.

use tempest::{
    Cells, Event, FinalState, Handler, NodeId, Operations, Protocol, Report, Setup, Thread, handlers,
};
use units::Time;

use crate::Setting;

/// Messages that the first thread of each node sends to the next node.
const MESSAGES: u64 = 20;

/// The greatest assumed difference of the clocks of two processors of this host. Clocks of a model agree.
const APART: Time = Time::from_microseconds(1);

/// A loop that computes, polls and tests a count ends, and each count that it reads is that of the handlers up to its clock.
pub fn counts_are_those_of_the_clock(setting: &Setting<'_>) {
    setting.verified::<Counts>("counts_are_those_of_the_clock", In::Event, 1);
}

/// A loop that computes, polls and tests a cell ends, and the cell always holds the sum that the handlers up to the
/// clock have added.
pub fn cells_are_those_of_the_clock(setting: &Setting<'_>) {
    setting.verified::<Counts>("cells_are_those_of_the_clock", In::Cell, 1);
}

/// A message is handled no earlier than it was sent, by the clock that all nodes have in common.
pub fn messages_are_handled_after_they_are_sent(setting: &Setting<'_>) {
    setting.verified::<Travels>("messages_are_handled_after_they_are_sent", (), 1);
}

/// The place where handlers are counted.
#[derive(Clone, Copy)]
enum In {
    Event,
    Cell,
}

struct Counts {
    node: NodeId,
    counted: In,
    done: Cells<u64>,
    got: Event,
    /// The number of handlers that have begun.
    handlers: Cells<u64>,
    /// Times at which each handler began, and at which it had signalled, in femtoseconds.
    begun: Cells<u64>,
    ended: Cells<u64>,
    /// Times at which the first thread first read each count, and at which it last read it.
    first: Cells<u64>,
    last: Cells<u64>,
}

impl Protocol for Counts {
    type Config = In;

    fn install(&counted: &In, setup: &mut Setup<'_>) -> Self {
        let due = MESSAGES as usize;
        let times = |len| Cells::new(len, u64::MAX);
        Self {
            node: setup.node(),
            counted,
            done: Cells::new(1, 0),
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
    fn until(end: &FinalState<'_>, times: &Cells<u64>, time: u64) -> u64 {
        (0..times.len()).filter(|&at| times.get(end, at) <= time).count() as u64
    }
}

#[handlers]
impl Counts {
    #[message]
    fn one(&self, cx: &mut Handler<'_>) {
        let mine = self.handlers.add(cx, 0, 1) as usize;
        self.begun.set(cx, mine, cx.now().as_femtoseconds());
        match self.counted {
            In::Event => cx.signal(&self.got, 1),
            In::Cell => _ = self.done.add(cx, 0, 1),
        }
        self.ended.set(cx, mine, cx.now().as_femtoseconds());
    }

    fn main(&self, thread: &Thread<'_>) {
        // The other threads leave the node's processors to this one, which never waits.
        if thread.index() > 0 {
            return;
        }
        (0..MESSAGES).for_each(|_| thread.send(thread.next_node(), Self::one()));
        loop {
            let before = thread.now().as_femtoseconds();
            let count = match self.counted {
                In::Event => self.got.count(thread),
                In::Cell => self.done.get(thread, 0),
            };
            let place = count as usize;
            self.last.set(thread, place, before);
            if self.first.get(thread, place) == u64::MAX {
                self.first.set(thread, place, thread.now().as_femtoseconds());
            }
            if count == MESSAGES {
                return;
            }
            thread.charge(Operations::NONE.integers(20));
            thread.poll();
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let (apart, mut report) = (APART.as_femtoseconds(), Report::default());
        let read = (0..=MESSAGES).filter(|&count| self.first.get(end, count as usize) != u64::MAX);
        for count in read {
            let (first, last) = (self.first.get(end, count as usize), self.last.get(end, count as usize));
            let begun = Self::until(end, &self.begun, first.saturating_add(apart));
            let ended = last.checked_sub(apart).map_or(0, |last| Self::until(end, &self.ended, last));
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

/// Messages that carry the time at which they were sent.
struct Travels {
    handled: Event,
    /// The number of messages that were handled before they were sent.
    early: Cells<u64>,
}

impl Protocol for Travels {
    type Config = ();

    fn install((): &(), _: &mut Setup<'_>) -> Self {
        Self { handled: Event::new("conformance.handled"), early: Cells::new(1, 0) }
    }
}

#[handlers]
impl Travels {
    #[message]
    fn dated(&self, sent: u64, cx: &mut Handler<'_>) {
        if cx.now().as_femtoseconds() + APART.as_femtoseconds() < sent {
            self.early.add(cx, 0, 1);
        }
        cx.signal(&self.handled, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        for _ in 0..MESSAGES {
            for node in 0..thread.nodes() {
                thread.send(NodeId(node), Self::dated(thread.now().as_femtoseconds()));
            }
        }
        thread.wait(&self.handled, MESSAGES * u64::from(thread.nodes() * thread.threads()));
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let early = self.early.get(end, 0);
        Report::checked(early == 0, || format!("{early} messages were handled before they were sent"))
    }
}
