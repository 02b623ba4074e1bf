//! Tests forbidden uses of shared memory: every world reports them, at the thread that makes them.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use machine::Machine;
use native::Local;
use protocols::stache::{Config, Stache};
use sim::Model;
use tempest::outcome::Failure;
use tempest::world::{Launch, World};
use tempest::{
    Array, FinalState, Homes, Job, Layout, Mechanism, NodeId, Protocol, Report, Setup, Shared, Thread,
    handlers,
};

/// The mistake of a thread of node 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mistake {
    /// Loads behind the last element.
    Beyond,
    /// Stores behind the last element of a run.
    RunBeyond,
    /// Names an element that a node's part does not have.
    PartBeyond,
    /// Names a word that records do not have.
    FieldBeyond,
    /// Uses an array that has been given back.
    Freed,
    /// Uses an array of another address space.
    Foreign,
    /// Waits inside a run.
    WaitsInRun,
    /// Waits inside a run after another one inside it.
    WaitsAfterInnerRun,
    /// Uses the copy of the other node.
    Anothers,
}

/// The array as node 1 sees it.
static LEAKED: Mutex<Option<Shared<u64>>> = Mutex::new(None);

/// A program of two nodes, of which the first does something wrong.
struct Careless {
    mistake: Mistake,
    stache: Arc<Stache>,
    array: Array<u64>,
    words: Shared<u64>,
    /// Array of a space with other blocks.
    foreign: Array<u64>,
}

fn space(block: u32) -> (Layout, Array<u64>) {
    let mut space = Layout::new(2, block).expect("such blocks can be");
    let array = space.array("words", 512, Homes::Parts).expect("a page has room");
    (space, array)
}

impl Protocol for Careless {
    type Config = Mistake;

    fn install(mistake: &Mistake, node: &mut Setup<'_>) -> Self {
        let (space, array) = space(64);
        let (_, foreign) = self::space(32);
        let stache = node.install::<Stache>(&Config::new(space));
        let words = stache.bind(array);
        if node.node() == NodeId(1) {
            *LEAKED.lock().unwrap_or_else(PoisonError::into_inner) = Some(words.clone());
        }
        Self { mistake: *mistake, words, stache, array, foreign }
    }
}

#[handlers]
impl Careless {
    fn main(&self, thread: &Thread<'_>) {
        let is_careless = thread.node() == NodeId(0);
        if self.mistake == Mistake::Freed && thread.index() == 0 {
            self.stache.free(thread, self.array);
        }
        if !is_careless {
            return;
        }
        match self.mistake {
            Mistake::Beyond => {
                thread.read(&self.words, 1024);
            }
            Mistake::RunBeyond => thread.write_runs(&self.words, 1020..1025, |_, run| run.set(0, 1)),
            Mistake::PartBeyond => thread.write(&self.words, self.words.at(NodeId(1), 512), 1),
            Mistake::FieldBeyond => {
                thread.read(&self.words.field::<u64>(1), 0);
            }
            Mistake::Freed => {
                thread.read(&self.words, 512);
            }
            Mistake::Foreign => {
                thread.read(&self.stache.bind(self.foreign), 0);
            }
            Mistake::WaitsInRun => thread.read_runs(&self.words, 0..8, |_, _| thread.block("Godot")),
            Mistake::WaitsAfterInnerRun => thread.read_runs(&self.words, 0..8, |_, _| {
                thread.read_runs(&self.words, 0..8, |_, _| ());
                thread.block("Godot");
            }),
            Mistake::Anothers => {
                let leaked = LEAKED.lock().unwrap_or_else(PoisonError::into_inner).clone();
                thread.read(&leaked.expect("node 1 has one"), 0);
            }
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(true, String::new)
    }
}

fn worlds() -> [Box<dyn World>; 2] {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines/hurricane-1.toml");
    let text = fs::read_to_string(&file).expect("a shipped machine");
    let machine = Machine::parse(&file.to_string_lossy(), &text).expect("a valid machine");
    [Box::new(Local::new()), Box::new(Model::new(machine))]
}

fn failure(mistake: Mistake, world: &dyn World) -> Failure {
    let launch = Launch {
        nodes: 2,
        mechanism: Mechanism::SharedMemory,
        ..Launch::new(Job::new::<Careless>(mistake), "single".parse().expect("a policy"))
    };
    world.run(&launch).expect_err("a mistake is no way to end well")
}

#[test]
fn whoever_misuses_shared_memory_is_told_so() {
    for (mistake, said) in [
        (Mistake::Beyond, "index 1024 of shared array `words`, which has 1024"),
        (Mistake::RunBeyond, "index 1024 of shared array `words`, which has 1024"),
        (Mistake::PartBeyond, "element 512 of a part of `words`, which has 512"),
        (Mistake::FieldBeyond, "word 1 of 8 bytes of records of 1 in `words`"),
        (Mistake::Freed, "shared array `words` is used after it has been freed"),
        (Mistake::Foreign, "a shared array of another space (its number there: 0)"),
        (Mistake::WaitsInRun, "a block inside a hold on node 0 thread 0"),
        (Mistake::WaitsAfterInnerRun, "a block inside a hold on node 0 thread 0"),
        (Mistake::Anothers, "shared memory of node 1 is used by node 0 thread 0"),
    ] {
        for world in worlds() {
            let failure = failure(mistake, &*world);
            let Failure::Program(why) = &failure else { panic!("{mistake:?}: {failure:?}") };
            assert!(
                why.contains(said) && why.contains("thread 0") && why.contains("node 0"),
                "{mistake:?}: {why}"
            );
        }
    }
}
