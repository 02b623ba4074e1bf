//! A hash of plain data that is equal in all processes of one executable. This module must never know the meaning of the data.

use std::hash::Hasher;

/// A hash of 64 bits of all data that were written to it: FNV-1a, without a random seed.
pub(crate) struct Fingerprint(u64);

impl Fingerprint {
    /// Makes the hash of no data.
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fingerprint {
    fn write(&mut self, bytes: &[u8]) {
        let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        self.0 = bytes.iter().fold(self.0, mix);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_definition() {
        let hash = |text: &str| {
            let mut hash = Fingerprint::new();
            hash.write(text.as_bytes());
            hash.finish()
        };
        // The test vectors of the definition.
        assert_eq!((hash(""), hash("a")), (0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c));
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }
}
