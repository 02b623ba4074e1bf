//! Rounds: every contender of a cell in turn, again and again, and the medians.
//!
//! The host's speed drifts, so ratios are taken within a round. It must never know how contenders are built.

use std::time::{Duration, Instant};

use tradewind_bench::median;

use crate::contenders::{Kind, Name};
use crate::harness::Contestant;
use crate::host;
use crate::options::Options;
use crate::state;
use crate::workload::{Cell, Draws, LONGEST};

/// Results of one cell.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) cell: Cell,
    /// Millions of items in a second, by round.
    rates: Vec<(Name, Vec<f64>)>,
    /// The largest share of one key in the items.
    largest_share: f64,
    /// Runs that count although their threads had to wait for a core.
    pub(crate) disturbed: usize,
}

impl Measured {
    fn rounds(&self, name: Name) -> Option<&[f64]> {
        self.rates.iter().find(|(other, _)| *other == name).map(|(_, rates)| rates.as_slice())
    }

    /// Millions of items in a second.
    pub(crate) fn rate(&self, name: Name) -> Option<f64> {
        self.rounds(name).map(median)
    }

    /// Our rate by another's.
    pub(crate) fn ours_by(&self, other: Name) -> Option<f64> {
        let (ours, others) = (self.rounds(Name::Ours)?, self.rounds(other)?);
        let ratios: Vec<_> = ours.iter().zip(others).map(|(a, b)| a / b).collect();
        Some(median(&ratios))
    }

    /// Runs that count.
    pub(crate) fn runs(&self) -> usize {
        self.rates.iter().map(|(_, rates)| rates.len()).sum()
    }

    /// The fastest of a kind.
    pub(crate) fn best(&self, kind: Kind) -> Option<Name> {
        let of_kind = self.rates.iter().filter(|(name, _)| name.kind() == kind);
        of_kind.max_by(|a, b| median(&a.1).total_cmp(&median(&b.1))).map(|(name, _)| *name)
    }

    /// Our rate by the fastest's of a kind.
    pub(crate) fn ours_by_best(&self, kind: Kind) -> Option<f64> {
        self.ours_by(self.best(kind)?)
    }

    /// Ratio of our rate to the ceiling that the shares of the keys allow: as many workers, each as fast as one
    /// thread without a queue.
    pub(crate) fn ours_by_ceiling(&self) -> Option<f64> {
        let threads = (self.cell.topology.workers() as f64).min(1.0 / self.largest_share);
        Some(self.ours_by(Name::OneThread)? / threads)
    }
}

/// Target duration of one run, and its least number of items.
struct Scale {
    run: Duration,
    fewest: usize,
    /// Time that may still be spent on repeating disturbed runs.
    patience: Duration,
}

/// A run is disturbed if its threads waited for a core for more than this part of its time.
const DISTURBED: f64 = 0.03;
/// Most repetitions of a disturbed run.
const REPEATED: usize = 3;

/// Runs all cells.
pub(crate) fn measure(options: &Options) -> Vec<Measured> {
    let mut scale = if options.quick {
        Scale { run: Duration::from_millis(12), fewest: 1 << 14, patience: Duration::from_secs(5) }
    } else {
        Scale { run: Duration::from_millis(70), fewest: 1 << 16, patience: Duration::from_secs(60) }
    };
    // Once for all cells, so that they can be compared.
    let iterations: Vec<_> =
        options.handlers().iter().map(|&handler| (handler, state::calibrate(handler))).collect();
    eprintln!("handlers (ns, iterations): {iterations:?}");
    let mut all = Vec::new();
    for &keys in options.keys() {
        let draws = Draws::new(keys);
        for cell in options.cells(keys) {
            let (_, iterations) = iterations
                .iter()
                .find(|(handler, _)| *handler == cell.handler)
                .expect("a cell's handler is one of the options");
            all.push(measure_cell(cell, *iterations, &draws, options, &mut scale));
        }
    }
    all
}

fn measure_cell(
    cell: Cell,
    iterations: u32,
    draws: &Draws,
    options: &Options,
    scale: &mut Scale,
) -> Measured {
    eprint!("{cell}:");
    let mut racers: Vec<_> = options
        .contenders(cell)
        .into_iter()
        .map(|name| {
            eprint!(" {}", name.text());
            let mut racer = Racer {
                name,
                contestant: name.build(cell, iterations),
                items: scale.fewest,
                rates: Vec::new(),
            };
            // The first run warms up and says how many items fill the time.
            let (rate, _) = racer.run(cell, draws);
            let items = rate * 1e6 * scale.run.as_secs_f64();
            racer.items = (items as usize).clamp(scale.fewest, LONGEST) & !1;
            racer
        })
        .collect();
    let mut disturbed = 0;
    for round in 0..options.rounds {
        // Rotates the order, so that no contender always runs after the same one, or always last.
        let first = round % racers.len().max(1);
        racers.rotate_left(first);
        for racer in &mut racers {
            let (rate, waiting) = racer.run_in_quiet(cell, draws, &mut scale.patience);
            racer.rates.push(rate);
            disturbed += usize::from(waiting > DISTURBED);
        }
        racers.rotate_right(first);
    }
    eprintln!();
    Measured {
        cell,
        rates: racers.into_iter().map(|racer| (racer.name, racer.rates)).collect(),
        largest_share: draws.largest_share(),
        disturbed,
    }
}

struct Racer {
    name: Name,
    contestant: Box<dyn Contestant>,
    items: usize,
    rates: Vec<f64>,
}

impl Racer {
    /// Millions of items in a second, and which part of the time threads waited for a core.
    fn run(&mut self, cell: Cell, draws: &Draws) -> (f64, f64) {
        let streams = draws.take(self.name.topology(cell), self.items);
        let before = host::waited();
        let elapsed = self.contestant.run(&streams);
        let waited = host::waited().saturating_sub(before);
        let rate = streams.items() as f64 / elapsed.as_secs_f64() / 1e6;
        (rate, waited.as_secs_f64() / elapsed.as_secs_f64())
    }

    /// The least disturbed of some runs; one is enough if it was not disturbed.
    fn run_in_quiet(&mut self, cell: Cell, draws: &Draws, patience: &mut Duration) -> (f64, f64) {
        let mut best = self.run(cell, draws);
        for _ in 0..REPEATED {
            if best.1 <= DISTURBED || patience.is_zero() {
                break;
            }
            let start = Instant::now();
            let again = self.run(cell, draws);
            *patience = patience.saturating_sub(start.elapsed());
            if again.1 < best.1 {
                best = again;
            }
        }
        best
    }
}
