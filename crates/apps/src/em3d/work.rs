//! The work of em3d that a model charges. Must never know how values travel.

use tempest::Operations;

/// The work of one edge beside its accesses to arrays of the thread's own: load the neighbour's value; multiply and add; three
/// integer operations for the loop. With the loads of the neighbour's place and the weight these are the eight operations that
/// the study of the dispatch queue counts.
pub(super) const EDGE: Operations = Operations::NONE.loads(1).flops(2).integers(3);

/// The work of one graph node apart from its edges, beside its accesses to arrays of the thread's own: load and store its value;
/// an addition, and four integer operations for the loop. With the loads of the count and two offsets these are the ten
/// operations that the study of the dispatch queue counts.
pub(super) const NODE: Operations = Operations::NONE.loads(1).integers(4).flops(1).stores(1);

/// The work of reading one value that is to be sent: load its place, then the value.
pub(super) const READ: Operations = Operations::NONE.loads(2).integers(1);

/// The work of writing one value into a buffer or a ghost.
pub(super) const WRITE: Operations = Operations::NONE.integers(1).stores(1);
