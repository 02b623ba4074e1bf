//! Thread switch: two threads of one processor wake each other in turn.
//!
//! The two are threads 0 and 1 of node 0. They must be threads of one processor, so there must be at least two
//! threads on each processor. A turn is one signal, one wait, and the switch from one thread to the other. All other
//! threads and nodes wait.
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

use tempest::entry::InputError;
use tempest::*;

/// The work of comparing a count: load, comparison and branch.
const LOOK: Operations = Operations::NONE.loads(1).integers(2);

/// Two threads of a processor let each other go on in turn.
#[program(problem = (), threads = 2)]
pub struct ThreadSwitch {
    /// turns of each of the two
    #[input(default = 100000, range = 1..=100_000_000)]
    turns: u64,
    #[make(setup.node())]
    node: NodeId,
    /// The number of turns that each of the two threads has been given.
    #[make([Event::new("thread-switch.first"), Event::new("thread-switch.second")])]
    given: [Event; 2],
    #[cells(1)]
    early: Cells<u64>,
    #[cells(1)]
    switch: Cells<f64>,
}

#[handlers]
impl ThreadSwitch {
    fn prepare(_: &ThreadSwitchInputs, shape: Shape, _seed: u64) -> Result<(), InputError> {
        if shape.threads < 2 {
            let problem = "thread-switch with 1 thread: expected --threads of at least 2";
            return Err(InputError::Together(problem.to_owned()));
        }
        Ok(())
    }

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
            if others.count(thread) != turn - 1 {
                self.early.add(thread, 0, 1);
            }
            thread.signal(others, 1);
            if me == 0 {
                thread.wait(mine, turn);
            }
        }
        if me == 0 {
            let turns = (2 * self.turns) as f64;
            self.switch.set(thread, 0, (thread.now() - start).as_nanoseconds() / turns);
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        if self.node != NodeId(0) {
            return Report::default();
        }
        let had: Vec<u64> = self.given.iter().map(|given| given.count(end)).collect();
        let (early, turns) = (self.early.get(end, 0), self.turns);
        let mut report = Report::checked(had == [turns, turns], || {
            format!("the threads had {} and {} turns: expected {turns} each", had[0], had[1])
        });
        report.merge(Report::checked(early == 0, || format!("{early} turns came out of turn")));
        report.measured("switch", self.switch.get(end, 0), "ns", Merge::Max)
    }
}

#[cfg(test)]
mod tests {
    use tempest::entry::{Given, Plan};

    use super::*;

    #[test]
    fn it_needs_two_threads() {
        let instance = (ThreadSwitch::ENTRY.load)(&Given::default()).unwrap();
        let plan = |threads| Plan::new(Mechanism::Messages, Shape { nodes: 1, threads });
        assert!(instance.job(&plan(2)).is_ok());
        let error = instance.job(&plan(1)).map(drop).unwrap_err();
        assert_eq!(error.0, "thread-switch with 1 thread: expected --threads of at least 2");
    }
}
