//! The runs of the table, each by its name and a size. This file must never know how a run is timed.

use machine::Machine;
use tempest::Mechanism;

use crate::by_hand::Model;
use crate::trial::Trial;

/// A run by its name. Its size is the number of operations of a node, the number of graph nodes, or, for runs that measure
/// very many nodes, the number of nodes.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) trial: fn(u32) -> Trial,
}

pub(crate) const NO_BUS: Case = Case { name: "no-bus", trial: |size| fetch_add(&WITHOUT_BUS, 8, size) };
pub(crate) const BUS: Case = Case { name: "bus", trial: |size| fetch_add(&HURRICANE, 8, size) };
pub(crate) const NP: Case = Case { name: "np", trial: |size| fetch_add(&PARAGON_NP, 8, size) };
pub(crate) const EM3D: Case = Case { name: "em3d", trial: em3d };
pub(crate) const NO_BUS_1024: Case =
    Case { name: "no-bus-1024", trial: |size| fetch_add(&WITHOUT_BUS, 1024, size) };
pub(crate) const NO_BUS_16384: Case =
    Case { name: "no-bus-16384", trial: |size| fetch_add(&WITHOUT_BUS, 16_384, size) };
pub(crate) const CM5_1024: Case = Case { name: "cm-5-1024", trial: |size| fetch_add(&CM5, 1024, size) };
pub(crate) const CM5_16384: Case = Case { name: "cm-5-16384", trial: |size| fetch_add(&CM5, 16_384, size) };
pub(crate) const THREADS: Case = Case { name: "threads", trial: |nodes| neighbours(nodes, false) };
pub(crate) const HANDLERS: Case = Case { name: "handlers", trial: |nodes| neighbours(nodes, true) };

/// All runs.
pub(crate) const ALL: [Case; 10] =
    [NO_BUS, BUS, NP, EM3D, NO_BUS_1024, NO_BUS_16384, CM5_1024, CM5_16384, THREADS, HANDLERS];

/// The name of the run [`NO_BUS`] as a model by hand.
pub(crate) const BY_HAND: &str = "by-hand";

/// The requests that a thread has outstanding.
pub(crate) const WINDOW: u32 = 16;

/// The words of a node.
const WORDS: u32 = 64;

/// A machine as a run uses it.
struct Set {
    machine: fn() -> Machine,
    policy: &'static str,
    processors: u32,
}

const HURRICANE: Set = Set { machine: hurricane_1, policy: "hurricane-1:2", processors: 2 };
const PARAGON_NP: Set = Set { machine: paragon, policy: "np", processors: 1 };
const CM5: Set = Set { machine: cm_5, policy: "proc", processors: 1 };

/// Hurricane-1 without caches, banks and bus: prices alone.
const WITHOUT_BUS: Set = Set { machine: without_bus, policy: "single", processors: 1 };

pub(crate) fn hurricane_1() -> Machine {
    machine("hurricane-1", include_str!("../../../../machines/hurricane-1.toml"))
}

fn without_bus() -> Machine {
    let mut machine = hurricane_1();
    machine.node_memory = None;
    machine
}

fn paragon() -> Machine {
    machine("paragon", include_str!("../../../../machines/paragon.toml"))
}

fn cm_5() -> Machine {
    machine("cm-5", include_str!("../../../../machines/cm-5.toml"))
}

fn machine(name: &str, text: &str) -> Machine {
    Machine::parse(&format!("machines/{name}.toml"), text).expect("the shipped file is valid")
}

/// Two messages for each of `operations` fetch-adds of every node.
fn fetch_add(set: &Set, nodes: u32, operations: u32) -> Trial {
    let inputs = [("operations", nodes * operations), ("window", WINDOW), ("words", nodes * WORDS)];
    Trial {
        machine: (set.machine)(),
        policy: set.policy,
        nodes,
        processors: set.processors,
        program: "fetch-add",
        mechanism: Mechanism::Messages,
        inputs: inputs.map(|(key, value)| (key, value.to_string())).into(),
    }
}

/// Electromagnetic waves over a graph of `graph` nodes, whose values lie in shared memory.
fn em3d(graph: u32) -> Trial {
    Trial {
        machine: hurricane_1(),
        policy: "floating",
        nodes: 8,
        processors: 8,
        program: "em3d",
        mechanism: Mechanism::SharedMemory,
        inputs: vec![("nodes", graph.to_string())],
    }
}

/// The run [`NO_BUS`] as a model by hand.
pub(crate) fn no_bus_by_hand(operations: u32) -> Model {
    Model::new(&without_bus(), 8, WORDS, operations)
}

/// Four rounds in which each node sends to four neighbours.
fn neighbours(nodes: u32, handlers_only: bool) -> Trial {
    Trial {
        machine: paragon(),
        policy: "proc",
        nodes,
        processors: 1,
        program: "neighbours",
        mechanism: Mechanism::Messages,
        inputs: vec![("handlers-only", handlers_only.to_string())],
    }
}
