//! The problem of em3d: the inputs, the graph that is drawn for them, and the values that must come of it.
//!
//! Must never know how values travel.

use std::sync::{Arc, Mutex, PoisonError};

use tempest::entry::{BadPlan, FRAMES, Given, Inputs, Instance, Loaded, Plan, Reader};
use tempest::{Frames, Job, Mechanism};

use super::ghosts::{self, Em3d, MAX_VALUES};
use super::graph::Graph;
use super::layout::Layout;
use super::presets::Preset;
use super::reference;
use super::shared::{self, SharedEm3d};

/// The most graph nodes, both kinds together.
const MAX_NODES: u32 = 1 << 24;

/// The most edges. A graph of so many takes 1.6 GB (`run em3d --mechanism bulk --input nodes=66000 --input
/// degree=1000`).
const MAX_EDGES: u64 = 1 << 25;

/// The most edge computations in all iterations together. The sequential reference runs before the program does, and
/// no stall limit ends it.
const MAX_COMPUTED: u64 = 1 << 33;

/// The inputs of em3d. An input that a person does not give is that of the preset.
#[derive(Clone, Inputs)]
pub(super) struct Asked {
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
    /// owners of graph nodes on each machine node; with 1 each edge that leaves its owner leaves its machine node
    #[input(default = 1, range = 1..=1024)]
    owners: Option<u32>,
    /// values of a message and of a deposit; bulk has all for one destination in one block
    #[input(default = 5, range = 1..=MAX_VALUES as u32)]
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
    #[input(default = 32, range = 32..=128)]
    record: Option<u32>,
    #[input(like = FRAMES)]
    frames: Frames,
}

/// The parameters of a run: those of the preset, where a person gives no other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Parameters {
    /// The number of graph nodes of each kind, at least 1.
    pub(super) size: u32,
    /// The number of edges of each E node, at least 1.
    pub(super) degree: u32,
    /// The share of the edges that leave their owner, in percent.
    pub(super) remote: f64,
    /// The greatest distance of a remote edge, in owners, at least 1.
    pub(super) span: u32,
    /// The number of owners on each machine node, at least 1.
    pub(super) owners: u32,
    /// The number of iterations before the timed ones.
    pub(super) warm_up: u32,
    /// The number of timed iterations, at least 1.
    pub(super) iterations: u32,
    /// The number of values of a message and of a deposit, at least 1.
    pub(super) values: u32,
    /// The integer operations of each edge beyond those of the loop.
    pub(super) extra: u32,
    /// The bytes of a graph node's record in shared memory: a power of two, at least 32.
    pub(super) record: u32,
    /// The room on a node for pages of other nodes in shared memory.
    pub(super) frames: Frames,
}

impl From<Asked> for Parameters {
    fn from(asked: Asked) -> Self {
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
        }
    }
}

/// Reads the inputs.
pub(super) fn load(given: &Given) -> Loaded {
    let mut reader = Reader::new(given, Asked::INPUTS);
    let asked = Asked::read(&mut reader);
    reader.expect("nodes", |nodes: u32| nodes.is_multiple_of(2), "an even number: half are E and half H");
    reader.expect("record", u32::is_power_of_two, "32, 64 or 128");
    reader.finish()?;
    let parameters = asked.expect("whatever is wrong was refused").into();
    check_edges(&parameters)?;
    Ok(Box::new(Waves { parameters, last: Mutex::default() }))
}

/// Refuses a degree that the graph cannot have, and a graph with too many edges.
fn check_edges(parameters: &Parameters) -> Result<(), String> {
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

/// The problem as told, and the graph that was drawn last. A comparison runs the same graph many times, so it is
/// kept.
struct Waves {
    parameters: Parameters,
    last: Mutex<Option<Drawn>>,
}

/// A graph, and the values that must come of it.
#[derive(Clone)]
struct Drawn {
    nodes: u32,
    seed: u64,
    graph: Arc<Graph>,
    expected: Arc<[Vec<f64>; 2]>,
}

impl Waves {
    fn draw(&self, nodes: u32, seed: u64) -> Drawn {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(drawn) = last.as_ref().filter(|drawn| (drawn.nodes, drawn.seed) == (nodes, seed)) {
            return drawn.clone();
        }
        let Parameters { owners, warm_up, iterations, .. } = self.parameters;
        let graph = Graph::generate(&self.parameters, nodes * owners, seed);
        let expected = Arc::new(reference::run(&graph, warm_up + iterations));
        last.insert(Drawn { nodes, seed, graph: Arc::new(graph), expected }).clone()
    }

    /// Refuses a number of machine nodes at which an owner would have fewer graph nodes of a kind than the degree
    /// asks for.
    fn check_owners(&self, nodes: u32) -> Result<(), String> {
        let Parameters { size, degree, owners, remote, .. } = self.parameters;
        let all = u64::from(nodes) * u64::from(owners);
        let each = u64::from(size) / all;
        if each < u64::from(degree) {
            return Err(format!(
                "{} graph nodes for {all} owners (--nodes {nodes}, --input owners={owners}): expected at least \
                 {degree} of each kind for every owner, as many as the degree",
                u64::from(size) * 2
            ));
        }
        if all == 1 && remote > 0.0 {
            return Err(format!(
                "{remote}% remote edges on one node with one owner: expected --nodes 2 or more, --input owners=2, or \
                 --input remote=0"
            ));
        }
        Ok(())
    }
}

impl Instance for Waves {
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan> {
        let Plan { mechanism, shape, seed, .. } = *plan;
        self.check_owners(shape.nodes)?;
        let Drawn { graph, expected, .. } = self.draw(shape.nodes, seed);
        let (parameters, layout) = (self.parameters, Layout::new(graph, shape));
        if mechanism == Mechanism::SharedMemory {
            return Ok(Job::new::<SharedEm3d>(Arc::new(shared::Config::new(
                plan, parameters, layout, expected,
            )?)));
        }
        Ok(Job::new::<Em3d>(Arc::new(ghosts::Config { mechanism, parameters, layout, expected })))
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        let Parameters {
            size,
            degree,
            remote,
            span,
            owners,
            warm_up,
            iterations,
            values,
            extra,
            record,
            frames,
        } = self.parameters;
        vec![
            ("graph nodes", (u64::from(size) * 2).to_string()),
            ("degree", degree.to_string()),
            ("remote", format!("{remote} %")),
            ("span", span.to_string()),
            ("owners per node", owners.to_string()),
            ("iterations", iterations.to_string()),
            ("warm-up", warm_up.to_string()),
            ("values per message", values.to_string()),
            ("extra operations per edge", extra.to_string()),
            ("bytes of a record", record.to_string()),
            ("room for pages of others", frames.to_string()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use tempest::Shape;

    use super::super::presets::PRESETS;
    use super::*;

    fn given(values: &[(&str, &str)]) -> Given {
        let text = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
        Given { values: values.iter().map(text).collect(), ..Given::default() }
    }

    fn facts(values: &[(&str, &str)]) -> Vec<(&'static str, String)> {
        load(&given(values)).map(|instance| instance.describe()).unwrap()
    }

    #[test]
    fn the_defaults_listed_are_those_of_the_default_preset() {
        let listed: Vec<_> = Asked::INPUTS.iter().map(|input| (input.key, input.default)).collect();
        assert_eq!(facts(&listed), facts(&[]));
    }

    #[test]
    fn every_preset_is_found_and_may_be_overridden() {
        for preset in PRESETS {
            let facts = facts(&[("preset", preset.name), ("iterations", "7")]);
            assert!(facts.contains(&("degree", preset.parameters.degree.to_string())));
            assert!(facts.contains(&("iterations", "7".to_owned())));
        }
    }

    #[test]
    fn the_page_shows_every_preset_as_it_is() {
        let page = include_str!("mod.rs").replace('*', "");
        for Preset { name, parameters } in PRESETS {
            let Parameters { size, degree, remote, span, owners, warm_up, iterations, .. } = parameters;
            let Parameters { extra, record, values: 5, .. } = parameters else {
                panic!("{name}: what the page does not show")
            };
            let row = format!(
                "//! | `{name}` | {} | {degree} | {remote} | {span} | {owners} | {iterations} | {warm_up} | {extra} | {record} |",
                size * 2
            );
            assert!(page.contains(&row), "the page lacks {row}");
        }
    }

    #[test]
    fn every_wrong_input_is_named() {
        let wrong = [("preset", "alewif"), ("nodes", "7"), ("degree", "0"), ("remote", "101"), ("spam", "1")];
        let errors = load(&given(&wrong)).map(|_| ()).unwrap_err().texts();
        let expected = [
            "unknown input `spam`: did you mean `span`?",
            "no preset `alewif`: did you mean `alewife`?",
            "input `nodes=7`: expected an even number",
            "input `remote=101`: expected a number from 0 to 100",
            "input `degree=0`: expected an integer from 1 to 1000",
        ];
        for says in expected {
            assert!(errors.iter().any(|error| error.contains(says)), "{says}: {errors:?}");
        }
        assert_eq!(errors.len(), expected.len());
    }

    #[test]
    fn a_degree_beyond_the_graph_is_refused() {
        let errors = load(&given(&[("nodes", "8"), ("degree", "5")])).map(|_| ()).unwrap_err().texts();
        assert_eq!(
            errors,
            ["input `degree=5`: expected at most 4, half of the graph's nodes: neighbours differ"]
        );
        let errors =
            load(&given(&[("nodes", "16777216"), ("degree", "1000")])).map(|_| ()).unwrap_err().texts();
        assert!(errors[0].contains("expected at most 33554432 edges"), "{errors:?}");
    }

    #[test]
    fn what_nodes_cannot_share_is_refused_before_anything_is_drawn() {
        let instance = load(&given(&[("nodes", "80")])).unwrap();
        let plan = |nodes| Plan::new(Mechanism::Messages, Shape { nodes, threads: 2 });
        let job = |nodes| instance.job(&plan(nodes)).map(|_| ());
        assert_eq!(job(4), Ok(()));
        assert!(
            job(5)
                .unwrap_err()
                .0
                .contains("80 graph nodes for 5 owners (--nodes 5, --input owners=1): expected at least 10")
        );
        assert!(job(u32::MAX).unwrap_err().0.contains("80 graph nodes for 4294967295 owners"));
        assert!(
            job(1)
                .unwrap_err()
                .0
                .contains("expected --nodes 2 or more, --input owners=2, or --input remote=0")
        );
    }
}
