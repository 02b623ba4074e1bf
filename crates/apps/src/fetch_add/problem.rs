//! The problem of fetch-add: what a person chooses. Must never know how a word is added to.

use std::sync::Arc;

use tempest::entry::{BadPlan, FRAMES, Given, Inputs, Instance, Loaded, Plan, Reader};
use tempest::{Frames, Job, Mechanism};

use super::messages::FetchAdd;
use super::shared::{self, SharedFetchAdd};
use super::workload::Workload;

/// The inputs of fetch-add.
#[derive(Clone, Copy, PartialEq, Debug, Inputs)]
pub(super) struct Parameters {
    /// how many words there are
    #[input(default = 1024, range = 1..=1 << 24)]
    pub(super) words: u32,
    /// fetch&adds in all, shared out evenly among the threads
    #[input(default = 32000, range = 1..=100_000_000)]
    pub(super) operations: u32,
    /// requests that a thread has outstanding at most; with 1 it blocks for each reply
    #[input(default = 64, range = 1..=1 << 16)]
    pub(super) window: u32,
    /// Zipf exponent s: the r-th most frequent word is chosen in proportion to r^-s; with 0 all alike
    #[input(default = 0, range = 0.0..=10.0, fact = "Zipf exponent")]
    pub(super) skew: f64,
    /// extra dependent integer steps of each request's handler
    #[input(name = "handler", default = 0, range = 0..=1_000_000, fact = "extra steps per handler")]
    pub(super) steps: u32,
    /// bytes from one word of a node to the next in shared memory, a power of two: below that of a block, words share it
    #[input(default = 128, range = 8..=4096, fact = "bytes between shared words")]
    pub(super) spacing: u32,
    #[input(like = FRAMES, fact = "room for pages of others")]
    pub(super) frames: Frames,
}

/// Reads the inputs.
pub(super) fn load(given: &Given) -> Loaded {
    let mut reader = Reader::new(given, Parameters::INPUTS);
    let parameters = Parameters::read(&mut reader);
    reader.expect("spacing", u32::is_power_of_two, "a power of two from 8");
    reader.finish()?;
    Ok(Box::new(parameters.expect("whatever is wrong was refused")))
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
        Inputs::describe(self)
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
