//! Messages of one source, destination and key are delivered in happens-before order.
//!
//! Every message carries its place in that order, and the handler asserts it. The senders differ: one thread, threads
//! that hand on a baton, a thread and a handler in turn, a thread and its own holds, a thread and a handler that finds
//! in keyed state that it is due.

use tempest::{
    Cells, Event, FinalState, Handler, Key, Keyed, NodeId, Protocol, Report, Setup, Shape, Thread, handlers,
};

use crate::Setting;

/// Keys of each source at each destination.
const LANES: u32 = 3;

/// Messages of each stream.
const LENGTH: u64 = 200;

/// Messages of a thread under several keys arrive in the order of their sends.
pub fn order_of_a_stream(setting: &Setting<'_>) {
    setting.verified::<Order>("order_of_a_stream", Senders::OneThread, 1);
}

/// Messages of a thread that waited for a signal of another thread of its node come after that thread's earlier
/// messages.
pub fn order_across_threads(setting: &Setting<'_>) {
    setting.verified::<Order>("order_across_threads", Senders::Baton, 2);
}

/// Messages of a handler come after the earlier messages of the thread that caused it, and before the later messages of
/// a thread that waited for it.
pub fn order_across_handlers(setting: &Setting<'_>) {
    setting.verified::<Order>("order_across_handlers", Senders::ThreadAndHandler, 2);
}

/// Messages that a thread sends in a hold keep their place among its messages outside.
pub fn order_across_holds(setting: &Setting<'_>) {
    setting.verified::<Order>("order_across_holds", Senders::ThreadAndHold, 2);
}

/// Messages of a handler that found in keyed state an entry left by a thread's hold come after that thread's earlier
/// messages.
pub fn order_from_a_hold_to_a_handler(setting: &Setting<'_>) {
    setting.verified::<Order>("order_from_a_hold_to_a_handler", Senders::HoldThenHandler, 2);
}

/// Key of the entry that a thread leaves for a handler.
const DUE: Key = Key::User(1 << 40);

#[derive(Clone, Copy)]
enum Senders {
    OneThread,
    Baton,
    ThreadAndHandler,
    ThreadAndHold,
    HoldThenHandler,
}

struct Order {
    senders: Senders,
    shape: Shape,
    /// By source and lane: the number to come next.
    next: Keyed<u64>,
    arrived: Cells<u64>,
    /// Turn to send: a count of the numbers sent.
    sent: Event,
    /// The number a handler is to send.
    due: Keyed<Option<u64>>,
    /// Handlers elsewhere that have looked, for a thread here, whether one is due.
    looked: Event,
    /// Whether the last of them found all numbers sent.
    done: Cells<u64>,
}

impl Protocol for Order {
    type Config = Senders;

    fn install(&senders: &Senders, setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        Self {
            senders,
            shape,
            next: setup.keyed((shape.nodes * LANES) as usize, |_| 0),
            arrived: Cells::new(1, 0),
            sent: Event::new("conformance.sent"),
            due: setup.keyed_sparse(|_| None),
            looked: Event::new("conformance.looked"),
            done: Cells::new(1, 0),
        }
    }
}

impl Order {
    /// A message with this number to every node, in every lane.
    fn each(nodes: u32, source: NodeId, number: u64) -> impl Iterator<Item = (NodeId, Numbered)> {
        let lanes = move |node| (0..LANES).map(move |lane| (NodeId(node), lane));
        (0..nodes).flat_map(lanes).map(move |(to, lane)| (to, Self::numbered(source.0, lane, number)))
    }

    fn send(&self, thread: &Thread<'_>, number: u64) {
        for (to, message) in Self::each(thread.nodes(), thread.node(), number) {
            thread.send(to, message);
        }
    }

    fn send_from_handler(&self, cx: &mut Handler<'_>, number: u64) {
        for (to, message) in Self::each(cx.nodes(), cx.node(), number) {
            cx.send(to, message);
        }
    }

    /// Threads send in turn; each takes its turn from the event.
    fn pass_baton(&self, thread: &Thread<'_>) {
        let mine = u64::from(thread.index());
        for number in (mine..LENGTH).step_by(thread.threads() as usize) {
            thread.wait(&self.sent, number);
            self.send(thread, number);
            thread.signal(&self.sent, 1);
        }
    }

    /// A thread sends two numbers of every three, a handler the one between.
    fn alternate(&self, thread: &Thread<'_>, number: u64) {
        if number % 3 == 1 {
            thread.send(thread.node(), Self::relay(number));
            thread.wait(&self.sent, number / 3 + 1);
        } else {
            self.send(thread, number);
        }
    }
}

impl Order {
    /// Sends every other number, and leaves the next one to a handler.
    fn leave(&self, thread: &Thread<'_>) {
        for number in (0..LENGTH).step_by(2) {
            self.send(thread, number);
            thread.hold(DUE, |cx| cx.with(&self.due, |due, _| *due = Some(number + 1)));
            thread.wait(&self.sent, number / 2 + 1);
        }
    }

    /// Has handlers of the next node look until all numbers there are sent: from elsewhere, so that the looks do not
    /// come behind the messages sent there.
    fn look(&self, thread: &Thread<'_>) {
        let next = NodeId((thread.node().0 + 1) % thread.nodes());
        for looks in 1.. {
            thread.send(next, Self::look_for_due());
            thread.wait(&self.looked, looks);
            if self.done.get(thread, 0) == 1 {
                return;
            }
        }
    }
}

#[handlers]
impl Order {
    #[message(key = u64::from(source * LANES + lane))]
    fn numbered(&self, source: u32, lane: u32, number: u64, cx: &mut Handler<'_>) {
        assert_eq!(cx.source(), NodeId(source), "a message from {} arrived as another's", source);
        cx.with(&self.next, |next, cx| {
            let (number, source, lane) = (number, cx.source(), lane);
            assert_eq!(number, *next, "number {number} of {source}, lane {lane} came when {next} was due");
            *next += 1;
        });
        self.arrived.add(cx, 0, 1);
    }

    /// Has a handler of the receiving node send a number.
    #[message]
    fn relay(&self, number: u64, cx: &mut Handler<'_>) {
        self.send_from_handler(cx, number);
        cx.signal(&self.sent, 1);
    }

    /// Has a handler of the receiving node look whether a number is due.
    #[message(name = Look, key = DUE)]
    fn look_for_due(&self, cx: &mut Handler<'_>) {
        if let Some(number) = cx.with(&self.due, |due, _| due.take()) {
            self.send_from_handler(cx, number);
            cx.signal(&self.sent, 1);
        }
        let (source, done) = (cx.source(), u64::from(self.sent.count(cx) == LENGTH / 2));
        cx.send(source, Self::looked(done));
    }

    /// Handler: a look has ended, and found all numbers sent or not.
    #[message]
    fn looked(&self, done: u64, cx: &mut Handler<'_>) {
        self.done.set(cx, 0, done);
        cx.signal(&self.looked, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        match self.senders {
            Senders::Baton => self.pass_baton(thread),
            Senders::HoldThenHandler => match thread.index() {
                0 => self.leave(thread),
                1 => self.look(thread),
                _ => {}
            },
            _ if thread.index() > 0 => {}
            Senders::OneThread => (0..LENGTH).for_each(|number| self.send(thread, number)),
            Senders::ThreadAndHandler => (0..LENGTH).for_each(|number| self.alternate(thread, number)),
            Senders::ThreadAndHold => {
                for number in (0..LENGTH).step_by(2) {
                    self.send(thread, number);
                    thread.hold(Key::NoSync, |cx| self.send_from_handler(cx, number + 1));
                }
            }
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let expected = u64::from(self.shape.nodes * LANES) * LENGTH;
        let arrived = self.arrived.get(end, 0);
        Report::checked(arrived == expected, || format!("{arrived} messages arrived: expected {expected}"))
    }
}
