//! The time of a program's operations on a processor: their numbers times the machine's prices.

use units::{Frequency, Time};

/// The price list of a machine's processors.
#[derive(Clone, Debug)]
pub struct Prices {
    work: machine::WorkCosts,
    /// Whether no numbers of operations take longer than a time can be.
    short: bool,
}

/// A price below this times any number of operations, of all four kinds together, is a time.
const SHORT: Time = Time::from_femtoseconds(1 << 30);

impl Prices {
    /// The prices of a machine.
    pub fn new(work: &machine::WorkCosts) -> Self {
        let machine::WorkCosts { flop, integer, load, store } = *work;
        let short = [flop, integer, load, store].into_iter().all(|price| price < SHORT);
        Self { work: work.clone(), short }
    }

    /// The prices of a processor of the same kind at the clock `own`. These prices are those at the clock `stated`.
    pub fn at_clock(&self, stated: Frequency, own: Frequency) -> Self {
        let cycles = |time: Time| u128::from(time.as_femtoseconds()) * u128::from(stated.as_hertz());
        let scale = |time| {
            let scaled = cycles(time).div_ceil(u128::from(own.as_hertz()));
            Time::from_femtoseconds(u64::try_from(scaled).unwrap_or(u64::MAX))
        };
        let machine::WorkCosts { flop, integer, load, store } = self.work;
        let [flop, integer, load, store] = [flop, integer, load, store].map(scale);
        Self::new(&machine::WorkCosts { flop, integer, load, store })
    }

    /// The time of a load that hits in the cache.
    #[inline]
    pub fn load(&self) -> Time {
        self.work.load
    }

    /// The time of a store that hits in the cache.
    #[inline]
    pub fn store(&self) -> Time {
        self.work.store
    }

    /// The time of the given numbers of operations. Loads and stores hit in the cache.
    #[inline]
    pub fn operations(&self, flops: u32, integers: u32, loads: u32, stores: u32) -> Time {
        let short = self.short_operations(flops, integers, loads, stores);
        short.unwrap_or_else(|| self.long_operations(flops, integers, loads, stores))
    }

    /// The time of the given numbers of [operations](Self::operations); `None` if they may take longer than the longest
    /// time that there is.
    #[inline]
    pub fn short_operations(&self, flops: u32, integers: u32, loads: u32, stores: u32) -> Option<Time> {
        if !self.short {
            return None;
        }
        let of = |price: Time, count: u32| price.as_femtoseconds() * u64::from(count);
        let machine::WorkCosts { flop, integer, load, store } = self.work;
        let time = of(flop, flops) + of(integer, integers) + of(load, loads) + of(store, stores);
        Some(Time::from_femtoseconds(time))
    }

    /// The time of the given numbers of operations, at most the longest time that there is.
    #[cold]
    #[inline(never)]
    fn long_operations(&self, flops: u32, integers: u32, loads: u32, stores: u32) -> Time {
        self.work.flop * u64::from(flops)
            + self.work.integer * u64::from(integers)
            + self.work.load * u64::from(loads)
            + self.work.store * u64::from(stores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_at_a_quarter_of_the_clock_takes_four_times_as_long() {
        let ns = Time::from_nanoseconds;
        let prices =
            Prices::new(&machine::WorkCosts { flop: ns(4), integer: ns(1), load: ns(2), store: ns(3) });
        let slow = prices.at_clock(Frequency::from_megahertz(200), Frequency::from_megahertz(50));
        assert_eq!(prices.operations(1, 10, 100, 1000), ns(4 + 10 + 200 + 3000));
        assert_eq!(slow.operations(1, 10, 100, 1000), ns(4 * (4 + 10 + 200 + 3000)));
    }

    #[test]
    fn a_time_is_never_too_long_to_be_one() {
        let most = u32::MAX;
        for price in [SHORT, Time::from_femtoseconds(SHORT.as_femtoseconds() - 1), Time::MAX] {
            let work = machine::WorkCosts { flop: price, integer: price, load: price, store: price };
            let prices = Prices::new(&work);
            assert_eq!(prices.operations(most, most, most, most), price * u64::from(most) * 4);
        }
    }
}
