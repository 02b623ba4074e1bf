//! Random programs whose nodes are processes end as a sequential oracle says, through rings of every depth.

use conformance::random::{Case, seeds};
use tradewind_native::{Local, Processes};

use crate::promises::POLICIES;

/// Programs of the small dose, and of the full one.
const FEW: u64 = 40;
const MANY: u64 = 2_000;

/// The world of a seed: rings of all depths, and one or two nodes in each process.
fn world(seed: u64) -> Processes {
    let local = match seed % 4 {
        0 => Local::new(),
        1 => Local::with_depths(1, 1),
        2 => Local::with_depths(2, 3),
        _ => Local::with_depths(16, 1),
    };
    let nodes_each = 1 + u32::from(seed.is_multiple_of(5));
    Processes::new().with(local).nodes_each(nodes_each).described(format!("random {seed}"))
}

/// Takes part in the program of a seed.
pub(crate) fn take_part(seed: &str) -> ! {
    let seed = seed.parse().expect("an order has the number of the program");
    let ended = Case::draw(seed, POLICIES).run(&world(seed));
    unreachable!("a process ends with its run: {ended:?}")
}

/// The programs that did not end as the oracle says.
pub(crate) fn broken(full: bool) -> Vec<String> {
    let count = if full { MANY } else { FEW };
    let failed = |seed| {
        let case = Case::draw(seed, POLICIES);
        case.run(&world(seed)).err().map(|why| format!("random program {seed}: {case}{why}"))
    };
    let broken: Vec<_> = seeds(count).filter_map(failed).collect();
    println!("{count} random programs ran with nodes as processes, {} broken", broken.len());
    broken
}
