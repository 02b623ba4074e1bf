//! em3d: electromagnetic waves on an irregular bipartite graph, by each of the four mechanisms.
//!
//! Half of the graph nodes hold electric field values (E), half magnetic ones (H). An iteration updates each E value
//! from its H neighbours, v -= Σ weight · neighbour, and then each H value from its E neighbours. The undirected
//! edges serve both halves. Before each half, values that another machine node needs travel to *ghosts* on that node,
//! so that computing touches local memory only. After each half all threads meet at a barrier. (D. E. Culler et al.,
//! *Parallel Programming in Split-C*, Supercomputing 1993; F. T. Chong, R. Barua, F. Dahlgren, J. D. Kubiatowicz and
//! A. Agarwal, *The Sensitivity of Communication Mechanisms to Bandwidth and Latency*, HPCA-4, 1998.)
//!
//! # Mechanisms
//!
//! | mechanism | how values travel |
//! |---|---|
//! | `messages` | a few values in each message (five in the study), read straight from where they are; the handler puts them into the ghosts |
//! | `bulk` | gathered into one block for each machine node, which one transfer moves into the ghosts |
//! | `deposit` | a few values at a time, read straight from where they are and placed in the ghosts; no handler runs |
//! | `shared-memory` | there are no ghosts: each graph node is a record in shared memory, at home with its owner; a thread reads its neighbours' records |
//!
//! # Work
//!
//! A model charges eight operations for an edge and ten for a graph node (loads, multiply and add, loop), as the
//! study of the dispatch queue counts them (B. Falsafi and D. A. Wood, HPCA-5, 1999). It charges `extra` operations
//! more for an edge, for machines on which an edge was measured to take longer. The edges of a thread's graph nodes are in
//! arrays of the thread's own, which it builds at the beginning, before the timed region: a model finds or misses each of
//! their bytes in its caches. With shared memory the model prices each access itself, so loads and stores of shared words are
//! not charged beside.
//!
//! Under each mechanism, values, ghosts and gathered blocks stand in segments: each access goes through the processor's
//! cache to where the word lies. A handler's stores into ghosts go through the cache of the processor that runs it.
//! Where caches do not snoop, the program flushes a block that it has gathered, and purges ghosts that it has read.
//!
//! # Presets
//!
//! A preset has the numbers of a study where the study prints them. Numbers in *italics* are ours.
//!
//! | preset | nodes | degree | remote | span | owners | iterations | warm-up | extra | record | study |
//! |---|---|---|---|---|---|---|---|---|---|---|
//! | `small` | *4000* | *10* | *20* | *2* | *nodes* | *10* | *1* | *0* | *32* | none: small enough for a first look |
//! | `alewife` | 10000 | 10 | 20 | *5* | *nodes* | 50 | *0* | *16* | *32* | Chong et al., HPCA-4, 1998; on 32 nodes of one processor |
//! | `fixed-floating` | *16320* | 5 | 5 | 2 | *nodes* | 10 | *0* | *84* | *64* | Falsafi and Wood on fixed and floating protocol processors, about 1996; on 4 nodes |
//! | `pdq` | 76800 | *10* | 15 | *16* | *64* | *5* | *1* | *57* | *32* | Falsafi and Wood, HPCA-5, 1999; on 8 nodes of 8 processors |
//!
//! # Timed regions
//!
//! `iterate` is the timed region: all iterations but the `warm-up` iterations, which come before it. With shared
//! memory a region `check` follows, in which nodes read back their results.
//!
//! # Figures
//!
//! The edges of the graph, the shares of them that cross owners and machine nodes, and the values that one iteration sends. On a
//! machine that describes its caches also the lines that the memories of all nodes moved in the timed region, unless shared memory
//! carries the values: misses, lines from the buffer of an interface, lines read from memory and written to it, lines that caches wrote
//! back, and lines that such a buffer had to give up.
//!
//! # How it is checked
//!
//! Every value is compared, bit for bit, with a sequential run over the same graph. Bits can agree because each sum
//! adds its terms in the order of the edges, on every machine.

mod adjacency;
mod bulk;
mod deposit;
mod ghosts;
mod graph;
mod layout;
mod lines;
mod messages;
mod parameters;
mod problem;
mod program;
mod reference;
mod shared;
mod work;

use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, Given, Inputs, Instance, Least, Loaded, Plan, Reader};
use tempest::{Job, Mechanism};

use layout::Layout;
use parameters::Parameters;
use problem::{Drawn, Options, Waves, check_edges};
use program::Em3d;
use shared::SharedEm3d;

/// The entry of em3d in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "em3d",
    summary: "field values on an irregular bipartite graph, from those of neighbours on other nodes",
    mechanisms: &[Mechanism::Messages, Mechanism::Bulk, Mechanism::Deposit, Mechanism::SharedMemory],
    inputs: Options::INPUTS,
    load,
};

fn load(given: &Given) -> Loaded {
    let mut reader = Reader::new(given, Options::INPUTS);
    let asked = Options::read(&mut reader);
    reader.expect("nodes", |nodes: u32| nodes.is_multiple_of(2), "an even number: half are E and half H");
    reader.expect("record", u32::is_power_of_two, "32, 64 or 128");
    reader.finish()?;
    let parameters = asked.expect("whatever is wrong was refused").into();
    check_edges(&parameters)?;
    Ok(Box::new(Waves::new(parameters, given.problems.clone())))
}

impl Instance for Waves {
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan> {
        let Plan { mechanism, shape, problem, seed, .. } = *plan;
        self.check_owners(problem.nodes)?;
        let Drawn { graph, expected } = (*self.draw(problem.nodes, seed)).clone();
        let owners = self.parameters.owners.on(problem.nodes);
        let (parameters, layout) = (self.parameters, Layout::new(graph, shape, owners));
        if mechanism == Mechanism::SharedMemory {
            return Ok(Job::new::<SharedEm3d>(Arc::new(shared::Config::new(
                plan, parameters, layout, expected,
            )?)));
        }
        Ok(Job::new::<Em3d>(Arc::new(program::Config { mechanism, parameters, layout, expected })))
    }

    fn least(&self) -> Least {
        Least { nodes: if self.needs_others() { 2 } else { 1 }, ..Least::ANY }
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
            homes,
        } = self.parameters;
        vec![
            ("graph nodes", (u64::from(size) * 2).to_string()),
            ("degree", degree.to_string()),
            ("remote", format!("{remote} %")),
            ("span", span.to_string()),
            ("owners", owners.to_string()),
            ("iterations", iterations.to_string()),
            ("warm-up", warm_up.to_string()),
            ("values per message", values.to_string()),
            ("extra operations per edge", extra.to_string()),
            ("bytes of a record", record.to_string()),
            ("room for pages of others", frames.to_string()),
            ("homes", homes.to_string()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use tempest::Shape;

    use super::parameters::{Owners, PRESETS, Preset};
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
        let listed: Vec<_> = Options::INPUTS.iter().map(|input| (input.key, input.default)).collect();
        assert_eq!(facts(&listed), facts(&[]));
    }

    #[test]
    fn remote_edges_need_a_second_owner() {
        let least = |values: &[(&str, &str)]| load(&given(values)).unwrap().least().nodes;
        assert_eq!([&[][..], &[("owners", "2")], &[("remote", "0")]].map(least), [2, 1, 1]);
    }

    #[test]
    fn a_stated_number_of_owners_is_that_of_all_nodes_together() {
        for nodes in [1, 4, 8, 16] {
            assert_eq!([Owners::Number(64), Owners::Nodes].map(|owners| owners.on(nodes)), [64, nodes]);
        }
        for text in ["0", "node", "1048577"] {
            assert!(text.parse::<Owners>().unwrap_err().contains("expected `nodes` or an integer"), "{text}");
        }
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
            job(5).unwrap_err().0.contains(
                "80 graph nodes for 5 owners (--nodes 5, --input owners=nodes): expected at least 10"
            )
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
