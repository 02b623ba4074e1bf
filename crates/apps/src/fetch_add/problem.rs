//! The problem of fetch-add: what a person chooses. Must never know how a word is added to.

use std::sync::Arc;

use tempest::entry::{BadPlan, FRAMES, Given, Input, Instance, Loaded, Plan, Reader};
use tempest::{Frames, Job, Mechanism};

use super::messages::FetchAdd;
use super::shared::{self, SharedFetchAdd};
use super::workload::Workload;

/// What a person chooses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Parameters {
    /// How many words there are, at least 1.
    pub(super) words: u32,
    /// Fetch&adds of all threads together, shared out evenly: the same work whoever does it.
    pub(super) operations: u32,
    /// Requests that a thread has outstanding at most, at least 1.
    pub(super) window: u32,
    /// Exponent of the Zipf distribution, at least 0.
    pub(super) skew: f64,
    /// Extra steps of each request's handler.
    pub(super) steps: u32,
    /// Bytes from one word of a node to the next in shared memory: a power of two, at least 8.
    pub(super) spacing: u32,
    /// Room for pages of others in shared memory.
    pub(super) frames: Frames,
}

pub(super) static INPUTS: &[Input] = &[
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

pub(super) fn load(given: &Given) -> Loaded {
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
