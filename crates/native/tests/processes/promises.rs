//! Promises by name, each run of which has processes of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use conformance::{Promise, Setting, promises};
use tempest::Policy;
use tempest::outcome::{Failure, Outcome};
use tempest::world::{Launch, World};
use tradewind_native::{Local, Processes};

/// A promise with everything that a process needs to know to take part in it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Case {
    promise: String,
    policy: String,
    nodes: u32,
    processors: u32,
    nodes_each: u32,
}

impl Case {
    /// The case and the number of the run, as an order of the launcher.
    fn order(&self, run: u32) -> String {
        let Self { promise, policy, nodes, processors, nodes_each } = self;
        format!("promise {promise} {policy} {nodes} {processors} {nodes_each} {run}")
    }

    fn read(order: &str) -> (Self, u32) {
        let words: Vec<_> = order.split(' ').collect();
        let number = |place: usize| words[place].parse().expect("an order has numbers");
        let case = Self {
            promise: words[0].to_owned(),
            policy: words[1].to_owned(),
            nodes: number(2),
            processors: number(3),
            nodes_each: number(4),
        };
        (case, number(5))
    }

    fn holds(&self, world: &dyn World) {
        let (_, promise) = find(&self.promise);
        let policy: Policy = self.policy.parse().expect("the policy is right");
        promise(&Setting { world, policy: &policy, nodes: self.nodes, processors: self.processors });
    }
}

fn find(name: &str) -> &'static Promise {
    promises().iter().find(|(known, _)| *known == name).expect("the promise exists")
}

/// The world of a case. A promise may make several runs; a process takes part in a single run, and makes the earlier runs by itself.
struct Numbered<'a> {
    case: &'a Case,
    own: Option<u32>,
    next: AtomicU32,
}

impl World for Numbered<'_> {
    fn run(&self, launch: &Launch) -> Result<Outcome, Failure> {
        let run = self.next.fetch_add(1, Ordering::Relaxed);
        if self.own.is_some_and(|own| own != run) {
            return Local::new().run(launch);
        }
        Processes::new().nodes_each(self.case.nodes_each).described(self.case.order(run)).run(launch)
    }
}

pub(crate) const POLICIES: &[&str] =
    &["single", "fixed:1", "floating", "fixed:1+interrupt", "floating+keyed+helper"];

/// Takes the part of a process in a run of a promise.
pub(crate) fn take_part(order: &str) -> ! {
    let (case, run) = Case::read(order);
    case.holds(&Numbered { case: &case, own: Some(run), next: AtomicU32::new(0) });
    unreachable!("a process ends with its run");
}

/// Runs the part: the promises with any of `names` in theirs, or all if there are none. Returns the failed checks.
pub(crate) fn broken(full: bool, names: &[&str]) -> Vec<String> {
    let is_asked = |name: &str| names.is_empty() || names.iter().any(|part| name.contains(part));
    let mut broken = Vec::new();
    let began = Instant::now();
    let mut held = 0;
    for case in cases(full).filter(|case| is_asked(&case.promise)) {
        let world = Numbered { case: &case, own: None, next: AtomicU32::new(0) };
        match catch_unwind(AssertUnwindSafe(|| case.holds(&world))) {
            Ok(()) => held += 1,
            Err(_) => broken.push(case.order(0)),
        }
    }
    println!(
        "{held} promises held with nodes as processes, {} broken, in {:?}",
        broken.len(),
        began.elapsed()
    );
    broken
}

/// The cases of a dose: the small one has each promise once.
fn cases(full: bool) -> impl Iterator<Item = Case> {
    let case = |promise: &str, policy: &str, nodes, nodes_each| Case {
        promise: promise.to_owned(),
        policy: policy.to_owned(),
        nodes,
        processors: 2,
        nodes_each,
    };
    let each = move |(number, (name, _)): (usize, &'static Promise)| -> Vec<Case> {
        if !full {
            return vec![case(
                name,
                POLICIES[number % POLICIES.len()],
                2 + (number % 2) as u32,
                1 + (number % 3 / 2) as u32,
            )];
        }
        let sizes = [(2, 1), (4, 1), (8, 1), (4, 2)];
        let of_size =
            |(nodes, each): (u32, u32)| POLICIES.iter().map(move |policy| case(name, policy, nodes, each));
        sizes.into_iter().flat_map(of_size).collect()
    };
    let shared = |(_, (name, _)): &(usize, &Promise)| *name != ONE_PROCESS;
    promises().iter().enumerate().filter(shared).flat_map(each)
}

/// The promise that an event which two nodes use is a fault: in two processes each node has an event of its own.
const ONE_PROCESS: &str = "events_have_one_node";
