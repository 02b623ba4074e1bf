//! What happens when nobody takes messages out of an interface whose queue is full: after a while the processor is
//! trapped, and moves them into its memory, so that the network can go on.
//!
//! Without it a machine whose processors all wait for room could stand still for ever; with it that is only slow. The
//! messages stay in order, and are handled as if they still were in the interface. Must never know what a message means.

use units::Time;

/// The prices of an interface that traps its processor.
#[derive(Clone, Debug)]
pub(crate) struct Overflow(machine::Overflow);

/// The answer to a message that was kept out for too long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// It has been let in, or will be.
    Over,
    /// The processor is trapped.
    Trap,
    /// The processor cannot be trapped now: the message is watched for as long again.
    Watch,
}

impl Overflow {
    /// The prices of a machine whose interface traps its processor.
    pub(crate) fn of(machine: &machine::Machine) -> Option<Self> {
        machine.interface.overflow.clone().map(Self)
    }

    /// When a message that is kept out from now on has been so for too long.
    pub(crate) fn patience(&self, now: Time) -> Time {
        now + self.0.after
    }

    /// What follows when patience is at an end: whether the message is still `kept_out`, and whether the processor `computes`. A
    /// processor that does not is busy with handlers and takes messages out by itself, or must not be disturbed.
    pub(crate) fn verdict(kept_out: bool, computes: bool) -> Verdict {
        match (kept_out, computes) {
            (false, _) => Verdict::Over,
            (true, true) => Verdict::Trap,
            (true, false) => Verdict::Watch,
        }
    }

    /// The time of a trap that moves so many bytes into memory.
    pub(crate) fn time(&self, bytes: u64) -> Time {
        self.0.trap + self.0.byte * bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trap_costs_itself_and_the_bytes_that_it_moves() {
        let ns = Time::from_nanoseconds;
        let overflow = Overflow(machine::Overflow { after: ns(100), trap: ns(40), byte: ns(2) });
        assert_eq!((overflow.patience(ns(7)), overflow.time(16)), (ns(107), ns(72)));
    }
}
