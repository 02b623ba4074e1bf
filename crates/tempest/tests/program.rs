//! `#[program]` and `#[derive(Inputs)]`: a person's view of a program, and a node's state.

// An input that only the expressions of other fields name is no dead code.
#![deny(dead_code)]

use std::sync::Arc;

use tradewind_tempest::entry::{Given, InputError, Kind, Plan};
use tradewind_tempest::*;

/// Threads of each node count squares into 64 bins of the next node. This sentence is no part of the summary.
#[program]
struct Histogram {
    /// values of each node
    #[input(default = 9999, range = 1..=999_999)]
    values: u32,
    #[keyed(64)]
    bins: Keyed<u64>,
}

#[handlers]
impl Histogram {
    /// Counts a value in its bin.
    #[message(key = bin)]
    fn count(&self, bin: u64, cx: &mut Handler<'_>) {
        cx.with(&self.bins, |n, _| *n += 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        for v in thread.share(0..self.values) {
            thread.send(thread.next_node(), Self::count(v * v % 64));
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let due = |bin| (0..u64::from(self.values)).filter(|v| v * v % 64 == bin).count() as u64;
        let wrong = (0..64).filter(|bin| *end.get(&self.bins, *bin) != due(*bin)).count();
        Report::checked(wrong == 0, || format!("{wrong} bins are wrong"))
    }
}

#[test]
fn an_entry_says_what_the_struct_says() {
    let entry = Histogram::ENTRY;
    assert_eq!(entry.name, "histogram");
    assert_eq!(entry.summary, "threads of each node count squares into 64 bins of the next node");
    assert_eq!(entry.mechanisms, [Mechanism::Messages]);
    let [input] = entry.inputs else { panic!("{:?}", entry.inputs) };
    assert_eq!((input.key, input.default, input.meaning), ("values", "9999", "values of each node"));
    assert_eq!(input.kind, Kind::Integer(1, 999_999));
    let mut given = Given::default();
    given.values.insert("values".into(), "12".into());
    let instance = (entry.load)(&given).unwrap();
    assert_eq!(instance.describe(), [("values", "12".to_owned())]);
    let plan = Plan::new(Mechanism::Messages, Shape { nodes: 2, threads: 1 });
    assert!(instance.job(&plan).is_ok());
}

/// Keys are of 64 bits.
const KEYS: u64 = 3;

/// Every kind of field.
#[program(name = "all", summary = "a program with everything", mechanisms = [Messages, Bulk])]
struct Everything {
    #[input(default = 4, range = 1..=8)]
    words: usize,
    #[problem]
    problem: Arc<Vec<u64>>,
    #[keyed]
    sparse: Keyed<u64>,
    #[keyed(words, init = |key| key + 1)]
    dense: Keyed<u64>,
    #[keyed(KEYS)]
    constant: Keyed<u64>,
    #[cells(words, value = 7)]
    cells: Cells<u64>,
    #[event]
    done: Event,
    #[segment(words, rights = Rights::ALL)]
    segment: Segment<u64>,
    #[input(default = 2, range = 1..=8)]
    factor: u32,
    #[make(u64::from(setup.shape().nodes * factor))]
    twice: u64,
}

#[handlers]
impl Everything {
    fn prepare(inputs: &EverythingInputs, shape: Shape, seed: u64) -> Result<Vec<u64>, InputError> {
        if shape.threads > 4 {
            return Err(InputError::Together(format!("{} threads: expected at most 4", shape.threads)));
        }
        Ok(vec![seed; inputs.words])
    }

    fn main(&self, _: &Thread<'_>) {
        let _ = (&self.sparse, &self.dense, &self.constant, &self.segment, self.twice, self.words);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let right =
            self.cells.get(end, 3) == 7 && self.done.count(end) == 0 && self.problem.len() == self.words;
        Report::checked(right, || "not made as stated".to_owned())
    }
}

#[test]
fn a_problem_is_prepared_for_the_shape_and_refused_in_words() {
    let instance = (Everything::ENTRY.load)(&Given::default()).unwrap();
    let plan = |threads| Plan::new(Mechanism::Messages, Shape { nodes: 2, threads });
    assert!(instance.job(&plan(4)).is_ok());
    let refused = instance.job(&plan(5)).unwrap_err();
    assert_eq!(refused.to_string(), "5 threads: expected at most 4");
    assert_eq!(Everything::ENTRY.mechanisms, [Mechanism::Messages, Mechanism::Bulk]);
    assert_eq!((Everything::ENTRY.name, Everything::ENTRY.summary), ("all", "a program with everything"));
}

/// Installs itself.
#[program(install)]
struct ByHand {
    #[input(default = 3)]
    words: u32,
    doubled: u32,
}

#[handlers]
impl ByHand {
    fn install(inputs: &ByHandInputs, _: &mut Setup<'_>) -> Self {
        Self { words: inputs.words, doubled: 2 * inputs.words }
    }

    fn main(&self, _: &Thread<'_>) {}

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(self.doubled == 2 * self.words, || "not installed by hand".to_owned())
    }
}

/// Bins that all nodes share.
#[program]
struct Sharing {
    #[input(default = 64, range = 1..=1024)]
    bins: u64,
    #[shared(bins as usize)]
    counts: Shared<u64>,
    #[shared(8, homes = Parts)]
    sums: Shared<f64>,
}

#[handlers]
impl Sharing {
    fn main(&self, _: &Thread<'_>) {
        let _ = (&self.counts, &self.sums);
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

#[test]
fn shared_arrays_need_a_protocol() {
    assert_eq!(Sharing::ENTRY.mechanisms, [Mechanism::SharedMemory]);
    let instance = (Sharing::ENTRY.load)(&Given::default()).unwrap();
    let plan = Plan::new(Mechanism::SharedMemory, Shape { nodes: 2, threads: 1 });
    assert!(instance.job(&plan).unwrap_err().to_string().contains("no protocol"));
    let by_hand = (ByHand::ENTRY.load)(&Given::default()).unwrap();
    assert!(by_hand.job(&plan).is_ok());
}
