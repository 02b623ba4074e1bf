//! A split-transaction bus. A transaction is granted, takes its address phase, leaves the bus, and comes back for its data
//! phase. The bus is granted in the order of requests. This module must never know caches or memory.

use units::{Bytes, Time};

use super::calendar::Calendar;

/// The bus of a node.
#[derive(Clone, Debug)]
pub(crate) struct Bus {
    costs: machine::Bus,
    /// The wires of addresses, and of data too where both share the wires.
    wires: Calendar,
    /// The wires of data, where these have wires of their own.
    data: Calendar,
    pub(crate) transactions: u64,
    pub(crate) bytes: u64,
}

/// The data phase of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Phase {
    pub(crate) start: Time,
    /// The end of the first word, which is the critical one.
    pub(crate) first: Time,
    pub(crate) end: Time,
}

impl Bus {
    pub(crate) fn new(costs: &machine::Bus) -> Self {
        Self {
            costs: costs.clone(),
            wires: Calendar::default(),
            data: Calendar::default(),
            transactions: 0,
            bytes: 0,
        }
    }

    /// The time from a request to the earliest address phase.
    pub(crate) fn arbitration(&self) -> Time {
        self.costs.arbitration
    }

    /// Asks for the bus at `now`. Returns the end of the address phase.
    pub(crate) fn request(&mut self, now: Time) -> Time {
        self.transactions += 1;
        self.wires.reserve(now + self.costs.arbitration, self.costs.address) + self.costs.address
    }

    /// Moves `size` bytes, ready at `ready`, for a transaction whose address has passed.
    pub(crate) fn reply(&mut self, ready: Time, size: Bytes) -> Phase {
        self.bytes += size.get();
        let hold = self.costs.passage(size);
        let wires = if self.costs.multiplexed { &mut self.wires } else { &mut self.data };
        let start = wires.reserve(ready, hold);
        self.phase(start, hold)
    }

    /// Asks at `now` to write `size` bytes, which the target can take from `open` on. The data follow the address.
    pub(crate) fn write(&mut self, now: Time, open: Time, size: Bytes) -> Phase {
        self.transactions += 1;
        self.bytes += size.get();
        let (address, hold) = (self.costs.address, self.costs.passage(size));
        let earliest = (now + self.costs.arbitration).max(open.saturating_sub(address));
        let start = if self.costs.multiplexed {
            self.wires.reserve(earliest, address + hold) + address
        } else {
            let start = self.wires.reserve(earliest, address) + address;
            self.data.reserve(start, hold)
        };
        self.phase(start, hold)
    }

    fn phase(&self, start: Time, hold: Time) -> Phase {
        Phase { start, first: start + self.costs.cycle, end: start + hold }
    }

    /// Forgets the phases that end by `now`. No later request begins before `now`.
    pub(crate) fn forget(&mut self, now: Time) {
        self.wires.forget(now);
        self.data.forget(now);
    }

    /// The time up to `now` for which the wires of addresses and those of data have been busy; `None` for the data
    /// where both share the wires.
    pub(crate) fn busy_at(&self, now: Time) -> (Time, Option<Time>) {
        (self.wires.busy_at(now), (!self.costs.multiplexed).then(|| self.data.busy_at(now)))
    }

    /// The time for which the wires have been in use: addresses and data, on whichever wires.
    pub(crate) fn busy(&self) -> Time {
        self.wires.busy() + self.data.busy()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::tests::{bus, cycles};

    const LINE: Bytes = Bytes::new(32);

    #[test]
    fn a_line_takes_one_address_cycle_and_four_of_data() {
        let mut bus = Bus::new(&bus());
        assert_eq!(bus.request(cycles(0)), cycles(3));
        let phase = bus.reply(cycles(24), LINE);
        assert_eq!((phase.start, phase.first, phase.end), (cycles(24), cycles(25), cycles(28)));
        assert_eq!((bus.transactions, bus.bytes, bus.busy()), (1, 32, cycles(5)));
        assert_eq!(bus.busy_at(cycles(26)), (cycles(3), None));
    }

    #[test]
    fn others_use_the_bus_while_memory_looks() {
        let mut bus = Bus::new(&bus());
        bus.request(cycles(0));
        bus.reply(cycles(24), LINE);
        // Write-backs asked for together: 2 of arbitration, then one every 5 cycles, the last that fits before 24, and
        // the next behind the data of the read.
        let starts: Vec<_> = (0..5).map(|_| bus.write(cycles(1), Time::ZERO, LINE).start).collect();
        assert_eq!(starts, [4, 9, 14, 19, 29].map(cycles));
    }

    #[test]
    fn wires_of_their_own_let_addresses_pass_beside_data() {
        let mut shared = Bus::new(&bus());
        let mut apart = Bus::new(&machine::Bus { multiplexed: false, ..bus() });
        for bus in [&mut shared, &mut apart] {
            bus.reply(cycles(0), LINE);
        }
        assert_eq!((shared.request(cycles(0)), apart.request(cycles(0))), (cycles(5), cycles(3)));
        assert_eq!(apart.busy_at(cycles(9)), (cycles(1), Some(cycles(4))));
    }

    #[test]
    fn a_write_waits_for_who_takes_it() {
        let mut bus = Bus::new(&bus());
        assert_eq!(bus.write(cycles(0), cycles(9), LINE).start, cycles(9));
    }
}
