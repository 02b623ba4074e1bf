//! Fetch&add: threads add to words that are spread over the nodes, and are told the words' previous values.
//!
//! This is the smallest program whose handlers need exclusion. It has two dials: how skewed the choice of words is,
//! hence how often handlers of one key meet, and how long a handler takes. It is the workload of the study of the
//! parallel dispatch queue (B. Falsafi and D. A. Wood, *Parallel Dispatch Queue: A Queue-Based Programming
//! Abstraction To Parallelize Fine-Grain Communication Protocols*, HPCA-5, 1999, figure 2).
//!
//! Word w lives on node w mod nodes. The word is the key of its handlers: handlers of one word run one at a time,
//! handlers of different words in parallel. Each thread keeps a window of requests outstanding; with a window of 1 it
//! waits for each reply.
//!
//! # Mechanisms
//!
//! | mechanism | how a word is added to |
//! |---|---|
//! | `messages` | a request to the word's node, whose handler adds and replies |
//! | `shared-memory` | the thread adds in one atomic access, after the word's block has come; it makes one access at a time, so `window` has no effect, and it does the steps of `handler` itself |
//!
//! With shared memory, words in one block contend as if they were one word. With `spacing` below the length of a
//! block, nodes that want different words wait for each other: *false sharing*.
//!
//! # Timed regions
//!
//! `add` is the timed region, with all requests and replies. The regions `check` and, with shared memory, `collect`
//! gather the data for the check.
//!
//! # How it is checked
//!
//! Each word must hold the count that a sequential pass over the same random streams gives. As every request adds 1,
//! the old values that the requests of one word are told must be 0, 1, 2, … in some order. Each thread adds up a hash
//! of every (word, old value) pair that it receives. The sum over all threads must be that of the expected pairs. An
//! update or a reply that is lost, repeated or torn changes the sum, but for one chance in 2^64.

mod messages;
mod problem;
mod reference;
mod shared;
mod workload;

use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, Given, Inputs, Instance, Loaded, Plan, Reader};
use tempest::{Job, Mechanism};

use messages::FetchAdd;
use problem::Parameters;
use shared::SharedFetchAdd;
use workload::Workload;

/// The entry of fetch-add in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "fetch-add",
    summary: "threads add to words spread over the nodes and get the old values back",
    mechanisms: &[Mechanism::Messages, Mechanism::SharedMemory],
    inputs: Parameters::INPUTS,
    load,
};

fn load(given: &Given) -> Loaded {
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
