//! The work of gauss that a model charges, beside the accesses to memory. This module must never know how rows travel.

use tempest::Operations;

/// A turn of a loop: index, comparison, branch.
const TURN: Operations = Operations::NONE.integers(3);

/// An element that is eliminated, or a right-hand side: a multiplication and a subtraction.
pub(super) const ELIMINATE: Operations = TURN.flops(2);

/// A candidate for the pivot: absolute value and comparison.
pub(super) const CANDIDATE: Operations = TURN.flops(2);

/// A quotient: the multiplier of a row, or an unknown.
pub(super) const DIVIDE: Operations = TURN.flops(1);

/// A comparison of two candidates, with the stores of the result.
pub(super) const COMPARE: Operations = Operations::NONE.loads(2).integers(2).stores(2);

/// Copying a number, without the accesses.
pub(super) const COPY: Operations = Operations::NONE.integers(1);
