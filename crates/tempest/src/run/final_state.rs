//! The state of a node when the run is over: its keyed tables, which no event can change any more.
//!
//! This module must never know how a world came to its end.

use crate::data::Clocked;
use crate::data::clocked::Sealed;
use crate::plain::key::DispatchKey;
use crate::plain::key::Proof;
use crate::{Keyed, NodeId};

/// A node at the end of a run that ended well: no thread runs, no handler runs, and no message is under way.
///
/// [`Program::report`](crate::Program::report) receives a `FinalState` and reads the entries of any [`Keyed`] table of
/// the node through it. A `FinalState` holds the sequential key of the node's dispatcher, so nothing can change an
/// entry while it is read:
///
/// ```
/// use tradewind_tempest::{Keyed, FinalState, Report};
///
/// fn check(counts: &Keyed<u64>, end: &mut FinalState<'_>) -> Report {
///     let first = *end.get(counts, 0);
///     let all: u64 = end.entries(counts).map(|(_, count)| count).sum();
///     Report::checked(first <= all, || format!("the first of {} is larger than all", end.node()))
/// }
/// ```
///
/// Only a world makes a `FinalState`, from a proof that the sequential key is held. A program cannot make one:
///
/// ```compile_fail,E0451
/// use tradewind_tempest::{NodeId, Proof, FinalState};
/// fn forge(proof: Proof<'_>) -> FinalState<'_> { FinalState { node: NodeId(0), nodes: 1, proof } }
/// ```
///
/// A program cannot keep an entry for longer than it has been lent the `FinalState`:
///
/// ```compile_fail
/// use tradewind_tempest::{Keyed, FinalState};
/// fn escape<'a>(table: &'a Keyed<u64>, end: &mut FinalState<'_>) -> &'a u64 { end.get(table, 0) }
/// ```
#[derive(Debug)]
pub struct FinalState<'a> {
    node: NodeId,
    nodes: u32,
    proof: Proof<'a>,
}

impl Clocked for FinalState<'_> {}

/// Does nothing: no event can happen after the run.
impl Sealed for FinalState<'_> {
    #[inline]
    fn settle(&self) {}
}

impl<'a> FinalState<'a> {
    /// Makes the handle of node `node` at the end of a run of `nodes` nodes. The node's dispatcher lends `proof`, which
    /// shows that its sequential key is held.
    ///
    /// # Panics
    /// If `proof` is of another key.
    pub(crate) fn new((node, nodes): (NodeId, u32), proof: Proof<'a>) -> Self {
        assert!(proof.key() == DispatchKey::Sequential, "{node} is not quiet: key {} is held", proof.key());
        Self { node, nodes, proof }
    }

    /// The node whose state this is.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// The number of nodes of the run.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Returns the entry `number` of `table`; in a table of blocks of shared memory, the entry of block `number`.
    ///
    /// # Panics
    /// If the table has no such entry, or belongs to another node.
    pub fn get<'t, T>(&'t mut self, table: &'t Keyed<T>, number: u64) -> &'t T {
        table.get_any(&mut self.proof, number)
    }

    /// Returns all entries of a table with their numbers, in ascending order. A table that makes entries on first use
    /// has the entries that the run has reached.
    ///
    /// # Panics
    /// If the table belongs to another node.
    pub fn entries<'t, T>(&'t mut self, table: &'t Keyed<T>) -> impl Iterator<Item = (u64, &'t T)> {
        table.entries(&mut self.proof).map(|(number, entry)| (number, &*entry))
    }
}

#[cfg(test)]
mod tests {
    use pdq::DispatcherId;

    use super::*;
    use crate::data::tables::Tables;
    use crate::plain::key::{Group, Name, Serial, Space};
    use crate::{Block, Key};

    fn serial() -> Serial {
        Serial::with_keys(DispatcherId::fresh())
    }

    fn key(number: u64) -> DispatchKey {
        Key::User(number).resolve(Space::PROGRAM)
    }

    #[test]
    fn dense_and_sparse_tables_are_read_whole() {
        let mut serial = serial();
        let mut tables = Tables::default();
        let dense =
            Keyed::dense(serial.id(), Group::of(Space::PROGRAM), (3, tables.add::<u64>(3)), |number| {
                10 * number
            });
        let sparse =
            Keyed::sparse(serial.id(), (Space::PROGRAM, tables.add_sparse::<u64>()), |number| number + 1);
        let blocks = Keyed::dense(serial.id(), Group::BLOCKS, (2, tables.add::<u64>(2)), |block| block + 5);
        for number in [9, 2, 7] {
            sparse.get(&mut serial.hold(key(number)));
        }
        *blocks.get(&mut serial.hold(DispatchKey::User(Name::of(Block(1))))) = 8;
        let mut end = FinalState::new((NodeId(4), 5), serial.hold(DispatchKey::Sequential));
        assert_eq!((end.node(), end.nodes()), (NodeId(4), 5));
        assert_eq!(*end.get(&dense, 2), 20);
        assert_eq!(*end.get(&blocks, 1), 8);
        assert_eq!(end.entries(&dense).collect::<Vec<_>>(), [(0, &0), (1, &10), (2, &20)]);
        assert_eq!(end.entries(&sparse).collect::<Vec<_>>(), [(2, &3), (7, &8), (9, &10)]);
        assert_eq!(end.entries(&blocks).collect::<Vec<_>>(), [(0, &5), (1, &8)]);
    }

    #[test]
    #[should_panic(expected = "node 0 is not quiet: key 0x1 is held")]
    fn a_proof_of_one_key_is_not_enough() {
        FinalState::new((NodeId(0), 1), serial().hold(key(1)));
    }

    #[test]
    #[should_panic(expected = "the table belongs to")]
    fn a_table_of_another_node_stays_closed() {
        let room = Tables::default().add::<i32>(1);
        let table = Keyed::dense(DispatcherId::fresh().id(), Group::BLOCKS, (1, room), |_| 0);
        let mut serial = serial();
        FinalState::new((NodeId(0), 1), serial.hold(DispatchKey::Sequential)).entries(&table).for_each(drop);
    }
}
