//! *em3d*: through shared memory, and by messages, on two nodes of a processor, with the default inputs but for more iterations.

use tempest::entry::{Given, Plan};
use tempest::{Mechanism, Shape};

use crate::run_by;
use tradewind_bench::table::{Aim, TableRow, Unit, paired};

/// Nodes of one processor.
const NODES: u32 = 2;

/// Number of timed iterations: enough for a run to outlast most disturbances.
const ITERATIONS: &str = "100";

/// Microseconds of the program's iterations with blocks of `block` bytes.
fn iterations(mechanism: Mechanism, block: u32) -> f64 {
    let mut given = Given::default();
    given.values.insert("iterations".to_owned(), ITERATIONS.to_owned());
    let instance = (apps::em3d::ENTRY.load)(&given).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    let shape = Shape { nodes: NODES, threads: 1 };
    let plan = Plan { block, ..Plan::new(mechanism, shape).kept_by(&protocols::stache::STACHE) };
    let job = instance.job(&plan).expect("a plan that the program can run by");
    run_by(mechanism, job, NODES, 1, 1, "single").timed().as_nanoseconds() / 1e3
}

/// em3d through shared memory, beside messages.
pub(crate) fn rows() -> Vec<TableRow> {
    let row = |block| {
        let ours = || iterations(Mechanism::SharedMemory, block);
        let figures = paired(ours, || iterations(Mechanism::Messages, block));
        let what = format!("em3d by shared memory, blocks of {block} bytes");
        TableRow::new(what, Unit::Microseconds, figures, "by messages", Aim::Ratio(4.0, 8.0))
    };
    [64, 128].into_iter().map(row).collect()
}
