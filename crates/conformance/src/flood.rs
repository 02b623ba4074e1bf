//! Everything arrives exactly once, however little room there is.
//!
//! Every thread floods every node with requests, each of which is replied to; nobody waits until all requests
//! are out. Sends that find no room must hand their message back unchanged.

use bytemuck::{Pod, Zeroable};
use tempest::{
    Busy, Cells, Event, Handler, Key, Message, NodeId, Operations, Program, Protocol, Quiet, Report, Setup,
    Shape, Thread,
};

use crate::Setting;

/// Requests of each thread to each node.
const REQUESTS: u32 = 150;

/// Messages that one handler sends to each node.
const FAN_OUT: u32 = 200;

/// Requests and replies between all threads and all nodes arrive once each, and the world counts them.
pub fn everything_arrives_once(setting: &Setting<'_>) {
    let threads = 2;
    let promise = "everything_arrives_once";
    let counters = setting.verified::<Flood>(promise, (), threads).counters;
    let senders = u64::from(setting.nodes) * u64::from(setting.threads_per_node(threads));
    let expected = 2 * senders * u64::from(setting.nodes) * u64::from(REQUESTS);
    setting.demand(promise, counters.messages == expected, || {
        format!("{} messages were counted: expected {expected}", counters.messages)
    });
}

/// A handler may send any number of messages; none is lost.
pub fn handlers_send_without_waiting(setting: &Setting<'_>) {
    setting.verified::<Burst>("handlers_send_without_waiting", (), 1);
}

/// A thread that has sent more than there is room for, and computed until all of it was gone, sends on.
pub fn sends_go_on_after_a_pause(setting: &Setting<'_>) {
    setting.verified::<Pause>("sends_go_on_after_a_pause", (), 1);
}

/// Messages before the pause: more than a queue of any machine takes.
const BEFORE: u64 = 200;

/// Sends to the next node, computes for long, and sends once more.
struct Pause {
    arrived: Event,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Plain {
    number: u64,
}

impl Message for Plain {
    type Protocol = Pause;

    fn key(&self) -> Key {
        Key::NoSync
    }

    fn handle(self, pause: &Pause, _payload: &[u64], cx: &mut Handler<'_>) {
        cx.signal(&pause.arrived, 1);
    }
}

impl tempest::Handlers for Pause {
    fn register(messages: &mut tempest::Messages<'_, Self>) {
        messages.add::<Plain>();
    }
}

impl Protocol for Pause {
    type Config = ();

    fn install((): &(), _: &mut Setup<'_>) -> Self {
        Self { arrived: Event::new("conformance.arrived") }
    }
}

impl Program for Pause {
    fn main(&self, thread: &Thread<'_>) {
        let next = NodeId((thread.node().0 + 1) % thread.nodes());
        (0..BEFORE).for_each(|number| thread.send(next, Plain { number }));
        thread.charge(Operations::NONE.flops(1_000_000));
        thread.send(next, Plain { number: BEFORE });
        thread.wait(&self.arrived, u64::from(thread.threads()) * (BEFORE + 1));
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        let arrived = self.arrived.count();
        Report::checked(arrived > BEFORE, || format!("{arrived} messages arrived: expected {}", BEFORE + 1))
    }
}

struct Flood {
    shape: Shape,
    /// By thread of the world and number: how often the request came.
    asked: Cells<u64>,
    /// By thread of the node, destination and number: how often the reply came.
    answered: Cells<u64>,
    replied: Box<[Event]>,
}

#[derive(Clone, Copy, PartialEq, Debug, Pod, Zeroable)]
#[repr(C)]
struct Request {
    thread: u32,
    number: u32,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Reply {
    thread: u32,
    number: u32,
}

/// Travels with a request and comes back with its reply.
fn luggage(to: NodeId, number: u32) -> [u64; 2] {
    [u64::from(to.0), !u64::from(number)]
}

impl Message for Request {
    type Protocol = Flood;

    fn key(&self) -> Key {
        // Keys of every kind but the sequential one, which would let no flood rise.
        if self.number.is_multiple_of(4) { Key::NoSync } else { Key::User(u64::from(self.number % 16)) }
    }

    fn handle(self, flood: &Flood, payload: &[u64], cx: &mut Handler<'_>) {
        assert_eq!(payload, luggage(cx.node(), self.number), "the payload of {self:?}");
        let thread = cx.source().0 * flood.shape.threads + self.thread;
        let before = flood.asked.add((thread * REQUESTS + self.number) as usize, 1);
        assert_eq!(before, 0, "{self:?} from {} came again", cx.source());
        let source = cx.source();
        cx.send_with(source, Reply { thread: self.thread, number: self.number }, payload);
    }
}

impl Message for Reply {
    type Protocol = Flood;

    fn key(&self) -> Key {
        Key::User(u64::from(self.thread))
    }

    fn handle(self, flood: &Flood, payload: &[u64], cx: &mut Handler<'_>) {
        assert_eq!(payload, luggage(cx.source(), self.number), "the payload of a reply");
        let at = (self.thread * flood.shape.nodes + cx.source().0) * REQUESTS + self.number;
        let before = flood.answered.add(at as usize, 1);
        assert_eq!(before, 0, "the reply to request {} from {} came again", self.number, cx.source());
        cx.signal(&flood.replied[self.thread as usize], 1);
    }
}

impl tempest::Handlers for Flood {
    fn register(messages: &mut tempest::Messages<'_, Self>) {
        messages.add::<Request>();
        messages.add::<Reply>();
    }
}

impl Protocol for Flood {
    type Config = ();

    fn install(_: &(), setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        let pairs = (shape.nodes * shape.threads * REQUESTS) as usize;
        Self {
            shape,
            asked: Cells::new(pairs, 0),
            answered: Cells::new(pairs, 0),
            replied: (0..shape.threads).map(|_| Event::new("conformance.replied")).collect(),
        }
    }
}

impl Program for Flood {
    fn main(&self, thread: &Thread<'_>) {
        for number in 0..REQUESTS {
            for step in 0..thread.nodes() {
                let to = NodeId((thread.node().0 + step) % thread.nodes());
                let (request, payload) = (Request { thread: thread.index(), number }, luggage(to, number));
                if let Err(Busy(back)) = thread.try_send_with(to, request, &payload) {
                    assert_eq!(back, request, "what a send without room handed back");
                    thread.send_with(to, back, &payload);
                }
            }
        }
        thread.wait(&self.replied[thread.index() as usize], u64::from(thread.nodes() * REQUESTS));
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        let once = |cells: &Cells<u64>| (0..cells.len()).filter(|&at| cells.get(at) == 1).count();
        let (asked, answered, expected) = (once(&self.asked), once(&self.answered), self.asked.len());
        Report::checked(asked == expected && answered == expected, || {
            format!("{asked} requests and {answered} replies arrived once: expected {expected} of each")
        })
    }
}

struct Burst {
    shape: Shape,
    pieces: Cells<u64>,
    arrived: Event,
}

/// Has the receiving node send pieces to all nodes from one handler.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Open {
    pieces: u64,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Piece {
    number: u64,
}

impl Message for Open {
    type Protocol = Burst;

    fn key(&self) -> Key {
        Key::Sequential
    }

    fn handle(self, _: &Burst, _payload: &[u64], cx: &mut Handler<'_>) {
        for number in 0..self.pieces {
            (0..cx.nodes()).for_each(|node| cx.send(NodeId(node), Piece { number }));
        }
    }
}

impl Message for Piece {
    type Protocol = Burst;

    fn key(&self) -> Key {
        Key::User(self.number)
    }

    fn handle(self, burst: &Burst, _payload: &[u64], cx: &mut Handler<'_>) {
        burst.pieces.add((cx.source().0 * FAN_OUT) as usize + self.number as usize, 1);
        cx.signal(&burst.arrived, 1);
    }
}

impl tempest::Handlers for Burst {
    fn register(messages: &mut tempest::Messages<'_, Self>) {
        messages.add::<Open>();
        messages.add::<Piece>();
    }
}

impl Protocol for Burst {
    type Config = ();

    fn install(_: &(), setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        let pieces = Cells::new((shape.nodes * FAN_OUT) as usize, 0);
        Self { shape, pieces, arrived: Event::new("conformance.arrived") }
    }
}

impl Program for Burst {
    fn main(&self, thread: &Thread<'_>) {
        if thread.index() == 0 {
            let right = NodeId((thread.node().0 + 1) % thread.nodes());
            thread.send(right, Open { pieces: u64::from(FAN_OUT) });
        }
        thread.wait(&self.arrived, u64::from(self.shape.nodes * FAN_OUT));
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        let once = (0..self.pieces.len()).filter(|&at| self.pieces.get(at) == 1).count();
        let expected = self.pieces.len();
        Report::checked(once == expected, || format!("{once} messages arrived once: expected {expected}"))
    }
}
