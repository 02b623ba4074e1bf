//! What a program's operations cost a processor: counts times the machine's prices.

use units::Time;

/// The price list of a machine's processors.
#[derive(Clone, Debug)]
pub struct Prices {
    work: machine::WorkCosts,
}

impl Prices {
    /// The prices of a machine.
    pub fn new(work: &machine::WorkCosts) -> Self {
        Self { work: work.clone() }
    }

    /// The time of so many operations of each kind.
    pub fn operations(&self, flops: u32, integers: u32, loads: u32, stores: u32) -> Time {
        self.work.flop * u64::from(flops)
            + self.work.integer * u64::from(integers)
            + self.work.load * u64::from(loads)
            + self.work.store * u64::from(stores)
    }
}
