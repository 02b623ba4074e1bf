//! The work of radix that a model charges. This module must never know how keys travel.
//!
//! It is counted in the loops: loads, stores and integer operations, one for each thing that is done. Loads and stores of keys are
//! accesses of their own, and are not among them. The counts of digits, 4 KiB at radix 1024, stay in the cache: their loads and stores
//! are among them. With its accesses a key takes 6 operations where it is counted and 10 where it is moved.

use tempest::Operations;

/// The work of counting a key, without the load of the key: shift and mask; load a count, add, store it.
pub(super) const COUNT: Operations = Operations::NONE.integers(3).loads(1).stores(1);

/// The work of moving a key, without the load and the store of the key: shift and mask; load a position, add, store it; an
/// address, the loop, and its end.
pub(super) const MOVE: Operations = Operations::NONE.integers(6).loads(1).stores(1);

/// The work of one value of a digit in a sum over values or threads: load, add, store, loop.
pub(super) const SUM: Operations = Operations::NONE.integers(2).loads(1).stores(1);
