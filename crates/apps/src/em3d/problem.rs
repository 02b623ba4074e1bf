//! The problem of em3d: the inputs, the graph that is drawn for them, and the values that must come of it.
//!
//! Must never know how values travel.

use std::sync::{Arc, Mutex, PoisonError};

use tempest::entry::{BadPlan, FRAMES, Given, Input, Instance, Loaded, Plan, Reader};
use tempest::{Frames, Job, Mechanism};

use super::ghosts::{self, Em3d, MAX_VALUES};
use super::graph::Graph;
use super::layout::Layout;
use super::presets::{self, PRESETS};
use super::reference;
use super::shared::{self, SharedEm3d};

/// What a person chooses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Parameters {
    /// Graph nodes of each kind, at least 1.
    pub(super) size: u32,
    /// Edges of each E node, at least 1.
    pub(super) degree: u32,
    /// Edges that leave their owner, in percent.
    pub(super) remote: f64,
    /// Greatest distance of a remote edge, in owners, at least 1.
    pub(super) span: u32,
    /// Owners on each node of the machine, at least 1.
    pub(super) owners: u32,
    /// Iterations before the timed ones.
    pub(super) warm_up: u32,
    /// Timed iterations, at least 1.
    pub(super) iterations: u32,
    /// Values of a message and of a deposit, at least 1.
    pub(super) values: u32,
    /// Integer operations of each edge beyond those of the loop.
    pub(super) extra: u32,
    /// Bytes of a graph node's record in shared memory: a power of two, at least 32.
    pub(super) record: u32,
    /// Room for pages of others in shared memory.
    pub(super) frames: Frames,
}

/// The most graph nodes, both kinds together.
const MAX_NODES: u32 = 1 << 24;

/// The most edges. A graph of so many takes 1.6 GB (`run em3d --mechanism bulk --input nodes=66000 --input
/// degree=1000`).
const MAX_EDGES: u64 = 1 << 25;

/// The most edge computations in all iterations together. The sequential reference runs before the program does, and
/// no stall limit ends it.
const MAX_COMPUTED: u64 = 1 << 33;

pub(super) static INPUTS: &[Input] = &[
    Input::text(
        "preset",
        "small",
        "parameters known by a name: small, or those of a study: alewife, fixed-floating, pdq; every other input \
         overrides its own",
    ),
    Input::integer("nodes", 2..=MAX_NODES, "4000", "graph nodes, half of them E and half H; an even number"),
    Input::integer(
        "degree",
        1..=1000,
        "10",
        "edges of each E node, to different H nodes; at most as many as an owner has H nodes",
    ),
    Input::real("remote", 0.0..=100.0, "20", "edges that leave their owner, in percent"),
    Input::integer(
        "span",
        1..=1_000_000,
        "2",
        "distance that such an edge goes at most, in owners; after the last owner comes the first",
    ),
    Input::integer(
        "owners",
        1..=1024,
        "1",
        "owners of graph nodes on each machine node; with 1 each edge that leaves its owner leaves its machine node",
    ),
    Input::integer(
        "values",
        1..=MAX_VALUES as u32,
        "5",
        "values of a message and of a deposit; bulk has all for one destination in one block",
    ),
    Input::integer("iterations", 1..=1_000_000, "10", "timed iterations"),
    Input::integer("warm-up", 0..=1_000_000, "1", "iterations before those"),
    Input::integer(
        "extra",
        0..=1_000_000,
        "0",
        "integer operations that a model charges for each edge beside the 8 counted",
    ),
    Input::integer(
        "record",
        32..=128,
        "32",
        "bytes of a graph node's record in shared memory: 32, 64 or 128",
    ),
    FRAMES,
];

pub(super) fn load(given: &Given) -> Loaded {
    let mut reader = Reader::new(given, INPUTS);
    let preset = match presets::find(reader.text("preset")) {
        Ok(preset) => preset.parameters,
        Err(mistake) => {
            reader.refuse(format!("input `preset`: {mistake}"));
            PRESETS[0].parameters
        }
    };
    let parameters = override_preset(&mut reader, preset);
    reader.finish()?;
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

/// The parameters of a preset, each replaced by the input of that name if a person gave one.
fn override_preset(reader: &mut Reader<'_>, preset: Parameters) -> Parameters {
    let nodes = or_given(reader, "nodes", preset.size * 2);
    if !nodes.is_multiple_of(2) {
        reader.refuse(format!("input `nodes={nodes}`: expected an even number: half are E and half H"));
    }
    let record = or_given(reader, "record", preset.record);
    if !record.is_power_of_two() {
        reader.refuse(format!("input `record={record}`: expected 32, 64 or 128"));
    }
    let remote = if reader.is_given("remote") { reader.real("remote") } else { preset.remote };
    Parameters {
        size: nodes / 2,
        degree: or_given(reader, "degree", preset.degree),
        remote,
        span: or_given(reader, "span", preset.span),
        owners: or_given(reader, "owners", preset.owners),
        iterations: or_given(reader, "iterations", preset.iterations),
        warm_up: or_given(reader, "warm-up", preset.warm_up),
        values: or_given(reader, "values", preset.values),
        extra: or_given(reader, "extra", preset.extra),
        record,
        frames: reader.named("frames").unwrap_or_default(),
    }
}

fn or_given(reader: &mut Reader<'_>, key: &str, preset: u32) -> u32 {
    if reader.is_given(key) { reader.integer(key) } else { preset }
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

    use super::presets::Preset;
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
        let listed: Vec<_> = INPUTS.iter().map(|input| (input.key, input.default)).collect();
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
