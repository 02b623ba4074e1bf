//! A price without its bus transactions: the processor's own share. It must not be negative.
//!
//! A price is the time on an idle machine. Where the file describes the memory system in detail, a processor makes the
//! transactions of a price on the bus, and only the rest is a fixed time. The price is exact while the bus is idle, and grows
//! with its load.

use units::{Bytes, Time};

use super::idle_bus::implied;
use crate::reading::Section;
use crate::{Capability, Class, Cost, NodeMemory, Primitives};

/// Checks that no price is less than its transactions on an idle bus, and reports each price that is less. These are
/// the transactions that the price names and, on a machine with shared memory, the ones implied by handling a block.
pub(crate) fn check(
    section: &Section<'_>,
    primitives: &Primitives,
    (memory, line): (&NodeMemory, Bytes),
    can: &[Capability],
) -> Option<()> {
    let shares = can.contains(&Capability::SharedMemory);
    let mut sound = Some(());
    for (key, price) in primitives.iter() {
        let each_line = if shares { implied(key, memory, line) } else { Time::ZERO };
        let short = |cost: Cost| {
            let [path, after] = [cost.bus, cost.after].map(|made| memory.uncontended_all(made, line));
            [
                ("a line", cost.line, each_line),
                ("a path", cost.path, path),
                ("an occupancy", cost.occupancy, after),
            ]
            .into_iter()
            .find(|(_, stated, needed)| stated < needed)
            .map(|(part, _, needed)| (part, needed))
        };
        let short = Class::ALL.into_iter().find_map(|class| short(price.of(class)));
        if let Some((part, needed)) = short {
            section.contradict(
                key,
                format!("{part} of at least {needed}, which its bus transactions take"),
                &[],
            );
            sound = None;
        }
    }
    sound
}
