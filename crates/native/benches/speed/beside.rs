//! Messages of nodes to themselves on shared cores, beside busy loops of another program: policies whose processors spin for work,
//! compared with a policy whose processors sleep at once.

use std::sync::atomic::{AtomicU64, Ordering};

use tempest::{Event, FinalState, Handler, Job, Protocol, Report, Setup, Shape, Thread, handlers};

use crate::run;
use tradewind_bench::beside;
use tradewind_bench::table::{Aim, TableRow, Unit, paired};

/// Busy loops beside the run.
const LOOPS: usize = 8;

/// Messages that each thread sends in turn, waiting for each.
const MESSAGES: u64 = 100;

/// A node whose threads send to the node itself and wait for the handler.
struct ToItself {
    shape: Shape,
    done: Vec<Event>,
    handled: AtomicU64,
}

impl Protocol for ToItself {
    type Config = ();
    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        let done = (0..node.shape().threads).map(|_| Event::new("done")).collect();
        Self { shape: node.shape(), done, handled: AtomicU64::new(0) }
    }
}

#[handlers]
impl ToItself {
    #[message(key = thread)]
    fn work(&self, thread: u64, cx: &mut Handler<'_>) {
        self.handled.fetch_add(1, Ordering::Relaxed);
        cx.signal(&self.done[thread as usize], 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        let me = thread.index();
        for number in 1..=MESSAGES {
            thread.send(thread.node(), Self::work(me.into()));
            thread.wait(&self.done[me as usize], number);
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        let (handled, sent) =
            (self.handled.load(Ordering::Relaxed), u64::from(self.shape.threads) * MESSAGES);
        Report::checked(handled == sent, || format!("{handled} handled of {sent}"))
    }
}

/// Microseconds per message of two nodes of three processors; the messages of each node are handled one after the other.
fn to_itself(policy: &str) -> f64 {
    let outcome = run(Job::new::<ToItself>(()), 2, 3, 1, policy);
    outcome.timed().as_seconds() * 1e6 / (outcome.counters.handlers as f64 / 2.0)
}

/// Policies that look for work before they sleep.
pub(crate) fn rows() -> Vec<TableRow> {
    let row = |policy| {
        let figures = beside(LOOPS, || paired(|| to_itself(policy), || to_itself("fixed:2+interrupt")));
        let what = format!("message to itself beside {LOOPS} busy loops, {policy}");
        TableRow::new(what, Unit::Microseconds, figures, "fixed:2+interrupt", Aim::Ratio(3.0, 6.0))
    };
    ["fixed:2", "hurricane-1:2"].map(row).into()
}
