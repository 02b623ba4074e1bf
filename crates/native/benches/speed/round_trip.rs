//! *Round trip*: a thread sends a request to another node, whose handler replies, and waits for the reply; beside a raw
//! ping-pong over two cache lines between two OS threads pinned to the same cores.

use tempest::outcome::Outcome;
use tempest::{Event, FinalState, Handler, Job, NodeId, Protocol, Report, Setup, Thread, handlers};

use crate::run;
use tradewind_bench::raw_round_trip;
use tradewind_bench::table::{Aim, TableRow, Unit, paired};

const TRIPS: u64 = 200_000;

/// Thread 0 of node 0 counts as far as the other node echoes.
struct Echo {
    replies: Event,
}

impl Protocol for Echo {
    type Config = ();
    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self { replies: Event::new("replies") }
    }
}

#[handlers]
impl Echo {
    #[message(key = 0)]
    fn ping(&self, number: u64, cx: &mut Handler<'_>) {
        let back = cx.source();
        cx.send(back, Self::pong(number));
    }

    #[message(key = 0)]
    fn pong(&self, number: u64, cx: &mut Handler<'_>) {
        assert_eq!(number, self.replies.count(cx), "replies come in order");
        cx.signal(&self.replies, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.phase("echo");
        if thread.node() == NodeId(0) && thread.index() == 0 {
            for number in 0..TRIPS {
                thread.send(NodeId(1), Self::ping(number));
                thread.wait(&self.replies, number + 1);
            }
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let count = self.replies.count(end);
        Report::checked(count == 0 || count == TRIPS, || format!("{count} replies of {TRIPS}"))
    }
}

/// The program.
pub(crate) fn job() -> Job {
    Job::new::<Echo>(())
}

/// Nanoseconds of a round trip.
pub(crate) fn time(outcome: &Outcome) -> f64 {
    outcome.timed().as_nanoseconds() / TRIPS as f64
}

/// A thread's request, its handler, the reply's handler, the thread that goes on.
pub(crate) fn rows() -> Vec<TableRow> {
    let ours = || time(&run(job(), 2, 1, 1, "single"));
    let figures = paired(ours, || raw_round_trip(TRIPS));
    vec![TableRow::new(
        "handler round trip",
        Unit::Nanoseconds,
        figures,
        "raw round trip",
        Aim::Ratio(1.2, 1.6),
    )]
}
