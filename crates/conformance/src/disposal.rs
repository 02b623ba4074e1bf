//! A destructor of the program's state that panics fails the run, and takes nothing with it.
//!
//! The state of a node is dropped when its threads, its handlers and its report are done: nothing of the program is around it then
//! that could catch anything.

use std::sync::Arc;

use tempest::outcome::Failure;
use tempest::{Event, FinalState, Keyed, Protocol, Report, Setup, Thread, handlers};

use crate::Setting;

/// The words of the destructor's panic.
const WORDS: &str = "a destructor on purpose";

/// A panic of a destructor of the program's state is the program's failure: of an entry of a table, of every entry, of the
/// program itself, of a protocol that it builds on, and of tables and a protocol on every node. A run that has failed before keeps its failure.
pub fn panic_when_state_is_dropped_is_the_programs(setting: &Setting<'_>) {
    let promise = "panic_when_state_is_dropped_is_the_programs";
    for bombs in [&[Bombs::Entry][..], &[Bombs::Entries], &[Bombs::Program], &[Bombs::Protocol], ALL] {
        let says = format!("panicked while being dropped on node 0: {WORDS}");
        setting.fails::<Fragile>(promise, (bombs, End::Well), 2, &says);
    }
    setting.fails::<Fragile>(promise, (ALL, End::Panic), 2, "a thread on purpose");
    setting.fails::<Fragile>(
        promise,
        (ALL, End::PanicInReport),
        2,
        "panicked while reporting: a report on purpose",
    );
    let ended = setting.run::<Fragile>((ALL, End::Never), 2);
    setting.demand(promise, matches!(ended, Err(Failure::Deadlock { .. })), || {
        format!("expected a deadlock, got {ended:?}")
    });
}

/// The parts of the state whose destructors panic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bombs {
    /// An entry of a table.
    Entry,
    /// Every entry of three tables.
    Entries,
    Program,
    Protocol,
}

/// All that can panic in one run: two fields of one struct that do so abort the process, as everywhere in Rust.
const ALL: &[Bombs] = &[Bombs::Entry, Bombs::Entries, Bombs::Protocol];

/// The end of a run before its state is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Well,
    Panic,
    PanicInReport,
    Never,
}

/// Panics when it is dropped, if it is armed.
struct Bomb {
    armed: bool,
}

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(!self.armed, "{WORDS}");
    }
}

/// The protocol that the program builds on.
struct Base {
    _bomb: Bomb,
}

#[handlers]
impl Base {}

impl Protocol for Base {
    type Config = bool;

    fn install(&armed: &bool, _: &mut Setup<'_>) -> Self {
        Self { _bomb: Bomb { armed } }
    }
}

struct Fragile {
    end: End,
    _base: Arc<Base>,
    _tables: [Keyed<Bomb>; 4],
    _bomb: Bomb,
    never: Event,
}

impl Protocol for Fragile {
    type Config = (&'static [Bombs], End);

    fn install(&(bombs, end): &Self::Config, setup: &mut Setup<'_>) -> Self {
        let has = |part| bombs.contains(&part);
        let bomb = move |armed| move |_| Bomb { armed };
        let one = has(Bombs::Entry);
        let all = has(Bombs::Entries);
        Self {
            end,
            _base: setup.install::<Base>(&has(Bombs::Protocol)),
            _tables: [
                setup.keyed(8, move |number| Bomb { armed: one && number == 5 }),
                setup.keyed(8, bomb(all)),
                setup.keyed(8, bomb(all)),
                setup.keyed_sparse(bomb(all)),
            ],
            _bomb: Bomb { armed: has(Bombs::Program) },
            never: Event::new("conformance.never"),
        }
    }
}

#[handlers]
impl Fragile {
    fn main(&self, thread: &Thread<'_>) {
        match self.end {
            End::Panic if thread.index() == 0 => panic!("a thread on purpose"),
            End::Panic | End::Never => thread.wait(&self.never, 1),
            End::Well | End::PanicInReport => {}
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        assert!(self.end != End::PanicInReport, "a report on purpose");
        // Entries of the sparse table come into being here.
        let [.., sparse] = &self._tables;
        let made = (0..8).filter(|&number| !end.get(sparse, number).armed || self.end == End::Well).count();
        Report::checked(made == 8, || "an entry is missing".to_owned())
    }
}
