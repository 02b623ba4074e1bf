//! Random streams: one for each thread, the same on every host. This module must never know the use of a stream.

use rand::SeedableRng;
use rand_pcg::Pcg64;
use tempest::entry::stream_seed;

/// Stream number `index` of a run. It follows from `seed` and `index` alone.
pub(crate) fn stream(seed: u64, index: u64) -> Pcg64 {
    Pcg64::seed_from_u64(stream_seed(seed, index))
}
