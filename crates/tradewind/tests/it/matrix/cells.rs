//! The content of the matrix: programs with small inputs, every policy of this host, and numbers of processors.
//!
//! This module must never know the way a cell is run, or its result.

use std::path::Path;

use native::Local;
use protocols::stache::STACHE;
use tempest::entry::{Entry, File, Given, Instance, Plan};
use tempest::policy::{PRESETS, Split};
use tempest::world::Launch;
use tempest::{Mechanism, Policy, Shape};
use units::Time;

/// Total numbers of processors of a world.
const PROCESSORS: [u32; 4] = [1, 2, 4, 8];

/// Options added to each preset, if they change it and this host supports the result.
const OPTIONS: [&str; 8] =
    ["", "+keyed", "+serial", "+strict", "+interrupt", "+every=1", "+helper", "+helper=5us"];

/// Inputs small enough for a hundred runs of everything, the program's name first. A program that is not among them runs
/// with its own. The last of each is a file.
const INPUTS: &[&[&str]] = &[
    &["active-message", "rounds=5", "row=2", "hops=1", "block=16"],
    &["bitonic-sort", "keys=400"],
    &["bulk-bandwidth", "bytes=32"],
    &["cannon", "order=20"],
    &["cholesky", "width=4", "matrix=inputs/494_bus.mtx"],
    &["cholesky", "width=8", "order=file", "matrix=inputs/494_bus.mtx"],
    &["contended-line", "accesses=20"],
    &["dispatch", "messages=60", "keys=3", "length=50", "sequential=10", "nosync=10"],
    &["dispatch", "messages=60", "keys=2", "length=50", "synchronization=lock"],
    &["dispatch", "messages=60", "keys=2", "length=50", "synchronization=thread", "arrivals=closed"],
    &["em3d", "nodes=128", "degree=4", "iterations=3"],
    &["em3d", "nodes=96", "degree=3", "iterations=2", "remote=60"],
    // On one node there is no other node to ask.
    &["em3d", "nodes=64", "degree=3", "iterations=2", "remote=0"],
    &["fetch-add", "operations=320"],
    &["fetch-add", "operations=160", "skew=0.99", "handler=20"],
    // Each thread waits for each reply.
    &["fetch-add", "operations=64", "window=1", "words=8", "spacing=8"],
    &["fft", "points=256", "inverse=true"],
    &["fft-remap", "points=256"],
    &["fft-remap", "points=1024", "block=3", "put=true"],
    &["gauss", "size=24"],
    &["histogram", "values=200"],
    &["iccg", "partition=bisection", "matrix=inputs/494_bus.mtx"],
    &["iccg", "partition=cyclic", "matrix=inputs/494_bus.mtx"],
    &["memory-operations", "rounds=1"],
    &["message-costs", "rounds=2", "burst=4", "rest=10"],
    &["message-memory", "bytes=256", "rounds=2"],
    &["mm", "order=20", "block=4"],
    &["mm", "order=20", "block=4", "staggered=true"],
    &["neighbours", "rounds=3", "dimensions=3"],
    &["neighbours", "rounds=3", "handlers-only=true"],
    &["p-ray", "size=16", "steps=2", "cells=8", "object=5", "span=3", "scene=inputs/teapot.bpt"],
    &["p-ray", "size=12", "steps=2", "cells=8", "cache=50", "balance=counter", "scene=inputs/teapot.bpt"],
    &["poll-granularity", "turn=200", "granularity=50", "others=100", "iterations=2"],
    &["radix", "keys=500", "radix=16", "bits=9"],
    &["remote-miss", "misses=20", "push=1", "home=busy"],
    &["sample-sort", "keys=400", "oversampling=8"],
    // Many keys are equal.
    &["sample-sort", "keys=200", "bits=3", "oversampling=1", "push=2"],
    &["saturation", "misses=10", "push=1", "kind=upgrade"],
    &["shared-histogram", "values=60"],
    &["shell-sort", "keys=400", "piece=16"],
    &["split-phase", "operations=64", "measure=exch"],
    &["split-phase", "operations=64", "measure=rtt"],
    &["thread-switch", "turns=50"],
    &["tomcatv", "size=24", "iterations=2"],
    &["traffic", "messages=20", "loads=0.3,0.9", "steps=1", "size=16B"],
    &["traffic", "messages=20", "pattern=hotspot:30", "arrivals=closed", "windows=1,4", "size=16B"],
    &["wator", "fish=40", "steps=3"],
    &["work-costs", "rounds=1", "rows=16", "far=16"],
];

/// A program with inputs, its data moving in one way.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) mechanism: Mechanism,
    /// As the command line has them.
    pub(super) inputs: Vec<&'static str>,
    instance: Box<dyn Instance>,
}

/// A program under a policy in worlds of `all` processors.
pub(super) struct Cell<'p> {
    pub(super) program: &'p Program,
    pub(super) policy: Policy,
    pub(super) processors: u32,
    /// The shapes that program and policy can have.
    shapes: Vec<WorldShape>,
}

/// The shape of a world, as the command line has it.
#[derive(Clone, Copy)]
struct WorldShape {
    nodes: u32,
    processors: u32,
    threads: u32,
}

/// A run of a cell, reproducible by its number.
pub(super) struct Trial<'c> {
    cell: &'c Cell<'c>,
    shape: WorldShape,
    seed: u64,
}

/// Every program by every mechanism it has.
pub(super) fn programs() -> Vec<Program> {
    let unknown = INPUTS.iter().find(|row| super::table().find(row[0]).is_err());
    assert!(unknown.is_none(), "there is no program {unknown:?}");
    super::table().entries().iter().flat_map(of_entry).collect()
}

fn of_entry(entry: &'static Entry) -> Vec<Program> {
    let rows: Vec<_> = INPUTS.iter().filter(|row| row[0] == entry.name).map(|row| &row[1..]).collect();
    let rows = if rows.is_empty() { vec![&[][..]] } else { rows };
    let of_row = |inputs: &'static [&'static str]| {
        let load =
            move || (entry.load)(&given(inputs)).unwrap_or_else(|why| panic!("{}: {why:?}", entry.name));
        let program = move |mechanism: &Mechanism| Program {
            name: entry.name,
            mechanism: *mechanism,
            inputs: inputs.to_vec(),
            instance: load(),
        };
        entry.mechanisms.iter().map(program)
    };
    rows.into_iter().flat_map(of_row).collect()
}

fn given(inputs: &[&str]) -> Given {
    let mut given = Given::default();
    for (key, value) in inputs.iter().filter_map(|input| input.split_once('=')) {
        if value.starts_with("inputs/") {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(value);
            let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            given.files.insert(key.to_owned(), File { name: value.to_owned(), bytes });
        } else {
            given.values.insert(key.to_owned(), value.to_owned());
        }
    }
    given
}

/// Every policy that this host supports: each preset, with one and with two dedicated processors if it counts them, and with each
/// option.
pub(super) fn policies() -> Vec<Policy> {
    let heads = PRESETS.iter().flat_map(|preset| match preset.counted {
        true => vec![format!("{}:1", preset.name), format!("{}:2", preset.name)],
        false => vec![preset.name.to_owned()],
    });
    let texts = heads.flat_map(|head| OPTIONS.map(|option| format!("{head}{option}")));
    let mut policies: Vec<Policy> = Vec::new();
    for policy in texts.filter_map(|text| text.parse().ok()) {
        if Local::check(Mechanism::Messages, &policy).is_ok() && !policies.contains(&policy) {
            policies.push(policy);
        }
    }
    policies
}

/// Every cell with at least one shape.
pub(super) fn cells(programs: &[Program]) -> Vec<Cell<'_>> {
    let policies = policies();
    let mut cells = Vec::new();
    for program in programs {
        for policy in policies.iter().filter(|policy| Local::check(program.mechanism, policy).is_ok()) {
            for processors in PROCESSORS {
                let shapes = shapes(program, policy, processors);
                if !shapes.is_empty() {
                    cells.push(Cell { program, policy: policy.clone(), processors, shapes });
                }
            }
        }
    }
    cells
}

/// The shapes in which every processor has work, with one and with two threads per computing processor.
fn shapes(program: &Program, policy: &Policy, all: u32) -> Vec<WorldShape> {
    let even = (1..=all).filter(|nodes| all.is_multiple_of(*nodes));
    let of_shape = |(nodes, threads)| shape(program, policy, (nodes, all / nodes), threads);
    even.flat_map(|nodes| [(nodes, 1), (nodes, 2)]).filter_map(of_shape).collect()
}

/// The command line's shape of `nodes` nodes with `each` processors; some policies add processors to a node.
fn shape(program: &Program, policy: &Policy, (nodes, each): (u32, u32), threads: u32) -> Option<WorldShape> {
    let split = |processors: &u32| policy.split(*processors).ok();
    let is_all = |split: Split| split.computing + split.dedicated == each;
    let processors = (1..=each).find(|processors| split(processors).is_some_and(is_all))?;
    let shape = Shape { nodes, threads: split(&processors)?.computing * threads };
    let job = program.instance.job(&Plan::new(program.mechanism, shape).kept_by(&STACHE));
    job.is_ok().then_some(WorldShape { nodes, processors, threads })
}

impl Cell<'_> {
    /// Number of shapes.
    pub(super) fn shapes(&self) -> usize {
        self.shapes.len()
    }

    /// The run of a round: rounds take turns in how processors are divided among nodes and threads among processors, and
    /// each has a seed of its own.
    pub(super) fn trial(&self, round: usize) -> Trial<'_> {
        Trial { cell: self, shape: self.shapes[round % self.shapes.len()], seed: round as u64 + 1 }
    }
}

impl Trial<'_> {
    /// Makes the launch of the trial. The world gives up after `limit` without any event.
    ///
    /// # Panics
    /// If the program can have this shape from another seed only.
    pub(super) fn launch(&self, limit: Time) -> Launch {
        let Cell { program, policy, .. } = self.cell;
        let WorldShape { nodes, processors, threads } = self.shape;
        let split = policy.split(processors).expect("cells are made of what can be split");
        let shape = Shape { nodes, threads: split.computing * threads };
        let plan = Plan { seed: self.seed, ..Plan::new(program.mechanism, shape).kept_by(&STACHE) };
        let job = program.instance.job(&plan).unwrap_or_else(|why| panic!("{}: {why}", self.command()));
        Launch {
            mechanism: program.mechanism,
            nodes,
            processors,
            threads,
            seed: self.seed,
            stall_limit: Some(limit),
            ..Launch::new(job, policy.clone())
        }
    }

    /// Whether there is no other node.
    pub(super) fn is_of_one_node(&self) -> bool {
        self.shape.nodes == 1
    }

    pub(super) fn program(&self) -> &'static str {
        self.cell.program.name
    }

    /// The command line that runs this cell by hand.
    pub(super) fn command(&self) -> String {
        let Self {
            cell: Cell { program, policy, .. },
            shape: WorldShape { nodes, processors, threads },
            seed,
        } = self;
        // The command refuses an input that the mechanism does not heed.
        let entry = super::table().find(program.name).expect("cells are of programs of the table");
        let is_heeded = |text: &&&str| {
            let input = entry.inputs.iter().find(|input| text.split('=').next() == Some(input.key));
            input.is_none_or(|input| input.is_heeded(&[program.mechanism]))
        };
        let inputs: String =
            program.inputs.iter().filter(is_heeded).map(|input| format!(" --input {input}")).collect();
        format!(
            "tradewind run {} --mechanism {} --policy {policy} --nodes {nodes} --processors {processors} --threads {threads} \
             --seed {seed}{inputs}",
            program.name, program.mechanism
        )
    }
}
