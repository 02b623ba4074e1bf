//! Pages whose homes move: they come to the node that uses them, and stay where nodes use them in turn.
//!
//! The test counts blocks that are brought from one node to another. Threads meet by messages, which bring none. This module must never
//! know how a home moves.

use std::num::NonZeroU32;
use std::sync::Arc;

use protocols::stache::{Config, Migration, STACHE, STACHE_MIGRATING, Stache, Variant};
use protocols::sync::Barrier;
use tempest::entry::{Coherence, SharedMemory};
use tempest::memory::{AddressSpace, Frames};
use tempest::{
    Array, FinalState, Homes, Layout, Mechanism, Memory, NodeId, Protocol, Report, Setup, Shared, Thread,
    handlers,
};

use crate::Setting;

/// Homes that move with the second request in a row, which is sooner than a policy should.
pub const EAGER: Coherence = eager("stache-eager", |space, setup| hurried(space, Variant::Ordered, setup));

/// Homes that move as soon, by the tables for channels in which messages may overtake each other.
pub const EAGER_UNORDERED: Coherence =
    eager("stache-eager-unordered", |space, setup| hurried(space, Variant::Robust, setup));

type Install = fn(&AddressSpace, &mut Setup<'_>) -> Arc<Memory>;

const fn eager(name: &'static str, install: Install) -> Coherence {
    Coherence { name, summary: "stache, and homes move at the second request in a row", install }
}

fn hurried(space: &AddressSpace, variant: Variant, setup: &mut Setup<'_>) -> Arc<Memory> {
    let after = NonZeroU32::MIN.saturating_add(1);
    let config = Config::new(space.clone()).variant(variant).migration(Migration { after });
    Arc::clone(setup.install::<Stache>(&config).memory())
}

const BLOCK: u32 = 128;
const PAGE_WORDS: usize = 512;
const PAGES: usize = 4;

/// The blocks of all pages.
const BLOCKS: u64 = PAGES as u64 * 32;

/// Pages that one node has written and another then uses alone move there, once. After that no block is brought, although there is
/// room for one page of others only.
pub fn moving_homes_follow_their_user(setting: &Setting<'_>) {
    if setting.nodes < 2 {
        return;
    }
    let brought = |protocol| Sweeps::of_one(20).brought(setting, protocol, Frames::AtMost(1));
    let [staying, moving] = [&STACHE, &STACHE_MIGRATING].map(brought);
    // Of each page: all blocks there and back in the first round, and once more when it moves. A few of the second round may follow.
    assert!(
        moving <= 4 * BLOCKS && staying >= 19 * BLOCKS,
        "`moving_homes_follow_their_user` is broken ({setting}): {moving} blocks are brought, {staying} where homes stay"
    );
}

/// Pages that two nodes write in turn move at most a few times, however soon the first time, because each move takes twice the requests of
/// the one before.
pub fn moving_homes_do_not_thrash(setting: &Setting<'_>) {
    if setting.nodes < 2 {
        return;
    }
    let brought = |protocol| Sweeps::in_turn(50).brought(setting, protocol, Frames::All);
    let [staying, moving] = [&STACHE, &EAGER].map(brought);
    // A turn has two requests for each of 32 blocks: after five moves no turn is long enough for another.
    assert!(
        moving <= staying + 7 * 3 * BLOCKS,
        "`moving_homes_do_not_thrash` is broken ({setting}): {moving} blocks are brought, {staying} where homes stay"
    );
}

/// Each round, nodes write all words of all pages, and check the words written before.
#[derive(Clone, Copy)]
struct Sweeps {
    rounds: u32,
    /// Whether the first two nodes take turns, or the second is alone after the first round.
    in_turn: bool,
}

impl Sweeps {
    fn of_one(rounds: u32) -> Self {
        Self { rounds, in_turn: false }
    }

    fn in_turn(rounds: u32) -> Self {
        Self { rounds, in_turn: true }
    }

    /// The node that writes in a round.
    fn writer(self, round: u32) -> NodeId {
        NodeId(if self.in_turn { round % 2 } else { round.min(1) })
    }

    /// The number of blocks that are brought from one node to another.
    fn brought(self, setting: &Setting<'_>, protocol: &'static Coherence, frames: Frames) -> u64 {
        let mut layout = Layout::new(setting.nodes, BLOCK).expect("blocks have a permitted length");
        let words = layout.array("words", PAGES * PAGE_WORDS, Homes::At(NodeId(0))).expect("it is small");
        let space = AddressSpace::new(layout, frames).expect("there is a frame");
        let plan = Plan { memory: SharedMemory { space, protocol }, words, sweeps: self };
        let outcome = setting.verified_by::<Sweeper>(Mechanism::SharedMemory, "moving_homes", plan, 1);
        outcome.counters.volume.data / u64::from(BLOCK)
    }
}

struct Plan {
    memory: SharedMemory,
    words: Array<u64>,
    sweeps: Sweeps,
}

struct Sweeper {
    words: Shared<u64>,
    barrier: Arc<Barrier>,
    sweeps: Sweeps,
}

impl Protocol for Sweeper {
    type Config = Plan;

    fn install(plan: &Plan, setup: &mut Setup<'_>) -> Self {
        let words = plan.memory.install(setup).bind(plan.words);
        Self { words, barrier: setup.install::<Barrier>(&()), sweeps: plan.sweeps }
    }
}

#[handlers]
impl Sweeper {
    fn main(&self, thread: &Thread<'_>) {
        for round in 0..self.sweeps.rounds {
            self.barrier.wait(thread);
            if thread.node() == self.sweeps.writer(round) && thread.index() == 0 {
                for word in 0..self.words.len() {
                    let before = thread.read(&self.words, word);
                    assert_eq!(before, u64::from(round), "word {word} before round {round}");
                    thread.write(&self.words, word, before + 1);
                }
            }
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        // The threads have asserted their values.
        Report { checks: 1, ..Report::default() }
    }
}
