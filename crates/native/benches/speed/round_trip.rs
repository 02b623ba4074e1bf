//! *Round trip*: a thread sends a request to another node, whose handler replies, and waits for the reply; beside a raw
//! ping-pong over two cache lines between two OS threads pinned to the same cores.

use bytemuck::{Pod, Zeroable};
use tempest::{Event, Handler, Job, Key, Message, NodeId, Program, Protocol, Quiet, Report, Setup, Thread};

use crate::common::raw_round_trip;
use crate::run;
use crate::table::{Aim, Row, Unit, paired};

const TRIPS: u64 = 200_000;

/// Thread 0 of node 0 counts as far as the other node echoes.
struct Echo {
    replies: Event,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Ping {
    number: u64,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Pong {
    number: u64,
}

impl Message for Ping {
    type Protocol = Echo;
    fn key(&self) -> Key {
        Key::User(0)
    }
    fn handle(self, _: &Echo, _: &[u64], cx: &mut Handler<'_>) {
        let back = cx.source();
        cx.send(back, Pong { number: self.number });
    }
}

impl Message for Pong {
    type Protocol = Echo;
    fn key(&self) -> Key {
        Key::User(0)
    }
    fn handle(self, echo: &Echo, _: &[u64], cx: &mut Handler<'_>) {
        assert_eq!(self.number, echo.replies.count(), "replies come in order");
        cx.signal(&echo.replies, 1);
    }
}

impl tempest::Handlers for Echo {
    fn register(messages: &mut tempest::Messages<'_, Self>) {
        messages.add::<Ping>();
        messages.add::<Pong>();
    }
}

impl Protocol for Echo {
    type Config = ();
    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self { replies: Event::new("replies") }
    }
}

impl Program for Echo {
    fn main(&self, thread: &Thread<'_>) {
        thread.phase("echo");
        if thread.node() == NodeId(0) && thread.index() == 0 {
            for number in 0..TRIPS {
                thread.send(NodeId(1), Ping { number });
                thread.wait(&self.replies, number + 1);
            }
        }
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        let count = self.replies.count();
        Report::checked(count == 0 || count == TRIPS, || format!("{count} replies of {TRIPS}"))
    }
}

/// A thread's request, its handler, the reply's handler, the thread that goes on.
pub(crate) fn rows() -> Vec<Row> {
    let ours = || run(Job::new::<Echo>(()), 2, 1, 1, "single").timed().as_nanoseconds() / TRIPS as f64;
    let figures = paired(ours, || raw_round_trip(TRIPS));
    vec![Row::new("handler round trip", Unit::Nanoseconds, figures, "raw round trip", Aim::Ratio(1.2, 1.6))]
}
