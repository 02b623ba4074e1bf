//! Work costs: the time of an operation in loops such as programs have, of a cycle, and of a load that misses.
//!
//! A processor that does several things at once has no price of one operation alone: its neighbours hide a part of
//! it. So operations are measured in the two loops that sparse problems are made of, written as programs of this
//! project are, with words in cells and the work charged beside each step. Both loops go through a sparse matrix of
//! short irregular rows.
//!
//! - *Gathering* multiplies the matrix by a vector, row by row. Each subtraction needs the result before.
//! - *Scattering* goes through the same entries, and subtracts each product from the sum that the entry names.
//! - A *chain* is made of integer operations, each of which needs the result before: a cycle each on most processors.
//! - *Chasing* loads the index of the next load.
//!
//! Gathering and scattering are repeated at once, and also each time after much other memory has been read, because
//! some programs go through their data often and others once.
//!
//! # Figures
//!
//! All in nanoseconds.
//!
//! | figure | timed operation |
//! |---|---|
//! | `again` | an operation of gathering and scattering, repeated at once |
//! | `once` | an operation of gathering and scattering, after much other memory has been read |
//! | `operation` | the mean of `again` and `once` |
//! | `poll` | the extra time of gathering with a poll at each entry |
//! | `chain` | an operation of a chain |
//! | `miss` | a load while chasing |
//!
//! # Timed regions
//!
//! `measure`.
//!
//! # How it is checked
//!
//! Every sum is compared with one computed in integers. The chain is undone and must give its first word. Chasing
//! must come back to its beginning after as many loads as there are words.

use std::hint::black_box;

use tempest::entry::mix;
use tempest::*;

/// The work of gathering one entry: load its weight, its column and the value there; multiply and subtract; the loop.
const GATHER: Operations = Operations::NONE.loads(3).flops(2).integers(3);

/// The work of scattering one entry: load its weight, its place and the sum there; multiply and subtract; store the
/// sum; the loop.
const SCATTER: Operations = Operations::NONE.loads(3).flops(2).stores(1).integers(3);

/// The work of one row beside its entries: load its end and its value, or store its sum; the loop.
const ROW: Operations = Operations::NONE.loads(2).stores(1).integers(3);

/// The work of one step of a chain: mix a word in, and rotate the bits.
const LINK: Operations = Operations::NONE.integers(2);

/// The word that a step of a chain mixes in: the fraction of the golden ratio.
const MIXED: u64 = 0x9e37_79b9_7f4a_7c15;

/// The most entries of a row.
const LONGEST: u64 = 16;

/// A round out of this number is measured after other memory has been read.
const ELSE: u32 = 10;

/// The steps of a chain that are timed together, and the loads while chasing.
const LINKS: u32 = 4096;
const CHASED: u32 = 1 << 16;

/// The names of the figures, in the order of their cells.
const NAMES: [&str; 6] = ["again", "once", "operation", "poll", "chain", "miss"];

/// The time of operations of a program, and of a load that misses.
#[program]
pub struct WorkCosts {
    /// repetitions of each loop
    #[input(default = 50, range = 1..=1_000_000)]
    rounds: u32,
    /// rows of the matrix
    #[input(default = 8192, range = 16..=1 << 20)]
    rows: u32,
    /// words that are chased through, too many for a cache
    #[input(default = 4194304, range = 16..=1 << 27)]
    far: u32,
    #[cells(NAMES.len(), value = f64::NAN)]
    measured: Cells<f64>,
    #[cells(1)]
    checks: Cells<u64>,
    #[cells(1)]
    wrong: Cells<u64>,
}

/// A sparse matrix of small whole numbers, so that sums are exact in any order.
struct Matrix {
    /// Offsets into `places` and `weights`: row i has the entries `first[i]..first[i + 1]`.
    first: Vec<u32>,
    places: Vec<u32>,
    weights: Vec<f64>,
}

/// A small whole number that depends on a word.
fn small(word: u64) -> u64 {
    mix(word) % 16
}

impl Matrix {
    fn new(rows: u32) -> Self {
        let lengths = (0..u64::from(rows)).map(|row| 1 + mix(row) % LONGEST);
        let ends = lengths.scan(0, |end, length| {
            *end += length as u32;
            Some(*end)
        });
        let first: Vec<u32> = [0].into_iter().chain(ends).collect();
        let entries = 0..u64::from(first[rows as usize]);
        let places = entries.clone().map(|entry| (mix(!entry) % u64::from(rows)) as u32).collect();
        Self { first, places, weights: entries.map(|entry| small(entry) as f64).collect() }
    }

    fn rows(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.first.windows(2).map(|ends| ends[0] as usize..ends[1] as usize)
    }

    /// Computes the sum of each row: 0 less weight times value, for each of its entries. Calls `each` at each entry.
    fn gather(&self, thread: &Thread<'_>, sums: &Cells<f64>, values: &Cells<f64>, each: impl Fn()) {
        for (row, entries) in self.rows().enumerate() {
            thread.charge(ROW);
            let terms = self.weights[entries.clone()].iter().zip(&self.places[entries]);
            let sum = terms.fold(0.0, |sum: f64, (weight, place)| {
                thread.charge(GATHER);
                each();
                sum - weight * values.get(thread, *place as usize)
            });
            sums.set(thread, row, sum);
        }
    }

    /// Subtracts weight times the value of the row from the sum that each entry names.
    fn scatter(&self, thread: &Thread<'_>, sums: &Cells<f64>, values: &Cells<f64>) {
        for (row, entries) in self.rows().enumerate() {
            thread.charge(ROW);
            let value = values.get(thread, row);
            for (weight, place) in self.weights[entries.clone()].iter().zip(&self.places[entries]) {
                thread.charge(SCATTER);
                let place = *place as usize;
                sums.set(thread, place, sums.get(thread, place) - weight * value);
            }
        }
    }

    /// The expected sums of gathering and of scattering, computed in integers.
    fn expected(&self) -> [Vec<i64>; 2] {
        let rows = self.first.len() - 1;
        let mut sums = [vec![0; rows], vec![0; rows]];
        for (row, entries) in self.rows().enumerate() {
            for entry in entries {
                let (weight, place) = (small(entry as u64) as i64, self.places[entry] as usize);
                sums[0][row] -= weight * small(place as u64) as i64;
                sums[1][place] -= weight * small(row as u64) as i64;
            }
        }
        sums
    }

    /// The number of operations charged in one pass, if each entry has the operations `each`.
    fn operations(&self, each: Operations) -> u32 {
        let count = |it: Operations| it.loads + it.stores + it.flops + it.integers;
        count(each) * self.places.len() as u32 + count(ROW) * (self.first.len() - 1) as u32
    }
}

/// A random cyclic order of the numbers below `count`: the successor of each number.
fn circle(count: u32) -> Vec<u32> {
    let mut next: Vec<u32> = (0..count).collect();
    for place in (1..count as usize).rev() {
        // Sattolo's shuffle never exchanges a number with itself, so the result is one cycle.
        next.swap(place, (mix(place as u64) % place as u64) as usize);
    }
    next
}

/// Makes a step of a chain. [`undo`] is its inverse.
fn link(word: u64) -> u64 {
    (word ^ MIXED).rotate_left(7)
}

fn undo(word: u64) -> u64 {
    word.rotate_right(7) ^ MIXED
}

#[handlers]
impl WorkCosts {
    fn check(&self, thread: &Thread<'_>, right: bool) {
        self.checks.add(thread, 0, 1);
        self.wrong.add(thread, 0, u64::from(!right));
    }

    fn put(&self, thread: &Thread<'_>, name: &str, nanoseconds: f64) {
        if let Some(place) = NAMES.iter().position(|known| *known == name) {
            self.measured.set(thread, place, nanoseconds);
        }
    }

    /// The median time of `what` over `rounds` rounds, in nanoseconds. Calls `before` before each round, which is not
    /// timed.
    fn time(&self, thread: &Thread<'_>, rounds: u32, before: impl Fn(), mut what: impl FnMut()) -> f64 {
        let mut times: Vec<_> = (0..rounds)
            .map(|_| {
                before();
                let start = thread.now();
                what();
                thread.now() - start
            })
            .collect();
        times.sort_unstable();
        times[times.len() / 2].as_nanoseconds()
    }

    fn measure_loops(&self, thread: &Thread<'_>, far: &Private<u32>) {
        let matrix = Matrix::new(self.rows);
        let rows = self.rows as usize;
        let values = Cells::new(rows, 0.0);
        (0..rows).for_each(|row| values.set(thread, row, small(row as u64) as f64));
        let (gathered, scattered) = (Cells::new(rows, 0.0), Cells::new(rows, 0.0));
        let mut passes = 0;
        let mut pass = || {
            matrix.gather(thread, &gathered, &values, || ());
            matrix.scatter(thread, &scattered, &values);
            passes += 1;
        };
        let operations = f64::from(matrix.operations(GATHER) + matrix.operations(SCATTER));
        let again = self.time(thread, self.rounds, || (), &mut pass) / operations;
        let read_much = || {
            black_box(far.view(thread, 0..far.len()).iter().fold(0, |all, one| all ^ one));
        };
        let once = self.time(thread, self.rounds.div_ceil(ELSE), read_much, &mut pass) / operations;
        self.put(thread, "again", again);
        self.put(thread, "once", once);
        self.put(thread, "operation", f64::midpoint(again, once));
        let polling = self.time(
            thread,
            self.rounds,
            || (),
            || {
                matrix.gather(thread, &gathered, &values, || thread.poll());
            },
        );
        let silent = self.time(
            thread,
            self.rounds,
            || (),
            || {
                matrix.gather(thread, &gathered, &values, || ());
            },
        );
        self.put(thread, "poll", (polling - silent) / matrix.places.len() as f64);
        let [gathers, scatters] = matrix.expected();
        for row in 0..rows {
            self.check(thread, gathered.get(thread, row) == gathers[row] as f64);
            // The sums of scattering add up over the passes.
            self.check(thread, scattered.get(thread, row) == (scatters[row] * passes) as f64);
        }
    }

    fn measure_chain(&self, thread: &Thread<'_>) {
        let mut found = 0;
        let time = self.time(
            thread,
            self.rounds,
            || (),
            || {
                thread.charge(LINK.times(LINKS));
                found = black_box((0..LINKS).fold(black_box(1), |word, _| link(word)));
            },
        );
        self.put(thread, "chain", time / f64::from(LINKS) / f64::from(LINK.integers));
        self.check(thread, (0..LINKS).fold(found, |word, _| undo(word)) == 1);
    }

    fn measure_chase(&self, thread: &Thread<'_>, next: &Private<u32>) {
        let chase =
            |from: u32, loads: u32| (0..loads).fold(from, |place, _| next.get(thread, place as usize));
        let loads = CHASED.min(self.far);
        let begin = black_box(0);
        let start = thread.now();
        let there = black_box(chase(begin, loads));
        self.put(thread, "miss", (thread.now() - start).as_nanoseconds() / f64::from(loads));
        self.check(thread, chase(there, self.far - loads) == begin);
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.phase("measure");
        if thread.index() == 0 && thread.node() == NodeId(0) {
            let far = thread.private_of("far", circle(self.far));
            self.measure_loops(thread, &far);
            self.measure_chain(thread);
            self.measure_chase(thread, &far);
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let wrong = self.wrong.get(end, 0);
        let failures = if wrong > 0 { vec![format!("{wrong} results were wrong")] } else { Vec::new() };
        let report = Report { checks: self.checks.get(end, 0), failures, ..Report::default() };
        let figures = NAMES.iter().zip(0..).map(|(name, place)| (*name, self.measured.get(end, place)));
        let known = figures.filter(|(_, value)| value.is_finite());
        known.fold(report, |report, (name, value)| report.measured(name, value, "ns", Merge::Max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_comes_back_after_all() {
        for count in [16, 17, 1000] {
            let next = circle(count);
            let mut place = 0;
            for step in 1..=count {
                place = next[place as usize];
                assert_eq!(place == 0, step == count, "{count}");
            }
        }
    }

    #[test]
    fn a_chain_is_undone() {
        // (1 xor the word) begins with 9e37…14: its first seven bits, 1001111, come last.
        assert_eq!(link(1) & 0x7f, 0b100_1111);
        assert_eq!(undo(link(5)), 5);
    }

    #[test]
    fn operations_are_those_of_the_entries_and_of_the_rows() {
        let matrix = Matrix { first: vec![0, 2, 3], places: vec![1, 0, 1], weights: vec![0.0; 3] };
        // Three entries of eight, two rows of six.
        assert_eq!(matrix.operations(GATHER), 36);
    }
}
