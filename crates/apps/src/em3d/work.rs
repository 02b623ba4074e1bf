//! The work of em3d that a model charges. This module must never know how values travel.

use tempest::Operations;

/// The work of one edge beside its accesses to memory: multiply and add; three integer operations for the loop. With the loads of
/// the neighbour's place, its value and the weight these are the eight operations that the study of the dispatch queue counts.
pub(super) const EDGE: Operations = Operations::NONE.flops(2).integers(3);

/// The work of one graph node apart from its edges, beside its accesses to memory: an addition, and four integer operations for the
/// loop. With the loads of the value, the count and two offsets, and the store of the value these are the ten operations that the
/// study of the dispatch queue counts.
pub(super) const NODE: Operations = Operations::NONE.integers(4).flops(1);

/// The work of reading one value that is to be sent, without the load of the value: load its place.
pub(super) const READ: Operations = Operations::NONE.loads(1).integers(1);

/// The work of writing one value into a buffer or a ghost, without the store.
pub(super) const WRITE: Operations = Operations::NONE.integers(1);
