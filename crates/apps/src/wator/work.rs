//! The work of wator that a model charges. This module must never know how fish travel.
//!
//! It is counted in the loops: loads, stores, integer and floating-point operations, one for each action. A root and a
//! quotient count as one.

use tempest::Operations;

/// A turn of a loop: index, comparison, branch.
const TURN: Operations = Operations::NONE.integers(3);

/// The pull of one fish on another: two differences, their squares, the sum, the least distance; root, product, quotient; two products
/// that are added. The own place and the sum of pulls are loaded, and the sum is stored.
pub(super) const PULL: Operations = TURN.flops(13).loads(4).stores(2);

/// A fish's share in the greatest speed and acceleration: two squares each, a sum and a comparison.
pub(super) const COMPARE: Operations = TURN.flops(8).loads(4);

/// The length of a step: quotient, root, product, two comparisons.
pub(super) const LENGTH: Operations = Operations::NONE.flops(5);

/// The movement of a fish: four products that are added, and the pulls of the next step are set to 0.
pub(super) const SWIM: Operations = TURN.flops(8).loads(6).stores(6);
