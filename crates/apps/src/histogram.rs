//! Histogram: threads count squares into bins of the next node. The program of `docs/new-program.md`.
//!
//! # Inputs
//!
//! | input | kind | default | meaning |
//! |---|---|---|---|
//! | `values` | an integer from 1 to 999999 | 9999 | values of each node |

use tempest::entry::plain::*;

/// One node's bins, and how many values the threads of each node count.
pub struct Histogram {
    values: u64,
    bins: Cells<u64>,
}

/// Asks for a value to be counted in a bin.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Count(u64);

impl Message for Count {
    type Protocol = Histogram;
    fn key(&self) -> Key {
        Key::User(self.0) // handlers of one bin run one at a time
    }
    fn handle(self, histogram: &Histogram, _payload: &[u64], _cx: &mut Handler<'_>) {
        histogram.bins.set(self.0 as usize, histogram.bins.get(self.0 as usize) + 1);
    }
}

impl Handlers for Histogram {
    fn register(messages: &mut Messages<'_, Self>) {
        messages.add::<Count>();
    }
}

impl Protocol for Histogram {
    type Config = Numbers;
    fn install(numbers: &Numbers, _: &mut Setup<'_>) -> Self {
        Self { values: numbers["values"].into(), bins: Cells::new(64, 0) }
    }
}

impl Program for Histogram {
    fn main(&self, thread: &Thread<'_>) {
        let next = NodeId((thread.node().0 + 1) % thread.nodes());
        for value in (thread.index().into()..self.values).step_by(thread.threads() as usize) {
            thread.send(next, Count(value * value % 64));
        }
    }
    fn report(&self, _: &mut Quiet<'_>) -> Report {
        let due = |bin: &u64| (0..self.values).filter(|value| value * value % 64 == *bin).count() as u64;
        let wrong = (0..64).filter(|bin| self.bins.get(*bin as usize) != due(bin)).count();
        Report::checked(wrong == 0, || format!("{wrong} bins hold another count than a sequential run's"))
    }
}

impl Plain for Histogram {
    const INPUTS: &'static [Input] = &[Input::integer("values", 1..=999_999, "9999", "values of each node")];
}
