//! The work of tomcatv that a model charges, beside the accesses to memory. This module must never know how rows travel.
//!
//! Operations are as in the original's loops; a division is one. With accesses and the misses of its caches, a point
//! takes a processor of the machine `sparc20-myrinet` 3.4 us an iteration (`tradewind run tomcatv --machine
//! sparc20-myrinet --baseline uniprocessor --input size=768 --input iterations=10`), and under Single 4.8 us with its
//! looks at tags, where a division takes 12 cycles (`--input extra=11`). The study has 3.5 us: under Single
//! at most 85 % of the time is computation, which by its equation and its Table 2 is 1357 us for a miss, and a node of
//! 147,456 points has 384 misses an iteration. Nothing is fitted to that.

use tempest::Operations;

/// A turn of a loop: index, comparison, branch.
const TURN: Operations = Operations::NONE.integers(3);

/// The update of a point: 4 differences, 12 operations for the metric, 4 for the coefficients, 18 for the second differences, 10
/// for the residuals.
pub(super) const UPDATE: Operations = TURN.flops(48);

/// The residuals of a point: two absolute values, two maxima.
pub(super) const RESIDUAL: Operations = TURN.flops(4);

/// A point in the forward elimination.
pub(super) const ELIMINATE: Operations = TURN.flops(8);

/// A point in the backward substitution.
pub(super) const SUBSTITUTE: Operations = TURN.flops(6);

/// The addition to both coordinates of a point.
pub(super) const ADJUST: Operations = TURN.flops(2);

/// Putting a word of a message into a ghost row, without the store; or reading one for a message, without the load.
pub(super) const COPY: Operations = Operations::NONE.integers(1);
