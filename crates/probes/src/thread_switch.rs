//! Thread switch: two threads of one processor wake each other in turn.
//!
//! The two are threads 0 and 1 of node 0. They must be threads of one processor, so there must be at least two
//! threads on each processor. A turn is one signal, one wait, and the switch from one thread to the other. All other
//! threads and nodes wait.
//!
//! # Inputs
//!
//! | input | kind | default | meaning |
//! |---|---|---|---|
//! | `turns` | an integer from 1 to 100000000 | 100000 | turns of each of the two |
//!
//! # Figures
//!
//! `switch`: the time of a turn, in nanoseconds.
//!
//! # Timed regions
//!
//! `switch`.
//!
//! # How it is checked
//!
//! Each of the two threads must have had all its turns. Before each turn it checks that the other thread has had as
//! many turns as it should.

use tempest::entry::{BadPlan, Entry, Given, Input, Instance, Loaded, Plan, Reader};
use tempest::{
    Cells, Event, Job, Mechanism, Merge, NodeId, Operations, Protocol, Quiet, Report, Setup, Thread, handlers,
};

/// How the registry lists it.
pub const ENTRY: Entry = Entry {
    name: "thread-switch",
    summary: "two threads of a processor let each other go on in turn",
    mechanisms: &[Mechanism::Messages],
    inputs: INPUTS,
    load,
};

static INPUTS: &[Input] = &[Input::integer("turns", 1..=100_000_000, "100000", "turns of each of the two")];

/// The work of comparing a count: load, comparison and branch.
const LOOK: Operations = Operations::NONE.loads(1).integers(2);

#[derive(Clone, Copy, Debug)]
struct Asked {
    turns: u64,
}

fn load(given: &Given) -> Loaded {
    let mut reader = Reader::new(given, INPUTS);
    let turns: u32 = reader.integer("turns");
    reader.finish()?;
    Ok(Box::new(Asked { turns: turns.into() }))
}

impl Instance for Asked {
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan> {
        if plan.shape.threads < 2 {
            return Err("thread-switch with 1 thread: expected --threads of at least 2".to_owned().into());
        }
        Ok(Job::new::<Turns>(*self))
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        vec![("turns", self.turns.to_string())]
    }
}

/// The state of the program on one node.
struct Turns {
    turns: u64,
    node: NodeId,
    /// The number of turns that each of the two threads has been given.
    given: [Event; 2],
    early: Cells<u64>,
    switch: Cells<f64>,
}

impl Protocol for Turns {
    type Config = Asked;

    fn install(asked: &Asked, setup: &mut Setup<'_>) -> Self {
        Self {
            turns: asked.turns,
            node: setup.node(),
            given: [Event::new("thread-switch.first"), Event::new("thread-switch.second")],
            early: Cells::new(1, 0),
            switch: Cells::new(1, 0.0),
        }
    }
}

#[handlers]
impl Turns {
    fn main(&self, thread: &Thread<'_>) {
        thread.phase("switch");
        let me = thread.index() as usize;
        if thread.node() != NodeId(0) || me > 1 {
            return;
        }
        let (mine, others) = (&self.given[me], &self.given[1 - me]);
        let start = thread.now();
        for turn in 1..=self.turns {
            // The first thread begins; the second answers.
            if me == 1 {
                thread.wait(mine, turn);
            }
            thread.charge(LOOK);
            if others.count() != turn - 1 {
                self.early.add(0, 1);
            }
            thread.signal(others, 1);
            if me == 0 {
                thread.wait(mine, turn);
            }
        }
        if me == 0 {
            let turns = (2 * self.turns) as f64;
            self.switch.set(0, (thread.now() - start).as_nanoseconds() / turns);
        }
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        if self.node != NodeId(0) {
            return Report::default();
        }
        let had: Vec<u64> = self.given.iter().map(Event::count).collect();
        let (early, turns) = (self.early.get(0), self.turns);
        let mut report = Report::checked(had == [turns, turns], || {
            format!("the threads had {} and {} turns: expected {turns} each", had[0], had[1])
        });
        report.merge(Report::checked(early == 0, || format!("{early} turns came out of turn")));
        report.measured("switch", self.switch.get(0), "ns", Merge::Max)
    }
}

#[cfg(test)]
mod tests {
    use tempest::Shape;

    use super::*;

    #[test]
    fn it_needs_two_threads() {
        let instance = load(&Given::default()).unwrap();
        let plan = |threads| Plan::new(Mechanism::Messages, Shape { nodes: 1, threads });
        assert!(instance.job(&plan(2)).is_ok());
        let error = instance.job(&plan(1)).map(drop).unwrap_err();
        assert_eq!(error.0, "thread-switch with 1 thread: expected --threads of at least 2");
    }
}
