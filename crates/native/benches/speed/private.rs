//! *Private*: an array of a thread beside a slice, element by element and by a view.

use std::hint::black_box;
use std::time::Instant;

use tempest::{Cells, FinalState, Job, Merge, Protocol, Report, Setup, Thread, handlers};

use crate::run;
use tradewind_bench::table::{Aim, TableRow, Unit, paired};

/// Number of elements, which fit a cache; and the number of loads of each.
const FEW: usize = 1024;
const ROUNDS: usize = 64 * 1024;

/// The way in which the thread loads the elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Element,
    View,
}

struct Load {
    way: Way,
    /// Nanoseconds per element.
    took: Cells<f64>,
}

impl Protocol for Load {
    type Config = Way;
    fn install(&way: &Way, _: &mut Setup<'_>) -> Self {
        Self { way, took: Cells::new(1, 0.0) }
    }
}

#[handlers]
impl Load {
    fn main(&self, thread: &Thread<'_>) {
        let mut array = thread.private::<u32>("loaded", FEW);
        let places = black_box(places());
        array.view_mut(thread, 0..FEW).iter_mut().zip(0..).for_each(|(element, value)| *element = value);
        let took = match self.way {
            Way::Element => timed(|| {
                places.iter().map(|&place| array.get(thread, place.into())).fold(0, u32::wrapping_add)
            }),
            Way::View => timed(|| sum(black_box(array.view(thread, 0..FEW)))),
        };
        self.took.set(thread, 0, took);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        Report::checked(self.took.get(end, 0) > 0.0, || "nothing was timed".to_owned()).measured(
            "took",
            self.took.get(end, 0),
            "ns",
            Merge::Max,
        )
    }
}

/// The indices of all elements, in a scattered order.
fn places() -> Vec<u16> {
    (0..FEW as u16).map(|place| place.wrapping_mul(611) % FEW as u16).collect()
}

fn sum(elements: &[u32]) -> u32 {
    elements.iter().fold(0, |sum, element| sum.wrapping_add(*element))
}

/// Nanoseconds per element of `all`, which adds up all elements.
fn timed(mut all: impl FnMut() -> u32) -> f64 {
    let start = Instant::now();
    let due = (0..FEW as u32).sum::<u32>();
    assert!((0..ROUNDS).all(|_| all() == due), "the sum of all elements");
    start.elapsed().as_nanos() as f64 / (FEW * ROUNDS) as f64
}

fn ours(way: Way) -> f64 {
    let report = run(Job::new::<Load>(way), 1, 1, 1, "single").report;
    report.figures.iter().find(|figure| figure.name == "took").expect("it is reported").value
}

fn slice(way: Way) -> f64 {
    let (elements, places): (Vec<u32>, _) = ((0..FEW as u32).collect(), black_box(places()));
    let elements = black_box(&elements[..]);
    match way {
        Way::Element => {
            timed(|| places.iter().map(|&place| elements[usize::from(place)]).fold(0, u32::wrapping_add))
        }
        Way::View => timed(|| sum(black_box(elements))),
    }
}

/// An element, and an element of a view.
pub(crate) fn rows() -> Vec<TableRow> {
    let row = |what: &str, way, aim| {
        TableRow::new(what, Unit::Nanoseconds, paired(|| ours(way), || slice(way)), "slice", aim)
    };
    vec![
        row("private array, an element", Way::Element, Aim::Ratio(1.5, 3.0)),
        row("private array, an element of a view", Way::View, Aim::Ratio(1.1, 1.5)),
    ]
}
