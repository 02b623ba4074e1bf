//! A fingerprint of a stream of events.
//!
//! Must never depend on the platform, the compiler's version or an address: two digests are compared across
//! machines and years.

use std::fmt;

use units::Time;

use crate::Event;

/// First 64 hexadecimal digits of the fractional part of π: numbers nobody chose for a purpose.
const START: [u64; 2] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344];
const STEP: [u64; 2] = [0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89];

/// A 64-bit fingerprint of everything absorbed so far, sensitive to its order.
///
/// Equal streams have equal digests on every platform and with every version of this crate; different streams
/// differ but for a chance of about 2⁻⁶⁴. It tells honest runs apart and is no defence against forgery.
///
/// The function is the multiply-and-fold of wyhash (Wang Yi, public domain, final version 4) in its protected form
/// (`WYHASH_CONDOM 2`, where a zero factor does not wipe out what came before), kept at 128 bits between words:
/// two inputs are added by exclusive or to the two halves of the state, the halves are multiplied to 128 bits, and
/// the product is added crosswise. [`value`](Digest::value) folds the state once more with the count of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest {
    state: [u64; 2],
    absorbed: u64,
}

impl Digest {
    /// The digest of nothing.
    pub const fn new() -> Digest {
        Digest { state: START, absorbed: 0 }
    }

    /// Adds an event and its instant.
    #[inline]
    pub fn record(&mut self, at: Time, event: Event) {
        let [place, detail, message] = event.words();
        self.absorb(at.as_femtoseconds(), place);
        self.absorb(detail, message);
    }

    /// Adds any two words: an end state, a counter, a result.
    #[inline]
    pub fn absorb(&mut self, a: u64, b: u64) {
        self.state = fold([self.state[0] ^ a, self.state[1] ^ b]);
        self.absorbed += 1;
    }

    /// The fingerprint of all that was added.
    pub fn value(&self) -> u64 {
        let [a, b] = fold([self.state[0] ^ STEP[0] ^ self.absorbed, self.state[1] ^ STEP[1]]);
        let [a, b] = fold([a ^ STEP[1], b ^ STEP[0]]);
        a ^ b
    }
}

/// One step: the two halves and, crosswise, the two halves of their product.
#[inline]
fn fold([a, b]: [u64; 2]) -> [u64; 2] {
    let product = u128::from(a) * u128::from(b);
    [a ^ (product >> 64) as u64, b ^ product as u64]
}

impl Default for Digest {
    fn default() -> Digest {
        Digest::new()
    }
}

impl fmt::Display for Digest {
    /// Sixteen hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.value())
    }
}
