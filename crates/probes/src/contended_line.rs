//! Contended line: all threads of a node change one word of shared memory at once, again and again.
//!
//! Only one cache at a time may hold the line of the word for changes, so the line moves from cache to cache. No access can
//! take less than such a move where processors have caches of their own. Two threads measure a move first: they change
//! another word in turn, each after the other has done so. A thread of another node takes no part.
//!
//! On a modelled machine without caches both times equal the time of a hit. Threads that share a processor share its
//! cache.
//!
//! # Figures
//!
//! `transfer`: the time of an access to a line that another thread has changed last, in nanoseconds.
//!
//! `access`: the time of an access when all threads change the word at once: the time of all accesses, divided by their
//! number, in nanoseconds.
//!
//! `transfers`: `access` divided by `transfer`.
//!
//! # Timed regions
//!
//! `take turns` measures `transfer`, `contend` measures `access`; `check` reads the word.
//!
//! # How it is checked
//!
//! With `kind=add`, the word must be the number of all additions, and each addition of a thread must find more than the
//! one before. With `kind=store`, the word must be the last value that some thread stored.

use std::fmt;
use std::str::FromStr;

use tempest::entry::InputError;
use tempest::*;

/// The turns of each of the two threads that measure a transfer.
const TURNS: u64 = 100;

/// The word that all threads change.
const WORD: usize = 0;

/// The word that two threads change in turn; in another block than `WORD`.
const IN_TURN: usize = 32;

/// The kind of access by which threads change a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// The thread adds to the word atomically.
    Add,
    /// The thread stores to the word.
    Store,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Add => "add",
            Self::Store => "store",
        })
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "add" => Ok(Self::Add),
            "store" => Ok(Self::Store),
            _ => Err(format!("no kind of access `{text}`: expected add or store")),
        }
    }
}

/// Threads of a node change one word of shared memory at once.
#[program(problem = (), processors = 2)]
pub struct ContendedLine {
    /// accesses of each thread
    #[input(default = 1000, range = 1..=10_000_000)]
    accesses: u64,
    /// what a thread does to the word: add, which is atomic, or store
    #[input(default = "add")]
    kind: Kind,
    /// integer operations between two accesses of a thread
    #[input(default = 8, range = 0..=1_000_000)]
    between: u32,
    #[make(setup.node())]
    node: NodeId,
    #[shared(64)]
    words: Shared<u64>,
    /// The number of turns that each of the two threads has been given.
    #[make([Event::new("contended-line.first"), Event::new("contended-line.second")])]
    given: [Event; 2],
    /// The time that the second thread's turns have taken, in femtoseconds.
    #[cells(1)]
    turns: Cells<u64>,
    /// The times at which each thread began and ended, in femtoseconds, indexed by thread.
    #[make(Cells::new(setup.shape().threads as usize, 0))]
    began: Cells<u64>,
    #[make(Cells::new(setup.shape().threads as usize, 0))]
    ended: Cells<u64>,
    /// The number of additions that did not find more than the one before.
    #[cells(1)]
    wrong: Cells<u64>,
    /// The value of the word at the end.
    #[cells(1)]
    last: Cells<u64>,
}

#[handlers]
impl ContendedLine {
    fn prepare(_: &ContendedLineInputs, shape: Shape, _seed: u64) -> Result<(), InputError> {
        if shape.threads < 2 {
            let problem = "contended-line with 1 thread: expected --processors or --threads of at least 2, and a \
                           policy under which 2 processors compute";
            return Err(InputError::Together(problem.to_owned()));
        }
        Ok(())
    }

    /// Changes a word for the `count`th time, from 1 on. Returns the previous value, for an addition.
    fn change(&self, thread: &Thread<'_>, word: usize, count: u64) -> Option<u64> {
        match self.kind {
            Kind::Add => Some(thread.fetch_add(&self.words, word, 1)),
            Kind::Store => {
                thread.write(&self.words, word, count);
                None
            }
        }
    }

    /// Changes a word in turn with another thread. The second thread measures its accesses.
    fn take_turns(&self, thread: &Thread<'_>, me: usize) {
        let (mine, others) = (&self.given[me], &self.given[1 - me]);
        for turn in 1..=TURNS {
            // The first thread begins.
            thread.wait(mine, if me == 0 { turn - 1 } else { turn });
            let before = thread.now();
            self.change(thread, IN_TURN, turn);
            if me == 1 {
                self.turns.add(thread, 0, (thread.now() - before).as_femtoseconds());
            }
            thread.signal(others, 1);
        }
    }

    /// Changes the word as often as asked, and notes the time.
    fn contend(&self, thread: &Thread<'_>, me: usize) {
        let (mut wrong, mut least) = (0, 0);
        self.began.set(thread, me, thread.now().as_femtoseconds());
        for count in 1..=self.accesses {
            thread.charge(Operations::NONE.integers(self.between));
            if let Some(found) = self.change(thread, WORD, count) {
                wrong += u64::from(found < least);
                least = found + 1;
            }
        }
        self.ended.set(thread, me, thread.now().as_femtoseconds());
        self.wrong.add(thread, 0, wrong);
    }

    fn main(&self, thread: &Thread<'_>) {
        let (me, is_here) = (thread.index() as usize, self.node == NodeId(0));
        thread.phase("take turns");
        if is_here && me < 2 {
            self.take_turns(thread, me);
        }
        thread.phase("contend");
        if is_here {
            self.contend(thread, me);
        }
        thread.phase("check");
        if is_here && me == 0 {
            self.last.set(thread, 0, thread.read(&self.words, WORD));
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        if self.node != NodeId(0) {
            return Report::default();
        }
        let threads = self.began.len();
        let all = self.accesses * threads as u64;
        let due = if self.kind == Kind::Add { all } else { self.accesses };
        let (last, wrong) = (self.last.get(end, 0), self.wrong.get(end, 0));
        let mut report =
            Report::checked(last == due, || format!("the word is {last} at the end: expected {due}"));
        report.merge(Report::checked(wrong == 0, || format!("{wrong} additions found less than was added")));
        let began = (0..threads).map(|thread| self.began.get(end, thread)).min().unwrap_or(0);
        let ended = (0..threads).map(|thread| self.ended.get(end, thread)).max().unwrap_or(0);
        let nanoseconds = |femtoseconds: u64, count: u64| femtoseconds as f64 / 1e6 / count as f64;
        let (access, transfer) =
            (nanoseconds(ended - began, all), nanoseconds(self.turns.get(end, 0), TURNS));
        report
            .measured("transfer", transfer, "ns", Merge::Max)
            .measured("access", access, "ns", Merge::Max)
            .measured("transfers", access / transfer, "", Merge::Max)
    }
}

#[cfg(test)]
mod tests {
    use tempest::entry::{Given, Plan};

    use super::*;

    #[test]
    fn it_needs_two_threads() {
        let instance = (ContendedLine::ENTRY.load)(&Given::default()).unwrap();
        let plan = |threads| {
            Plan::new(Mechanism::SharedMemory, Shape { nodes: 1, threads })
                .kept_by(&protocols::stache::STACHE)
        };
        assert!(instance.job(&plan(2)).is_ok());
        let error = instance.job(&plan(1)).map(drop).unwrap_err();
        assert!(error.0.starts_with("contended-line with 1 thread: expected --processors"), "{}", error.0);
    }

    #[test]
    fn a_wrong_kind_is_named() {
        let values = [("kind".to_owned(), "load".to_owned())].into();
        let errors =
            (ContendedLine::ENTRY.load)(&Given { values, ..Given::default() }).map(|_| ()).unwrap_err();
        assert_eq!(errors.texts(), ["input `kind`: no kind of access `load`: expected add or store"]);
    }
}
