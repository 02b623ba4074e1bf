//! Dispatch: messages of keys come to one node, whose processors run their handlers; waits, throughput, and where processors' time goes,
//! by the way in which handlers of one key exclude each other.
//!
//! Threads of all other nodes send to node 0. Each handler loads the word of its key, computes for a while, and stores the word with 1
//! added: a fetch&add, as in figure 2 of the study of the parallel dispatch queue (B. Falsafi and D. A. Wood, *Parallel Dispatch Queue: A
//! Queue-Based Programming Abstraction To Parallelize Fine-Grain Communication Protocols*, HPCA-5, 1999). The policy says which processors
//! of node 0 run handlers, and whether they share one queue.
//!
//! | `synchronization` | how handlers of one key exclude each other |
//! |---|---|
//! | `keyed` | the dispatch queue hands out one event of a key at a time |
//! | `lock` | any event may be handed out; its handler takes the lock of its key, and waits for the lock by testing it |
//! | `thread` | a handler that finds the lock taken leaves its message in memory and ends. The holder that gives the lock back hands it to a thread of node 0, which does the work of all messages that wait for the lock |
//! | `none` | not at all |
//!
//! A lock is a word beside the word of its key, in the line that the handler needs anyway. Taking it is one
//! test-and-set, which loads and stores in one access. Before another attempt the handler tests the word until it is
//! free, so that the line stays in its cache meanwhile. Every access to either word goes through the memory of the
//! node: the cost of exclusion is the time of its code's accesses.
//!
//! A *sequential* message runs alone on its node; a *nosync* message needs no exclusion and only loads its word. Under
//! every synchronization, the dispatch queue isolates sequential messages.
//!
//! # Arrivals
//!
//! In an open loop each sender draws beforehand when it makes messages. The *load* is the number of processors that the
//! handlers' computing keeps busy on average. With `arrivals=closed` each sender keeps `window` messages under way.
//!
//! # Figures
//!
//! | figure | meaning |
//! |---|---|
//! | `wait`, `wait +-` | the mean time from when a message was made until its computing began, and half of its 95 % confidence interval, by the means of 12 batches of equal time |
//! | `wait.keyed`, `wait.sequential`, `wait.nosync` | the same of one kind, where there are several |
//! | `response` | the mean time from when a message was made until its computing ended |
//! | `rate` | handlers per second, from the first to the last |
//! | `load` | the number of processors that computed in handlers, on average |
//! | `busy` | the number of processors that were in handlers, or in threads that do their work, on average |
//! | `wasted` | the share of `busy` that computed nothing: attempts at locks, leaving messages to threads; natively the looks at the clock too |
//! | `parallel` | the greatest number of handlers that computed at once |
//! | `accesses` | accesses of a message's code to the words and the locks, on average |
//! | `postponed` | the share of messages that were left to threads |
//! | `overtook` | the share of messages that began to compute before a message that was made earlier |
//! | `overlaps` | messages whose computing overlapped that of another message of their key |
//! | `intrusions` | messages that ran beside a sequential one |
//! | `beside` | the share of nosync messages that began while a handler of a key ran |
//! | `sending` | the time that the slowest sender took to send all of its messages |
//!
//! Means leave out the first tenth of the messages, so that the queue has filled.
//!
//! # Timed regions
//!
//! `serve` has all messages; `check` begins when all have been handled.
//!
//! # How it is checked
//!
//! Every word must be the number of its messages. No two messages of a key may compute at once, and no handler may run
//! beside a sequential message. With `synchronization=none` words may be wrong, and overlaps are a figure.

mod found;
mod item;
mod memory;
mod postponed;
mod program;
mod record;
mod sender;
mod study;

use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, Inputs, Instance, Least, Plan};
use tempest::{Job, Mechanism};

use program::Dispatch;
use study::{Options, Study};

/// The entry of dispatch in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "dispatch",
    summary: "messages of keys for one node: waits and throughput by how handlers of a key exclude each other",
    mechanisms: &[Mechanism::Messages],
    inputs: Options::INPUTS,
    load: |given| Ok(Box::new(Options::from_given(given)?)),
};

/// The fewest nodes: a node that handles messages, and a node that sends.
const LEAST: u32 = 2;

impl Instance for Options {
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan> {
        if plan.shape.nodes < LEAST {
            return Err("dispatch on 1 node: expected --nodes 2 or more, of which all but one send"
                .to_owned()
                .into());
        }
        Ok(Job::new::<Dispatch>(Arc::new(Study::new(self, plan))))
    }

    fn least(&self) -> Least {
        Least { nodes: LEAST, ..Least::ANY }
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        vec![
            ("synchronization", self.synchronization.to_string()),
            ("keys", self.keys.to_string()),
            ("handler", format!("{} operations", self.length)),
            ("arrivals", self.arrivals.to_string()),
            ("messages", self.messages.to_string()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use tempest::Shape;
    use tempest::entry::Given;

    use super::*;

    #[test]
    fn it_needs_a_node_that_sends() {
        let instance = (ENTRY.load)(&Given::default()).expect("good inputs");
        let plan = |nodes| Plan::new(Mechanism::Messages, Shape { nodes, threads: 1 });
        assert!(instance.job(&plan(2)).is_ok());
        let error = instance.job(&plan(1)).map(drop).unwrap_err();
        assert!(error.0.starts_with("dispatch on 1 node: expected --nodes 2"), "{}", error.0);
    }
}
