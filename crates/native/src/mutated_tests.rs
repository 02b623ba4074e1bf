//! A world in which a third party writes any value to any word that nodes share: the lines and counts of lanes, the words of parkers, the
//! counts of deposits. For every value, the run ends: right, with wrong words of the program, or with an error that is no panic of the world.
//!
//! The nodes are in one process here, and end as the nodes of a process of a world do (`process::member`): the same code reads the words.
//!
//! ```text
//! cargo test -p tradewind-native --lib mutated                                   # a few worlds
//! cargo test --release -p tradewind-native --lib mutated -- --include-ignored    # 3,000 worlds
//! ```

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, Once};
use std::time::{Duration, Instant};
use std::{panic, thread};

use tempest::entry::{Given, Plan};
use tempest::outcome::Failure;
use tempest::world::{Launch, SegmentId};
use tempest::{Mechanism, NodeId, Place, Policy, Shape};

use crate::Local;
use crate::clock::monotonic_ns;
use crate::control::message::{Control, RegionName};
use crate::lock::lock;
use crate::parts::ending::Reply;
use crate::parts::settling::Terms;
use crate::parts::world::{Stage, World};
use crate::rings::message::{FOLLOWS, HALF, Origin};
use crate::rings::mutated_tests::{Random, mutate};
use crate::runner::os_threads::Processors;

/// A program with inputs that keep it busy for some tenths of a second.
type Case = (&'static str, Mechanism, &'static [(&'static str, &'static str)]);

const CASES: [Case; 4] = [
    ("fetch-add", Mechanism::Messages, &[("operations", "100000")]),
    ("em3d", Mechanism::Messages, &[("nodes", "400"), ("iterations", "300")]),
    ("em3d", Mechanism::Bulk, &[("nodes", "400"), ("iterations", "300")]),
    ("em3d", Mechanism::Deposit, &[("nodes", "400"), ("iterations", "300")]),
];

/// Policies, and the processors of a node.
const POLICIES: [(&str, u32); 4] =
    [("single", 1), ("fixed:1", 2), ("floating", 2), ("floating+keyed+helper", 2)];

/// Time of a run without an end after which it is stopped: a message that a mutation has taken away is missed for ever.
const LONGEST: Duration = Duration::from_millis(100);

/// Time in which a stopped run has to end.
const PATIENCE: Duration = Duration::from_secs(10);

fn launch(number: u64) -> Launch {
    let (name, mechanism, inputs) = CASES[number as usize % CASES.len()];
    let (policy, processors) = POLICIES[number as usize / CASES.len() % POLICIES.len()];
    let policy: Policy = policy.parse().expect("a policy");
    let threads = policy.split(processors).expect("enough processors").computing;
    let nodes = 2 + number as u32 % 2;
    let values = inputs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    let given = Given { values: values.collect(), ..Given::default() };
    let entry = tempest::entry::find(name, apps::ALL).expect("a program of the registry");
    let instance = (entry.load)(&given).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    let job = instance.job(&Plan::new(mechanism, Shape { nodes, threads })).expect("a right plan");
    Launch { nodes, processors, mechanism, ..Launch::new(job, policy) }
}

/// The words that are written in a world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Aim {
    /// Any word of a channel.
    Channels,
    /// The kind, the length and the origin of a message in its place.
    Heads,
    /// The words of a message in its place.
    Words,
    /// Control messages of any kind and content, in the place of the next message.
    Control,
    Parkers,
    /// Counts of deposits.
    Deposits,
}

const AIMS: [Aim; 7] =
    [Aim::Heads, Aim::Words, Aim::Control, Aim::Channels, Aim::Heads, Aim::Parkers, Aim::Deposits];

/// A control message, which no node has reason to send.
fn forged(random: &mut Random) -> Control {
    let number = random.mutation(3);
    match random.below(8) {
        0 => Control::Deposited(SegmentId(number as u16)),
        1 => Control::Arrived(RegionName::of(["solve", "gather", "", "elsewhere"][random.below(4) as usize])),
        2 => Control::Measure(number),
        3 => Control::Measured,
        4 => Control::Enter,
        5 => Control::Returned,
        6 => Control::Wave(number),
        _ => {
            let [sent, handled, idle_since] = [0; 3].map(|zero: u64| random.mutation(zero));
            Control::Reply(number, Reply { sent, handled, idle_since })
        }
    }
}

/// A head with another kind, length and origin, of the same line.
fn other_head(head: u64, random: &mut Random) -> u64 {
    let kept = head & (0xffff_ffff | HALF | FOLLOWS);
    // Most messages are short, and few kinds exist.
    let (id, length, origin) = (random.below(12), random.below(random.0 % 13 + 3), random.below(8));
    kept | id << 32 | length << 48 | origin << 52
}

/// Writes to a random word that nodes of the world share.
fn disturb(world: &World, aim: Aim, random: &mut Random) {
    let nodes: Vec<_> = world.own_nodes().collect();
    let node = nodes[random.below(nodes.len() as u64) as usize];
    let incoming = node.links.incoming();
    let channel = incoming[random.below(incoming.len() as u64) as usize].channel();
    match aim {
        Aim::Channels => mutate(channel, random),
        Aim::Heads => {
            let head = &channel.line(random.below(channel.lines() as u64))[4 * random.below(2) as usize];
            let before = head.load(Ordering::Relaxed);
            let other = other_head(before, random);
            // Unless the line has been used again meanwhile.
            _ = head.compare_exchange(before, other, Ordering::Relaxed, Ordering::Relaxed);
        }
        Aim::Words => {
            let place = [1, 2, 3, 5, 6, 7][random.below(6) as usize];
            let word = &channel.line(random.below(channel.lines() as u64))[place];
            word.store(random.mutation(word.load(Ordering::Relaxed)), Ordering::Relaxed);
        }
        Aim::Control => {
            let packet = forged(random).packet(node.id);
            let to = random.below(nodes.len() as u64) as usize;
            // Without the processor of the node, whose place in the ring may be lost by that.
            node.links.outgoing()[to].post(&packet, Origin::Control, 0, &node.backlog);
        }
        Aim::Parkers => {
            let parker = &world.parkers[random.below(world.parkers.len() as u64) as usize];
            let word = &parker.words()[random.below(3) as usize];
            word.store(random.mutation(word.load(Ordering::Relaxed).into()) as u32, Ordering::Relaxed);
        }
        Aim::Deposits => {
            // A count is reached by its own addition: it may be any number afterwards.
            let place = Place { segment: SegmentId(random.below(3) as u16), offset: 0 };
            _ = node.links.view_of(NodeId(0)).segments.count_deposit(place, random.mutation(0) as usize);
        }
    }
}

/// Runs a disturbed world. Returns the failure, and the number of mutations.
fn run(terms: &Terms<'_>, seed: u64) -> (Option<Failure>, u64) {
    let world = Arc::new(World::local(terms).expect("the program settles"));
    let processors = Processors::start(&world, terms.launch);
    world.start_clock(monotonic_ns());
    processors.release();
    let (mut random, mut mutations, start) = (Random(seed), 0, Instant::now());
    let (aim, pause) = (AIMS[seed as usize % AIMS.len()], 1 + random.below(500));
    let mut stopped = None;
    while !processors.sees_off(Duration::ZERO) {
        disturb(&world, aim, &mut random);
        mutations += 1;
        if start.elapsed() > LONGEST {
            world.stop_at(Stage::Failed, world.now());
        }
        if world.stage() != Stage::Running {
            // As a process of a world does whose processors have to see the end.
            world.wake_all();
            let since = stopped.get_or_insert_with(Instant::now).elapsed();
            assert!(since < PATIENCE, "seed {seed}: a processor does not see the end of the run");
            thread::sleep(Duration::from_millis(1));
        }
        (0..pause * 20).for_each(|_| std::hint::spin_loop());
    }
    processors.join();
    (world.take_failure(), mutations)
}

/// The code that may not panic, for any word that it reads. A program's own code may, and ends its run.
const OWN: [&str; 5] =
    ["crates/native/src/", "crates/pdq/src/queue/", "crates/segment/", "crates/bulk/", "crates/fiber/"];

/// The places at which processors have panicked in that code.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Has panics of processors in the world's own code recorded.
fn record_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let is_processor = thread::current().name().is_some_and(|name| name.starts_with("processor "));
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            if is_processor && OWN.iter().any(|room| place.contains(room)) {
                lock(&PANICS).push(place);
            }
            before(info);
        }));
    });
}

fn dose(worlds: u64) {
    record_panics();
    let (mut all, mut kinds, mut broken) = (0, BTreeSet::new(), Vec::new());
    for seed in 0..worlds {
        let launch = launch(seed);
        let local = Local::with_depths(8, 16);
        let ended = local.with_terms(&launch, |terms| Ok(run(terms, seed)));
        let (failure, mutations) = ended.expect("the launch is right");
        all += mutations;
        broken.extend(lock(&PANICS).drain(..).map(|place| format!("seed {seed}: {place}: {failure:?}")));
        if let Some(failure) = failure {
            // Without its numbers, a failure is a kind.
            let text: String = failure.to_string().chars().filter(|of| !of.is_ascii_digit()).collect();
            kinds.insert(text.chars().take(60).collect::<String>());
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(kinds.len() > 3, "of {all} mutations of {worlds} worlds too few were noticed: {kinds:#?}");
}

#[test]
fn mutated_words_of_a_world_end_its_run() {
    dose(32);
}

/// The long dose.
#[test]
#[ignore = "it takes minutes"]
fn mutated_words_of_three_thousand_worlds_end_their_runs() {
    dose(3000);
}
