//! The work of cholesky that a model charges. This module must never know how tiles travel.

use tempest::Operations;

// One published number fixes the cost of a flop (*): S. C. Woo, M. Ohara, E. Torrie, J. P. Singh and A. Gupta, *The SPLASH-2
// Programs: Characterization and Methodological Considerations*, ISCA 1995, table 1, count 539.17 million instructions for the
// 172.00 million floating-point operations of cholesky with tk15.O: 111.81 million loads, 28.03 million stores, and 227.33 million
// others. In each flop that is 0.65 loads, 0.16 stores and 1.32 others. The numbers below are in hundredths.

/// (*) Loads in 100 flops.
const LOADS: u64 = 65;

/// (*) Stores in 100 flops.
const STORES: u64 = 16;

/// (*) Instructions in 100 flops that are neither flops nor loads nor stores.
const OTHERS: u64 = 132;

/// The work of some flops, without the first access to each word of the tiles that they are done on: a model finds or
/// misses these words in its caches. `loaded` and `stored` are the numbers of these accesses.
pub(super) fn flops(count: u64, loaded: usize, stored: usize) -> Operations {
    let share = |hundredths: u64| count * hundredths / 100;
    let rest = |all: u64, accessed: usize| all.saturating_sub(accessed as u64) as u32;
    Operations::NONE
        .flops(count as u32)
        .integers(share(OTHERS) as u32)
        .loads(rest(share(LOADS), loaded))
        .stores(rest(share(STORES), stored))
}

/// The work of an announcement on either side: a task is made or taken, and the blocks that it concerns are looked up. Ours: the
/// study does not tell.
pub(super) const ANNOUNCE: Operations = Operations::NONE.integers(100).loads(30).stores(20);

/// The flops of a product of m × n values, each a sum of `width` terms.
pub(super) fn of_product(values: usize, width: usize) -> u64 {
    2 * values as u64 * width as u64
}

/// The flops of the factorization of a square of `width` columns.
pub(super) fn of_factor(width: usize) -> u64 {
    let width = width as u64;
    width * (width + 1) * (2 * width + 1) / 6
}

/// The flops of the division of `rows` rows by a triangle of `width` columns.
pub(super) fn of_division(rows: usize, width: usize) -> u64 {
    rows as u64 * width as u64 * width as u64
}
