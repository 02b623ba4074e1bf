//! A comparison from code, without a command line: the best policy on each of two machines, the reason, and the comparison as JSON.
//!
//! ```text
//! cargo run --release -p tradewind --example library
//! ```
//!
//! A crate that does no more than this depends on `tradewind` with `default-features = false`.

#![allow(clippy::print_stderr)]

use std::error::Error;
use std::io::{self, Write};

use tradewind::compare::finding;
use tradewind::prelude::*;
use tradewind::report::{document, words};
use tradewind::worlds::{Compared, Comparison, Subject, Target};
use tradewind::{documents, machines};

/// Each thread of a node asks the next node to add up numbers.
#[program]
struct Sums {
    /// numbers that each node sends
    #[input(default = 400, range = 1..=100_000)]
    numbers: u32,
    #[cells(1)]
    sum: Cells<u64>,
}

#[handlers]
impl Sums {
    /// Adds a number.
    #[message]
    fn add(&self, number: u64, cx: &mut Handler<'_>) {
        self.sum.add(cx, 0, number);
    }

    fn main(&self, thread: &Thread<'_>) {
        for number in thread.share(0..self.numbers) {
            thread.send(thread.next_node(), Self::add(number));
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let due = (0..u64::from(self.numbers)).sum::<u64>();
        Report::checked(self.sum.get(end, 0) == due, || {
            format!("the sum is {}, not {due}", self.sum.get(end, 0))
        })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let subject = Subject::load(&Sums::ENTRY, &[("numbers", "200")])?;
    let targets = vec![Target::from(machines::get("paragon")?), Target::from(machines::get("hurricane")?)];
    let comparison = Comparison::new(subject, targets);
    let rankings: Vec<_> = comparison.run().into_iter().map(Compared::ranking).collect();

    for ranking in &rankings {
        let found = finding::of(ranking);
        let best = found.winner.as_ref().ok_or("no answer was right")?;
        writeln!(io::stderr(), "{}: {} is the best of {}", ranking.machine.name, best.policy, ranking.ran())?;
        writeln!(io::stderr(), "    {}", words::finding(&found))?;
    }
    document::write(&mut io::stdout(), &documents::comparison(&comparison, &rankings))?;
    Ok(())
}
