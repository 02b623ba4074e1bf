//! The problem of em3d: the inputs, the graph that is drawn for them, and the expected values.
//!
//! This module must never know how values travel.

use std::convert::Infallible;
use std::sync::Arc;

use tempest::entry::{FRAMES, Frozen, HOMES, Inputs, Problems, portable};
use tempest::memory::{Frames, Placement};

use super::graph::Graph;
use super::parameters::{MAX_VALUES, Owners, Parameters, Preset};
use super::reference;

/// The most graph nodes, both kinds together.
const MAX_NODES: u32 = 1 << 24;

/// The most edges. A graph of this size takes 1.6 GB
/// (`run em3d --mechanism bulk --input nodes=66000 --input degree=1000`).
const MAX_EDGES: u64 = 1 << 25;

/// The most edge computations in all iterations together. The sequential reference runs before the program does, and
/// no stall limit ends it.
const MAX_COMPUTED: u64 = 1 << 33;

/// The inputs of em3d. An input that a person does not give is the preset's.
#[derive(Clone, Inputs)]
pub(super) struct Options {
    /// parameters known by a name: small, or those of a study: alewife, fixed-floating, pdq; every other input overrides
    /// its own
    #[input(default = "small")]
    preset: Preset,
    /// graph nodes, half of them E and half H; an even number
    #[input(default = 4000, range = 2..=MAX_NODES)]
    nodes: Option<u32>,
    /// edges of each E node, to different H nodes; at most as many as an owner has H nodes
    #[input(default = 10, range = 1..=1000)]
    degree: Option<u32>,
    /// edges that leave their owner, in percent
    #[input(default = 20, range = 0.0..=100.0)]
    remote: Option<f64>,
    /// distance that such an edge goes at most, in owners; after the last owner comes the first
    #[input(default = 2, range = 1..=1_000_000)]
    span: Option<u32>,
    /// owners of graph nodes, on all machine nodes together; `nodes`: as many as machine nodes, so that each edge that leaves
    /// its owner leaves its machine node
    #[input(default = "nodes")]
    owners: Option<Owners>,
    /// values of a message and of a deposit; bulk has all for one destination in one block
    #[input(default = 5, range = 1..=MAX_VALUES as u32, only = [Messages, Deposit])]
    values: Option<u32>,
    /// timed iterations
    #[input(default = 10, range = 1..=1_000_000)]
    iterations: Option<u32>,
    /// iterations before those
    #[input(default = 1, range = 0..=1_000_000)]
    warm_up: Option<u32>,
    /// integer operations that a model charges for each edge beside the 8 counted
    #[input(default = 0, range = 0..=1_000_000)]
    extra: Option<u32>,
    /// bytes of a graph node's record in shared memory: 32, 64 or 128
    #[input(default = 32, range = 32..=128, only = [SharedMemory])]
    record: Option<u32>,
    #[input(like = FRAMES)]
    frames: Frames,
    #[input(like = HOMES)]
    homes: Placement,
}

impl From<Options> for Parameters {
    fn from(asked: Options) -> Self {
        let preset = asked.preset.parameters;
        Self {
            size: asked.nodes.map_or(preset.size, |nodes| nodes / 2),
            degree: asked.degree.unwrap_or(preset.degree),
            remote: asked.remote.unwrap_or(preset.remote),
            span: asked.span.unwrap_or(preset.span),
            owners: asked.owners.unwrap_or(preset.owners),
            warm_up: asked.warm_up.unwrap_or(preset.warm_up),
            iterations: asked.iterations.unwrap_or(preset.iterations),
            values: asked.values.unwrap_or(preset.values),
            extra: asked.extra.unwrap_or(preset.extra),
            record: asked.record.unwrap_or(preset.record),
            frames: asked.frames,
            homes: asked.homes,
        }
    }
}

/// Refuses a degree that the graph cannot have, and a graph with too many edges.
pub(super) fn check_edges(parameters: &Parameters) -> Result<(), String> {
    let Parameters { size, degree, .. } = *parameters;
    if degree > size {
        return Err(format!(
            "input `degree={degree}`: expected at most {size}, half of the graph's nodes: neighbours differ"
        ));
    }
    let (nodes, edges) = (u64::from(size) * 2, u64::from(size) * u64::from(degree));
    if edges > MAX_EDGES {
        return Err(format!("{nodes} graph nodes of degree {degree}: expected at most {MAX_EDGES} edges"));
    }
    let computed = edges * 2 * (u64::from(parameters.warm_up) + u64::from(parameters.iterations));
    if computed > MAX_COMPUTED {
        return Err(format!("{computed} edges in all iterations: expected at most {MAX_COMPUTED}"));
    }
    Ok(())
}

/// The problem by its inputs.
pub(super) struct Waves {
    pub(super) parameters: Parameters,
    problems: Problems,
}

/// A graph, and the expected values.
#[derive(Clone)]
pub(super) struct Drawn {
    pub(super) graph: Arc<Graph>,
    pub(super) expected: [Frozen<f64>; 2],
}

portable!(Drawn { graph, expected });

impl Waves {
    /// The problem of these parameters. Graphs are kept in `problems`.
    pub(super) fn new(parameters: Parameters, problems: Problems) -> Self {
        Self { parameters, problems }
    }

    /// Draws the graph for `nodes` machine nodes.
    pub(super) fn draw(&self, nodes: u32, seed: u64) -> Arc<Drawn> {
        let Parameters { owners, warm_up, iterations, .. } = self.parameters;
        let owners = owners.on(nodes);
        let draw = || {
            let graph = Graph::generate(&self.parameters, owners, seed);
            let expected = reference::run(&graph, warm_up + iterations).map(Frozen::from);
            Ok::<_, Infallible>(Drawn { graph: Arc::new(graph), expected })
        };
        let of = format!("{:?} for {owners} owners with seed {seed}", self.parameters);
        let Ok(drawn) = self.problems.get("em3d", &of, draw);
        drawn
    }

    /// Whether there is no graph on one machine node: remote edges lead to another owner, and there would be one only.
    pub(super) fn needs_others(&self) -> bool {
        self.parameters.owners.on(1) == 1 && self.parameters.remote > 0.0
    }

    /// Refuses a number of machine nodes at which an owner would have fewer graph nodes of a kind than the degree
    /// asks for.
    pub(super) fn check_owners(&self, nodes: u32) -> Result<(), String> {
        let Parameters { size, degree, owners, remote, .. } = self.parameters;
        let all = owners.on(nodes);
        let each = u64::from(size) / u64::from(all);
        if each < u64::from(degree) {
            return Err(format!(
                "{} graph nodes for {all} owners (--nodes {nodes}, --input owners={owners}): expected at least \
                 {degree} of each kind for every owner, as many as the degree",
                u64::from(size) * 2
            ));
        }
        if all == 1 && remote > 0.0 {
            return Err(format!(
                "{remote}% remote edges and one owner: expected --nodes 2 or more, --input owners=2, or \
                 --input remote=0"
            ));
        }
        Ok(())
    }
}
