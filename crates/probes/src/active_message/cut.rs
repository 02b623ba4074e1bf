//! Blocks that cross the middle of each row of nodes, both ways at once. This module must never know how nodes are joined.

use tempest::entry::mix;
use tempest::{
    Cells, Event, FinalState, Handler, Merge, NodeId, Protocol, Report, Segment, Setup, Thread, handlers,
};

/// The number of blocks that a node has room for. Further blocks overwrite earlier ones.
const SLOTS: u32 = 4;

#[derive(Clone, Copy, Debug)]
pub(super) struct Config {
    pub(super) rounds: u32,
    /// The words of a block.
    pub(super) block: u32,
    /// The nodes of a row.
    pub(super) row: u32,
}

/// The state of the program on one node.
pub(super) struct Cut {
    config: Config,
    node: NodeId,
    /// The node on the other side of the middle; `None` for a node that is not beside the middle of a full row.
    opposite: Option<NodeId>,
    slots: Segment<u64>,
    /// The number of blocks that have arrived.
    received: Event,
    /// The number of blocks whose last word was wrong when they arrived.
    wrong: Cells<u64>,
    /// The time from the sending of the first block to the arrival of the last, in seconds.
    taken: Cells<f64>,
}

/// The word at `index` of block `number` that node `from` sends.
fn word(from: NodeId, number: u64, index: u32) -> u64 {
    mix(mix(u64::from(from.0)).wrapping_add(number)).wrapping_add(u64::from(index))
}

impl Protocol for Cut {
    type Config = Config;

    fn install(config: &Config, setup: &mut Setup<'_>) -> Self {
        let node = setup.node();
        let opposite = opposite(node.0, config.row, setup.shape().nodes).map(NodeId);
        let words = if opposite.is_some() { SLOTS * config.block } else { 0 };
        Self {
            config: *config,
            node,
            opposite,
            slots: setup.segment("active_message.slots", words as usize, 0),
            received: Event::new("active_message.blocks"),
            wrong: Cells::new(1, 0),
            taken: Cells::new(1, 0.0),
        }
    }
}

/// The node on the other side of the middle of a row, if the row is full and the node is beside its middle.
fn opposite(node: u32, row: u32, nodes: u32) -> Option<u32> {
    let (first, place, middle) = (node / row * row, node % row, row / 2);
    let opposite = match place {
        _ if first + row > nodes => None,
        place if place + 1 == middle => Some(middle),
        place if place == middle => Some(middle - 1),
        _ => None,
    };
    opposite.map(|place| first + place)
}

#[handlers]
impl Cut {
    /// Tells that a block is in its slot. The handler counts atomically, so there is no key.
    #[message]
    fn arrived(&self, number: u64, cx: &mut Handler<'_>) {
        let last = self.config.block - 1;
        let offset = self.slot(number) + last;
        // A later block may have overwritten this one. Its words are right too.
        let good = (0..=u64::from(self.config.rounds) / u64::from(SLOTS)).any(|later| {
            let number = number + later * u64::from(SLOTS);
            self.slots.cells().get(cx, offset as usize) == word(cx.source(), number, last)
        });
        if !good {
            self.wrong.add(cx, 0, 1);
        }
        cx.signal(&self.received, 1);
    }

    /// The offset of the slot of a block, in words.
    fn slot(&self, number: u64) -> u32 {
        (number % u64::from(SLOTS)) as u32 * self.config.block
    }

    fn exchange(&self, thread: &Thread<'_>, opposite: NodeId) {
        let (rounds, start) = (u64::from(self.config.rounds), thread.now());
        let mut block = vec![0; self.config.block as usize];
        for number in 0..rounds {
            for (index, place) in block.iter_mut().enumerate() {
                *place = word(self.node, number, index as u32);
            }
            thread.transfer(opposite, self.slots.place(self.slot(number)), &block, Self::arrived(number));
        }
        thread.wait(&self.received, rounds);
        self.taken.set(thread, 0, (thread.now() - start).as_seconds());
    }

    /// Whether all words of the last blocks are right.
    fn is_whole(&self, end: &FinalState<'_>) -> bool {
        let Some(opposite) = self.opposite else { return true };
        let rounds = u64::from(self.config.rounds);
        (rounds.saturating_sub(u64::from(SLOTS))..rounds).all(|number| {
            (0..self.config.block).all(|index| {
                let offset = (self.slot(number) + index) as usize;
                self.slots.cells().get(end, offset) == word(opposite, number, index)
            })
        })
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.phase("cut");
        if thread.index() == 0
            && let Some(opposite) = self.opposite
        {
            self.exchange(thread, opposite);
        }
        thread.phase("check");
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let due = if self.opposite.is_some() { u64::from(self.config.rounds) } else { 0 };
        let (had, wrong, whole) = (self.received.count(end), self.wrong.get(end, 0), self.is_whole(end));
        let report = Report::checked(had == due && wrong == 0 && whole, || {
            format!(
                "node {}: {had} blocks of {due}, {wrong} of them wrong, the last ones whole: {whole}",
                self.node.0
            )
        });
        if self.opposite.is_none() {
            return report;
        }
        // Each sender reports its own share. The shares add up.
        let bytes = f64::from(self.config.rounds) * f64::from(self.config.block) * 8.0;
        report.measured("cut", bytes / self.taken.get(end, 0) / 1e6, "MB/s", Merge::Sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_face_each_other_across_the_middle_of_full_rows() {
        let pairs = |row, nodes| -> Vec<(u32, u32)> {
            (0..nodes).filter_map(|node| Some((node, opposite(node, row, nodes)?))).collect()
        };
        assert_eq!(pairs(8, 16), [(3, 4), (4, 3), (11, 12), (12, 11)]);
        assert_eq!(pairs(2, 2), [(0, 1), (1, 0)]);
        assert_eq!(pairs(3, 5), [(0, 1), (1, 0)], "the second row is not full");
    }
}
