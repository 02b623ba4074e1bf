//! The work of fft that a model charges. This module must never know how points travel.
//!
//! One published number fixes it: a transform of N points by butterflies of radix two is 5 N log₂ N floating-point operations\*, ten
//! for each butterfly (C. Van Loan, *Computational Frameworks for the Fast Fourier Transform*, SIAM 1992, section 1.4). The rest is
//! counted in the loops, for a processor that begins one operation and one access to memory in a cycle: the accesses of a butterfly
//! hit, as its row and the roots do, and begin beside its floating-point operations. \* The only number that is not counted here.
//!
//! A row's words are loaded and stored once by accesses of their own: these are the loads and stores of bit reversal.
//! The words of a transposition too are loaded and stored once.

use tempest::{Operations, Thread};

/// The work of a butterfly: a complex multiplication, an addition and a subtraction; two indices, and the loop.
pub(super) const BUTTERFLY: Operations = Operations::NONE.flops(10).integers(4);

/// The work of turning a point between the two transforms, beside the loads of its root: a complex multiplication; an index, and
/// the loop.
pub(super) const TWIDDLE: Operations = Operations::NONE.flops(6).integers(2);

/// The work of exchanging a point in bit reversal, beside its loads and stores: an index, and the loop.
pub(super) const REVERSAL: Operations = Operations::NONE.integers(2);

/// The work of moving a point in a transposition, beside its loads and stores: an index, and the loop.
pub(super) const MOVE: Operations = Operations::NONE.integers(2);

/// The work of a block of points that is sent, beside the sending: the addresses here and there, and the loop.
pub(super) const BLOCK: Operations = Operations::NONE.integers(4);

/// The steps of a loop that are charged together.
const STRIP: usize = 16;

/// Charges a thread for `count` steps of a loop. Each is a back-edge, at which the policy may look for messages.
#[inline]
pub(super) fn steps(thread: &Thread<'_>, step: Operations, count: usize) {
    for first in (0..count).step_by(STRIP) {
        let strip = STRIP.min(count - first) as u32;
        thread.charge(step.times(strip));
        thread.poll_after(strip);
    }
}
