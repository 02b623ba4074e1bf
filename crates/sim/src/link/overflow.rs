//! The overflow trap of an interface. If no processor takes messages out of a full interface for a while, its processor is
//! trapped and moves the messages into memory, so that the network can go on.
//!
//! Without the trap, a machine whose processors all wait for room could deadlock. The trap costs time instead. The messages
//! stay in order, and are handled as if they were still in the interface. This module must never know the meaning of a message.

use units::Time;

/// The prices of an overflow trap.
#[derive(Clone, Debug)]
pub(crate) struct Overflow(machine::Overflow);

/// The decision about a message that was kept out for too long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// The message has been let in, or will be.
    Over,
    /// The processor is trapped.
    Trap,
    /// The processor cannot be trapped now: the message is watched for as long again.
    Watch,
}

impl Overflow {
    /// The prices of a machine's overflow trap; `None` where it has none.
    pub(crate) fn of(machine: &machine::Machine) -> Option<Self> {
        machine.interface.overflow.clone().map(Self)
    }

    /// The time at which a message that is kept out from now on has waited too long.
    pub(crate) fn patience(&self, now: Time) -> Time {
        now + self.0.after
    }

    /// The decision when a message has waited too long. `kept_out` says whether it still waits, and `computes` whether the
    /// processor computes. A processor that does not compute runs handlers and takes messages out by itself, or must not be
    /// disturbed.
    pub(crate) fn verdict(kept_out: bool, computes: bool) -> Verdict {
        match (kept_out, computes) {
            (false, _) => Verdict::Over,
            (true, true) => Verdict::Trap,
            (true, false) => Verdict::Watch,
        }
    }

    /// The time of a trap that moves `bytes` bytes into memory.
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
