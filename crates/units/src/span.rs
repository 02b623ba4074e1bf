//! A duration as people state it: cycles of a clock, cycles of a bus, an absolute time, or a sum of these. Knows no clock.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use crate::error::Problem;
use crate::scale::Scale;
use crate::time::FEMTOSECONDS_PER_SECOND;
use crate::{Cycles, Frequency, ParseError, Quantity, Time};

const BUS_MILLICYCLES: Scale = Scale {
    expected: <Span as Quantity>::EXPECTED,
    step: "0.001 bus cycles",
    units: &[("bus cycles", 1_000), ("bus cycle", 1_000)],
};

/// A duration whose clocks are not yet known: `"16 cycles"`, `"1.7 us"`, `"2 bus cycles"`, or a sum such as
/// `"60 cycles + 0.5 us"`.
///
/// The parts scale apart: another clock changes the cycles and leaves the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The part in cycles of the clock of the component that takes the time.
    pub cycles: Cycles,
    /// The part in cycles of the bus.
    pub bus_cycles: Cycles,
    /// The part that depends on no clock.
    pub time: Time,
}

impl Span {
    /// Makes a duration of `cycles` cycles of the component's clock.
    pub const fn of_cycles(cycles: Cycles) -> Self {
        Self { cycles, bus_cycles: Cycles::ZERO, time: Time::ZERO }
    }

    /// Makes a duration that depends on no clock.
    pub const fn of_time(time: Time) -> Self {
        Self { cycles: Cycles::ZERO, bus_cycles: Cycles::ZERO, time }
    }

    /// The duration if the component's clock runs at `clock` and the bus at `bus`, rounded down to a femtosecond once for all
    /// parts. Saturates. `None` if the span has bus cycles and `bus` is `None`.
    pub fn resolve(self, clock: Frequency, bus: Option<Frequency>) -> Option<Time> {
        let counted = match bus {
            _ if self.bus_cycles == Cycles::ZERO => clock.time_of(self.cycles),
            None => return None,
            Some(bus) => sum_of_cycles((self.cycles, clock), (self.bus_cycles, bus)),
        };
        Some(counted + self.time)
    }
}

/// The time of cycles of two clocks. It is rounded once, so that equal clocks give the time of the sum.
fn sum_of_cycles(one: (Cycles, Frequency), other: (Cycles, Frequency)) -> Time {
    let exact = || {
        let [(count, clock), (others, bus)] = [one, other]
            .map(|(cycles, clock)| (u128::from(cycles.as_thousandths()), u128::from(clock.as_hertz())));
        let thousandths = count.checked_mul(bus)?.checked_add(others.checked_mul(clock)?)?;
        let femtoseconds = thousandths.checked_mul(FEMTOSECONDS_PER_SECOND / 1_000)?;
        Some(Time::saturating(femtoseconds / clock.checked_mul(bus)?))
    };
    exact().unwrap_or_else(|| one.1.time_of(one.0) + other.1.time_of(other.0))
}

impl Quantity for Span {
    const EXPECTED: &'static str = "a time such as \"1.7 us\" or \"16 cycles\"";
}

impl FromStr for Span {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let large = || ParseError::new(Self::EXPECTED, Problem::TooLarge);
        let mut sum = Self::default();
        for part in text.split('+') {
            let one = part_of(part).map_err(|error| error.expecting(Self::EXPECTED))?;
            let add = |cycles: Cycles, more: Cycles| {
                cycles.as_thousandths().checked_add(more.as_thousandths()).map(Cycles::from_thousandths)
            };
            sum = Self {
                cycles: add(sum.cycles, one.cycles).ok_or_else(large)?,
                bus_cycles: add(sum.bus_cycles, one.bus_cycles).ok_or_else(large)?,
                time: sum.time.checked_add(one.time).ok_or_else(large)?,
            };
        }
        Ok(sum)
    }
}

/// Parses a part of a sum.
fn part_of(text: &str) -> Result<Span, ParseError> {
    if BUS_MILLICYCLES.claims(text) {
        let bus_cycles = Cycles::from_thousandths(BUS_MILLICYCLES.parse(text)?);
        return Ok(Span { bus_cycles, ..Span::default() });
    }
    if Cycles::claims(text) {
        return text.parse().map(Span::of_cycles);
    }
    text.parse().map(Span::of_time)
}

impl Display for Span {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { cycles, bus_cycles, time } = *self;
        let mut parts = Vec::new();
        if cycles != Cycles::ZERO {
            parts.push(cycles.to_string());
        }
        if bus_cycles != Cycles::ZERO {
            parts.push(bus_cycles.to_string().replace("cycle", "bus cycle"));
        }
        if parts.is_empty() || !time.is_zero() {
            parts.push(time.to_string());
        }
        f.write_str(&parts.join(" + "))
    }
}
