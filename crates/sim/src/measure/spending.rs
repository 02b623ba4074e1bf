//! The time of one processor in each region, without the part that lies in another region.
//!
//! A processor books its work when it is charged, so at a reading some booked work may still lie ahead. It books a wait when the
//! wait ends, so at a reading some past time may not be booked yet. A [`Spending`] carries both over to the next region. The
//! parts of a region then add up to its length.
//!
//! This module must never know the purpose of a region.

use tempest::outcome::Breakdown;
use units::{Time, TotalTime};

/// The booked time of one processor up to a reading.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Booked {
    pub(crate) at: Time,
    /// The breakdown with all idle time up to the reading.
    pub(crate) breakdown: Breakdown,
    /// The idle time in the breakdown, under all names that it is booked under.
    pub(crate) idle: Time,
}

impl Booked {
    /// Booked compute time, memory waits outside of idle time, and overhead. In femtoseconds.
    fn work(&self) -> [i128; 3] {
        let Breakdown { compute, memory, overhead, synchronization, idle, taken: _ } = self.breakdown;
        let idle_in_memory = femtoseconds(self.idle) - femtoseconds(synchronization) - femtoseconds(idle);
        [femtoseconds(compute), femtoseconds(memory) - idle_in_memory, femtoseconds(overhead)]
    }
}

/// The place of memory waits in an array of work.
const MEMORY: usize = 1;

/// The work of one processor that was booked before a reading and lies behind it. A wait that lies before the reading and is not
/// booked yet counts as negative.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spending {
    ahead: [i128; 3],
}

impl Spending {
    /// The time that the processor spent between two readings, as a breakdown that adds up to the time between them.
    /// `from` is the `to` of the previous call.
    pub(crate) fn between(&mut self, from: &Booked, to: &Booked) -> Breakdown {
        let [earlier, later] = [from.work(), to.work()];
        let booked: [i128; 3] = std::array::from_fn(|part| self.ahead[part] + later[part] - earlier[part]);
        let length = femtoseconds(to.at) - femtoseconds(from.at);
        let idle = femtoseconds(to.idle) - femtoseconds(from.idle);
        let work = apportioned(booked, length - idle);
        self.ahead = std::array::from_fn(|part| booked[part] - work[part]);
        let synchronization = to.breakdown.synchronization - from.breakdown.synchronization;
        let idle_proper = to.breakdown.idle - from.breakdown.idle;
        let idle_in_memory = idle - femtoseconds(synchronization) - femtoseconds(idle_proper);
        Breakdown {
            compute: time(work[0]),
            memory: time(work[MEMORY] + idle_in_memory),
            overhead: time(work[2]),
            synchronization,
            idle: idle_proper,
            taken: None,
        }
    }
}

/// The parts of booked work that fill a time. Each part is shortened alike if more is booked; a wait for memory has not been booked
/// yet if less is.
fn apportioned(booked: [i128; 3], length: i128) -> [i128; 3] {
    let there = booked.map(|part| part.max(0));
    let all: i128 = there.iter().sum();
    if all <= length {
        let mut work = there;
        work[MEMORY] += length - all;
        return work;
    }
    let mut work = there.map(|part| part * length / all);
    // Rounding loses less than a femtosecond of each part.
    for part in 0..work.len() {
        let left = length - work.iter().sum::<i128>();
        work[part] += left.min(there[part] - work[part]);
    }
    work
}

fn femtoseconds(time: impl Into<TotalTime>) -> i128 {
    time.into().as_femtoseconds() as i128
}

fn time(femtoseconds: i128) -> TotalTime {
    let part = u64::try_from(femtoseconds).expect("a part of a region is no longer than the run");
    Time::from_femtoseconds(part).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reading at a time in ns with these parts in ns: compute, memory, overhead, synchronization, idle; and all idle time.
    fn booked(at: u64, parts: [u64; 5], idle_time: u64) -> Booked {
        let ns = Time::from_nanoseconds;
        let [compute, memory, overhead, synchronization, idle] = parts.map(TotalTime::from_nanoseconds);
        let breakdown = Breakdown { compute, memory, overhead, synchronization, idle, taken: None };
        Booked { at: ns(at), breakdown, idle: ns(idle_time) }
    }

    fn parts(spent: Breakdown) -> [u64; 5] {
        let Breakdown { compute, memory, overhead, synchronization, idle, taken: _ } = spent;
        [compute, memory, overhead, synchronization, idle]
            .map(|part| part.as_femtoseconds() as u64 / 1_000_000)
    }

    #[test]
    fn work_that_is_booked_ahead_belongs_to_the_next_region() {
        let mut spending = Spending::default();
        let readings = [
            booked(0, [0; 5], 0),
            // 30 of compute were charged at 80.
            booked(100, [100, 0, 10, 0, 0], 0),
            booked(150, [100, 0, 10, 40, 0], 40),
        ];
        let spent = [0, 1].map(|place| spending.between(&readings[place], &readings[place + 1]));
        assert_eq!(spent.map(|spent| spent.total()), [100, 50].map(Time::from_nanoseconds));
        assert_eq!(parts(spent[1])[3], 40);
        assert!(parts(spent[1])[0] >= 9, "{spent:?}");
    }

    #[test]
    fn a_wait_that_has_not_ended_is_a_wait_for_memory() {
        let mut spending = Spending::default();
        let readings = [
            booked(0, [0; 5], 0),
            booked(100, [60, 20, 0, 0, 0], 20),
            // The wait began at 80 and took 50.
            booked(200, [90, 70, 40, 0, 0], 20),
        ];
        let spent = [0, 1].map(|place| spending.between(&readings[place], &readings[place + 1]));
        assert_eq!(spent.map(parts), [[60, 40, 0, 0, 0], [30, 30, 40, 0, 0]]);
    }
}
