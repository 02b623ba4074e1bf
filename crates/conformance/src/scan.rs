//! A running reduction has one answer, to the bit, regardless of the last thread to come.
//!
//! The reference is a sequential run of the rounds that [`Scan::inclusive`] states.

use std::num::NonZeroU32;
use std::sync::Arc;

use protocols::sync::{Number, Reduction, Scan, SharedCollectives};
use tempest::{Cells, FinalState, Protocol, Report, Setup, Shape, Thread, handlers};

use crate::Setting;
use crate::barrier::dawdle;
use crate::reduction::Medium;

/// Scans in a row.
const ROUNDS: u32 = 5;

/// More values than a message has room for.
const VALUES: usize = 20;

/// Each thread gets the reduction of the numbers up to its own, in the stated order, by messages.
pub fn scans_are_exact(setting: &Setting<'_>) {
    setting.verified::<Running>("scans_are_exact", Medium::Messages, 2);
}

/// Scans through shared memory have the answers of those by messages.
pub fn shared_scans_are_exact(setting: &Setting<'_>) {
    for (block, words) in [(16, 3), (128, 32)] {
        setting.verified::<Running>("shared_scans_are_exact", Medium::shared(setting.nodes, block, words), 2);
    }
}

enum Installed {
    Messages(Arc<Scan>),
    Shared(Box<SharedCollectives>),
}

struct Running {
    shape: Shape,
    scan: Installed,
    /// The number of right answers, and of wrong ones.
    right: Cells<u64>,
}

impl Protocol for Running {
    type Config = Medium;

    fn install(medium: &Medium, setup: &mut Setup<'_>) -> Self {
        let fan_in = NonZeroU32::MIN.saturating_add(1);
        let scan = match medium.bind(fan_in, setup) {
            Some(shared) => Installed::Shared(shared),
            None => Installed::Messages(setup.install::<Scan>(&fan_in)),
        };
        Self { shape: setup.shape(), scan, right: Cells::new(2, 0) }
    }
}

/// A number of a thread: sums of these round differently in different orders.
fn real(thread: u32, place: usize) -> f64 {
    let sign = if thread.is_multiple_of(2) { 1.0 } else { -1.0 };
    sign * 10_f64.powi(((thread as usize * 7 + place * 3) % 17) as i32) / 3.0
}

fn whole(thread: u32, place: usize) -> u64 {
    (u64::from(thread) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(place as u32)
}

impl Running {
    /// Required answers of each thread, by thread: the rounds of doubling distance, one after the other.
    fn expected<T: Number>(&self, by: Reduction, of: &dyn Fn(u32) -> T) -> Vec<T> {
        let Shape { nodes, threads } = self.shape;
        let own = |node: u32| {
            (node * threads..(node + 1) * threads).map(of).reduce(|all, next| all.reduced(next, by))
        };
        let mut all: Vec<T> = (0..nodes).map(|node| own(node).expect("a node has threads")).collect();
        let mut before: Vec<Option<T>> = vec![None; nodes as usize];
        let mut distance = 1;
        while distance < nodes as usize {
            let heard = all.clone();
            for node in distance..nodes as usize {
                let from = heard[node - distance];
                all[node] = from.reduced(all[node], by);
                before[node] = Some(before[node].map_or(from, |before| from.reduced(before, by)));
            }
            distance *= 2;
        }
        let mut told = Vec::new();
        for node in 0..nodes {
            let mut running = before[node as usize];
            for value in (node * threads..(node + 1) * threads).map(of) {
                let next = running.map_or(value, |running| running.reduced(value, by));
                told.push(next);
                running = Some(next);
            }
        }
        told
    }

    fn run<T: Number>(&self, thread: &Thread<'_>, by: Reduction, values: &mut [T]) {
        match &self.scan {
            Installed::Messages(scan) => scan.inclusive_each(thread, by, values),
            Installed::Shared(scan) => scan.inclusive_each(thread, by, values),
        }
    }

    fn check<T: Number>(&self, thread: &Thread<'_>, by: Reduction, of: &dyn Fn(u32, usize) -> T) {
        let mine = thread.node().0 * thread.threads() + thread.index();
        let mut values: Vec<T> = (0..VALUES).map(|place| of(mine, place)).collect();
        self.run(thread, by, &mut values);
        for (place, value) in values.iter().enumerate() {
            let expected = self.expected(by, &|thread| of(thread, place))[mine as usize];
            self.right.add(thread, usize::from(value.to_bits() != expected.to_bits()), 1);
        }
    }
}

#[handlers]
impl Running {
    fn main(&self, thread: &Thread<'_>) {
        let mine = thread.node().0 * thread.threads() + thread.index();
        for round in 0..ROUNDS {
            if round % (self.shape.nodes * self.shape.threads) == mine {
                dawdle(thread);
            }
            self.check(thread, Reduction::Sum, &real);
            self.check(thread, Reduction::Sum, &whole);
            self.check(thread, Reduction::Max, &whole);
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let (right, wrong) = (self.right.get(end, 0), self.right.get(end, 1));
        Report::checked(wrong == 0 && right > 0, || format!("{wrong} answers were wrong, {right} right"))
    }
}
