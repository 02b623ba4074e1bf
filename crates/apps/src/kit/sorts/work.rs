//! The work of sorting that a model charges. This module must never know how keys travel.
//!
//! It is counted in the loops: loads, stores and integer operations, one for each action. The counts of digits, 4 KiB
//! at radix 1024, stay in the cache: their loads and stores are among them. With its accesses a key takes 6 operations
//! where it is counted and 10 where it is moved.
//!
//! [`COUNT`], [`MOVE`] and [`MERGE`] are for programs whose loads and stores of keys are accesses of their own, which a model finds or misses in its
//! caches. [`COUNT_KEY`], [`MOVE_KEY`] and [`MERGE_KEY`] have them among the operations: programs that do not say which memory they
//! access are charged at one rate, misses inside it.

use tempest::Operations;

/// The work of counting a key, without the load of the key: shift and mask; load a count, add, store it.
pub(crate) const COUNT: Operations = Operations::NONE.integers(3).loads(1).stores(1);

/// The work of moving a key, without the load and the store of the key: shift and mask; load a position, add, store it; an
/// address, the loop, and its end.
pub(crate) const MOVE: Operations = Operations::NONE.integers(6).loads(1).stores(1);

/// The work of one value of a digit in a sum over values or threads: load, add, store, loop.
pub(crate) const SUM: Operations = Operations::NONE.integers(2).loads(1).stores(1);

/// The work of counting a key, with the load of the key.
pub(crate) const COUNT_KEY: Operations = COUNT.and(Operations::NONE.loads(1));

/// The work of moving a key, with the load and the store of the key.
pub(crate) const MOVE_KEY: Operations = MOVE.and(Operations::NONE.loads(1).stores(1));

/// The work of a key that a merge keeps, without the load and the store of a key: compare, branch; advance an index, loop.
pub(crate) const MERGE: Operations = Operations::NONE.integers(4);

/// The work of a key that a merge keeps, with the load of the key that was not there yet, and the store of the key that is kept.
pub(crate) const MERGE_KEY: Operations = MERGE.loads(1).stores(1);

/// The work of one step of a binary search: load, compare, branch, halve.
pub(crate) const SEARCH: Operations = Operations::NONE.integers(3).loads(1);
