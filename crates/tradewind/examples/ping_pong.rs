//! The time of a round trip, measured on this host and on modelled machines: runs from code, without a command line.
//!
//! ```text
//! cargo run --example ping_pong
//! ```

#![allow(clippy::print_stdout)]

use tradewind::prelude::*;
use tradewind::worlds::{Error, Run, Target};

/// Node 0 sends a ball to the next node and waits until it comes back.
#[program]
struct PingPong {
    /// round trips
    #[input(default = 1000, range = 1..=1_000_000)]
    rounds: u32,
    #[event]
    returned: Event,
    /// The time of all round trips, in nanoseconds.
    #[cells(1)]
    nanoseconds: Cells<f64>,
}

#[handlers]
impl PingPong {
    /// Asks for the ball back.
    #[message]
    fn there(&self, round: u32, cx: &mut Handler<'_>) {
        let source = cx.source();
        cx.send(source, Self::back(round));
    }

    /// Returns the ball.
    #[message]
    fn back(&self, _round: u32, cx: &mut Handler<'_>) {
        cx.signal(&self.returned, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.phase("rounds");
        if thread.node() != NodeId(0) || thread.index() != 0 {
            return;
        }
        let begin = thread.now();
        for round in 1..=self.rounds {
            thread.send(thread.next_node(), Self::there(round));
            thread.wait(&self.returned, round.into());
        }
        self.nanoseconds.set(thread, 0, (thread.now().as_seconds() - begin.as_seconds()) * 1e9);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let due = if end.node() == NodeId(0) { u64::from(self.rounds) } else { 0 };
        let found = self.returned.count(end);
        Report::checked(found == due, || format!("{found} balls came back, not {due}")).measured(
            "round-trip",
            self.nanoseconds.get(end, 0) / f64::from(self.rounds),
            "ns",
            Merge::Max,
        )
    }
}

/// The time of a round trip on a machine, in nanoseconds.
fn round_trip(machine: &str) -> Result<f64, Error> {
    let run = Run::of(&PingPong::ENTRY).on(Target::find(machine, &[])?).nodes(2).processors(1);
    let outcome = run.input("rounds", "200").run()?;
    assert!(outcome.report.verified(), "{:?}", outcome.report.failures);
    Ok(outcome.report.figures[0].value)
}

fn main() -> Result<(), Error> {
    for machine in ["native", "ideal", "paragon", "cm-5", "t3d"] {
        println!("{machine:10} {:8.1} ns", round_trip(machine)?);
    }
    Ok(())
}
