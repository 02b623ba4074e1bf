//! Runs from code whose nodes are processes of this host. Each node tells node 0 the number of its process.
//!
//! ```text
//! cargo run --release -p tradewind --example processes
//! ```

#![allow(clippy::print_stdout)]

use std::collections::BTreeSet;
use std::error::Error;
use std::process;
use std::time::Duration;

use tradewind::native::Processes;
use tradewind::prelude::*;
use tradewind::tempest::world::World;
use tradewind::worlds::Run;

/// The most nodes of a run.
const NODES: usize = 64;

/// Each node tells node 0 the number of its process.
#[program]
struct Identities {
    /// The number of each node's process, on node 0.
    #[cells(NODES)]
    known: Cells<u64>,
}

#[handlers]
impl Identities {
    /// Notes the process of the sender.
    #[message]
    fn note(&self, process: u64, cx: &mut Handler<'_>) {
        let node = cx.source().0 as usize;
        self.known.set(cx, node, process);
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.send(NodeId(0), Self::note(process::id().into()));
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let nodes = if end.node() == NodeId(0) { end.nodes() as usize } else { 0 };
        let known: Vec<_> = (0..nodes).map(|node| self.known.get(end, node)).collect();
        let report = Report::checked(!known.contains(&0), || format!("a node told nothing: {known:?}"));
        let processes = known.into_iter().collect::<BTreeSet<_>>().len() as u32;
        report.measured("processes", processes.into(), "", Merge::Max)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let world = Processes::new().peer_timeout(Duration::from_secs(10));
    for (nodes, nodes_each) in [(2, 1), (4, 2)] {
        let launch = Run::of(&Identities::ENTRY).nodes(nodes).setting()?.launch()?;
        let outcome = world.clone().nodes_each(nodes_each).run(&launch)?;
        println!("{nodes} nodes in {} processes", outcome.report.figures[0].value);
    }
    Ok(())
}
