//! Everything arrives exactly once, however little room there is.
//!
//! Every thread floods every node with requests, each of which is replied to; no thread waits until all requests are
//! out. Sends that find no room must hand their message back unchanged.

use tempest::thread::Busy;
use tempest::{
    Cells, Event, FinalState, Handler, Key, NodeId, Operations, Protocol, Report, Setup, Shape, Thread,
    handlers,
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

/// Threads that only try to send, and neither poll nor wait in between, get all their messages out: a try that finds no room
/// receives. Every node floods the next one, so each waits for another that does not receive otherwise.
pub fn tries_to_send_receive(setting: &Setting<'_>) {
    setting.verified::<Insistence>("tries_to_send_receive", (), 1);
}

/// Threads get their messages out while handlers send without end, and more than there is room for. A promise of native worlds alone: on
/// a modelled node whose only processor runs the handlers, their sends may take all room.
pub fn sends_get_through_a_storm(setting: &Setting<'_>) {
    setting.verified::<Storm>("sends_get_through_a_storm", (), 2);
}

/// Messages that handlers of each node pass on without end: more than a ring of 16 or a small queue takes.
const TOKENS: u64 = 40;

/// Messages of each thread through the storm.
const THROUGH: u64 = 10;

/// Tokens go round from node to node until the messages of all threads have arrived.
struct Storm {
    /// Messages of threads.
    arrived: Event,
    /// Nodes at which all such messages have arrived.
    calm: Event,
    /// Tokens that go round no more.
    spent: Event,
}

impl Protocol for Storm {
    type Config = ();

    fn install((): &(), _: &mut Setup<'_>) -> Self {
        let [arrived, calm, spent] =
            ["conformance.arrived", "conformance.calm", "conformance.spent"].map(Event::new);
        Self { arrived, calm, spent }
    }
}

#[handlers]
impl Storm {
    #[message]
    fn token(&self, number: u64, cx: &mut Handler<'_>) {
        if self.calm.count(cx) == u64::from(cx.nodes()) {
            return cx.signal(&self.spent, 1);
        }
        let next = NodeId((cx.node().0 + 1) % cx.nodes());
        cx.send(next, Self::token(number));
    }

    #[message]
    fn through(&self, _number: u64, cx: &mut Handler<'_>) {
        cx.signal(&self.arrived, 1);
    }

    #[message]
    fn calmed(&self, _node: u64, cx: &mut Handler<'_>) {
        cx.signal(&self.calm, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        let next = thread.next_node();
        if thread.index() == 0 {
            (0..TOKENS).for_each(|number| thread.send(next, Self::token(number)));
        }
        (0..THROUGH).for_each(|number| thread.send(next, Self::through(number)));
        if thread.index() == 0 {
            thread.wait(&self.arrived, u64::from(thread.threads()) * THROUGH);
            (0..thread.nodes()).for_each(|node| thread.send(NodeId(node), Self::calmed(0)));
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let (arrived, spent) = (self.arrived.count(end), self.spent.count(end));
        Report::checked(arrived >= THROUGH, || {
            format!("{arrived} messages arrived, and {spent} tokens were spent")
        })
    }
}

/// Messages of each node that insists: more than there is room for between two nodes of any world.
const INSISTED: u64 = 5000;

/// The first thread of each node sends to the next one and tries each message until it goes.
struct Insistence {
    arrived: Event,
}

impl Protocol for Insistence {
    type Config = ();

    fn install((): &(), _: &mut Setup<'_>) -> Self {
        Self { arrived: Event::new("conformance.arrived") }
    }
}

#[handlers]
impl Insistence {
    #[message]
    fn counted(&self, _number: u64, cx: &mut Handler<'_>) {
        cx.signal(&self.arrived, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.index() == 0 {
            for number in 0..INSISTED {
                while thread.try_send(thread.next_node(), Self::counted(number)).is_err() {}
            }
        }
        thread.wait(&self.arrived, INSISTED);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let arrived = self.arrived.count(end);
        Report::checked(arrived == INSISTED, || format!("{arrived} of {INSISTED} messages arrived"))
    }
}

/// Messages before the pause: more than a queue of any machine takes.
const BEFORE: u64 = 200;

/// Sends to the next node, computes for long, and sends once more.
struct Pause {
    arrived: Event,
}

impl Protocol for Pause {
    type Config = ();

    fn install((): &(), _: &mut Setup<'_>) -> Self {
        Self { arrived: Event::new("conformance.arrived") }
    }
}

#[handlers]
impl Pause {
    #[message]
    fn plain(&self, _number: u64, cx: &mut Handler<'_>) {
        cx.signal(&self.arrived, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        let next = NodeId((thread.node().0 + 1) % thread.nodes());
        (0..BEFORE).for_each(|number| thread.send(next, Self::plain(number)));
        thread.charge(Operations::NONE.flops(1_000_000));
        thread.send(next, Self::plain(BEFORE));
        thread.wait(&self.arrived, u64::from(thread.threads()) * (BEFORE + 1));
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let arrived = self.arrived.count(end);
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

/// Travels with a request and comes back with its reply.
fn luggage(to: NodeId, number: u32) -> [u64; 2] {
    [u64::from(to.0), !u64::from(number)]
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

#[handlers]
impl Flood {
    #[message(key = Self::key_of_request(number))]
    fn request(&self, thread: u32, number: u32, payload: &[u64], cx: &mut Handler<'_>) {
        assert_eq!(payload, luggage(cx.node(), number), "the payload of request {number}");
        let sender = cx.source().0 * self.shape.threads + thread;
        let before = self.asked.add(cx, (sender * REQUESTS + number) as usize, 1);
        assert_eq!(before, 0, "request {number} from {} came again", cx.source());
        let source = cx.source();
        cx.send_with(source, Self::reply(thread, number), payload);
    }

    #[message(key = thread)]
    fn reply(&self, thread: u32, number: u32, payload: &[u64], cx: &mut Handler<'_>) {
        assert_eq!(payload, luggage(cx.source(), number), "the payload of a reply");
        let at = (thread * self.shape.nodes + cx.source().0) * REQUESTS + number;
        let before = self.answered.add(cx, at as usize, 1);
        assert_eq!(before, 0, "the reply to request {number} from {} came again", cx.source());
        cx.signal(&self.replied[thread as usize], 1);
    }

    /// Keys of every kind but the sequential one, under which no flood would rise.
    fn key_of_request(number: u32) -> Key {
        if number.is_multiple_of(4) { Key::NoSync } else { Key::User(u64::from(number % 16)) }
    }

    fn main(&self, thread: &Thread<'_>) {
        for number in 0..REQUESTS {
            for step in 0..thread.nodes() {
                let to = NodeId((thread.node().0 + step) % thread.nodes());
                let (request, payload) = (Self::request(thread.index(), number), luggage(to, number));
                if let Err(Busy(back)) = thread.try_send_with(to, request, &payload) {
                    let fields = |request: Request| (request.thread, request.number);
                    assert_eq!(fields(back), fields(request), "what a send without room handed back");
                    thread.send_with(to, back, &payload);
                }
            }
        }
        thread.wait(&self.replied[thread.index() as usize], u64::from(thread.nodes() * REQUESTS));
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let once = |cells: &Cells<u64>| (0..cells.len()).filter(|&at| cells.get(end, at) == 1).count();
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

impl Protocol for Burst {
    type Config = ();

    fn install(_: &(), setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        let pieces = Cells::new((shape.nodes * FAN_OUT) as usize, 0);
        Self { shape, pieces, arrived: Event::new("conformance.arrived") }
    }
}

#[handlers]
impl Burst {
    /// Has the receiving node send pieces to all nodes from one handler.
    #[message(key = Sequential)]
    fn open(&self, pieces: u64, cx: &mut Handler<'_>) {
        for number in 0..pieces {
            (0..cx.nodes()).for_each(|node| cx.send(NodeId(node), Self::piece(number)));
        }
    }

    #[message(key = number)]
    fn piece(&self, number: u64, cx: &mut Handler<'_>) {
        self.pieces.add(cx, (cx.source().0 * FAN_OUT) as usize + number as usize, 1);
        cx.signal(&self.arrived, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.index() == 0 {
            let right = NodeId((thread.node().0 + 1) % thread.nodes());
            thread.send(right, Self::open(u64::from(FAN_OUT)));
        }
        thread.wait(&self.arrived, u64::from(self.shape.nodes * FAN_OUT));
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let once = (0..self.pieces.len()).filter(|&at| self.pieces.get(end, at) == 1).count();
        let expected = self.pieces.len();
        Report::checked(once == expected, || format!("{once} messages arrived once: expected {expected}"))
    }
}
