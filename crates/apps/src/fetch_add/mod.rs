//! Fetch&add: threads add to words that are spread over the nodes, and are told what the words held before.
//!
//! The smallest program whose handlers need exclusion, with two dials: how skewed the choice of words is (how
//! often handlers of one key meet) and how long a handler takes. It is the workload of the parallel dispatch
//! queue's study (B. Falsafi and D. A. Wood, *Parallel Dispatch Queue: A Queue-Based Programming Abstraction To
//! Parallelize Fine-Grain Communication Protocols*, HPCA-5, 1999, figure 2).
//!
//! Word w lives on node w mod nodes and is w's only key: handlers of one word run one at a time, of different
//! words in parallel. Each thread keeps a window of requests outstanding; a window of 1 blocks for each reply.
//!
//! # Mechanisms
//!
//! | mechanism | how a word is added to |
//! |---|---|
//! | `messages` | a request to the word's node, whose handler adds and replies |
//! | `shared-memory` | by the thread itself, in one step, where the word's block is then; one at a time, so `window` says nothing, and the steps of `handler` are the thread's |
//!
//! With shared memory two words in one block meet as if they were one: with `spacing` below the length of a block, nodes
//! that want different words wait for each other (*false sharing*).
//!
//! # Inputs
//!
//! | input | kind | default | meaning |
//! |---|---|---|---|
//! | `words` | an integer from 1 to 16777216 | 1024 | how many words there are |
//! | `operations` | an integer from 1 to 100000000 | 32000 | fetch&adds in all, shared out evenly among the threads |
//! | `window` | an integer from 1 to 65536 | 64 | requests that a thread has outstanding at most; with 1 it blocks for each reply |
//! | `skew` | a number from 0 to 10 | 0 | Zipf exponent s: the r-th most frequent word is chosen in proportion to r^-s; with 0 all alike |
//! | `handler` | an integer from 0 to 1000000 | 0 | extra dependent integer steps of each request's handler |
//! | `spacing` | an integer from 8 to 4096 | 128 | bytes from one word of a node to the next in shared memory, a power of two: below that of a block, words share it |
//! | `frames` | a text | all | room on a node for pages of others in shared memory: all, from the start; on-demand: all, each found when first used; or how many at a time |
//!
//! # Timed regions
//!
//! `add` has all requests and replies; `check` and, with shared memory, `collect` hand in what is needed for the check.
//!
//! # How it is checked
//!
//! Every word must hold as many as a sequential pass over the same random streams counts for it. As every
//! request adds 1, what the requests of one word were told must be 0, 1, 2, … in some order. Each thread folds
//! the (word, told) pairs it receives into a sum of their hashes; the sum over all threads must be that of the
//! pairs that should have been told. An update lost, repeated or torn, or a reply lost or repeated, changes it
//! (but for one chance in 2^64).

mod program;
mod shared;
mod workload;

use std::sync::Arc;
use tempest::entry::{BadPlan, Entry, FRAMES, Given, Input, Instance, Loaded, Plan, Reader};

use tempest::{Job, Mechanism};

use program::FetchAdd;
use shared::SharedFetchAdd;
use workload::{Parameters, Workload};

/// How the registry lists it.
pub const ENTRY: Entry = Entry {
    name: "fetch-add",
    summary: "threads add to words spread over the nodes and get the old values back",
    mechanisms: &[Mechanism::Messages, Mechanism::SharedMemory],
    inputs: INPUTS,
    load,
};

static INPUTS: &[Input] = &[
    Input::integer("words", 1..=1 << 24, "1024", "how many words there are"),
    Input::integer(
        "operations",
        1..=100_000_000,
        "32000",
        "fetch&adds in all, shared out evenly among the threads",
    ),
    Input::integer(
        "window",
        1..=1 << 16,
        "64",
        "requests that a thread has outstanding at most; with 1 it blocks for each reply",
    ),
    Input::real(
        "skew",
        0.0..=10.0,
        "0",
        "Zipf exponent s: the r-th most frequent word is chosen in proportion to r^-s; with 0 all alike",
    ),
    Input::integer("handler", 0..=1_000_000, "0", "extra dependent integer steps of each request's handler"),
    Input::integer(
        "spacing",
        8..=4096,
        "128",
        "bytes from one word of a node to the next in shared memory, a power of two: below that of a block, words \
         share it",
    ),
    FRAMES,
];

fn load(given: &Given) -> Loaded {
    let mut reader = Reader::new(given, INPUTS);
    let parameters = Parameters {
        words: reader.integer("words"),
        operations: reader.integer("operations"),
        window: reader.integer("window"),
        skew: reader.real("skew"),
        steps: reader.integer("handler"),
        spacing: reader.integer("spacing"),
        frames: reader.named("frames").unwrap_or_default(),
    };
    if !parameters.spacing.is_power_of_two() {
        reader.refuse(format!("input `spacing={}`: expected a power of two from 8", parameters.spacing));
    }
    reader.finish()?;
    Ok(Box::new(parameters))
}

impl Instance for Parameters {
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan> {
        let workload = Workload::new(*self, plan.shape, plan.seed);
        if plan.mechanism == Mechanism::SharedMemory {
            return Ok(Job::new::<SharedFetchAdd>(Arc::new(shared::Config::new(plan, workload)?)));
        }
        Ok(Job::new::<FetchAdd>(Arc::new(workload)))
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        vec![
            ("words", self.words.to_string()),
            ("operations", self.operations.to_string()),
            ("window", self.window.to_string()),
            ("Zipf exponent", self.skew.to_string()),
            ("extra steps per handler", self.steps.to_string()),
            ("bytes between shared words", self.spacing.to_string()),
            ("room for pages of others", self.frames.to_string()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_good() {
        assert!(load(&Given::default()).is_ok());
    }

    #[test]
    fn every_wrong_input_is_named() {
        let mut given = Given::default();
        for (key, value) in
            [("words", "0"), ("window", "many"), ("skew", "-1"), ("spacing", "24"), ("handlr", "3")]
        {
            given.values.insert(key.into(), value.into());
        }
        let errors = load(&given).map(|_| ()).unwrap_err().texts();
        assert_eq!(errors.len(), 5);
        for (error, says) in
            errors.iter().zip(["`handler`?", "`words=0`", "`window=many`", "`skew=-1`", "`spacing=24`"])
        {
            assert!(error.contains(says), "{error}");
        }
    }
}
