//! The compute processors of a node: section `[processor]`. Pure data.

use units::{Frequency, Time};

use crate::Capability;
use crate::reading::{or_default, own_clock, required_if, section};

section! {
    /// A compute processor of a node.
    Processor(section, can: &[Capability]) {
        /// The clock of the processor. Durations in cycles in the machine file are cycles of this clock.
        clock: Frequency = own_clock,
        /// The time of each operation that a program counts.
        work: WorkCosts,
        /// The time to switch from one thread of a processor to another.
        thread_switch: Time,
        /// The time of a poll that finds no event.
        poll: Time,
        /// The time from an event that interrupts a computing processor to the first instruction of its handler; zero on a
        /// machine without interrupts.
        interrupt: Time = required_if(can.contains(&Capability::Interrupt)),
        /// Whether an event that waits when a handler ends interrupts the processor again, before its thread goes on. False
        /// unless stated: one interrupt is for all events that wait.
        interrupt_each: bool = or_default,
        /// Extra time of the first message of a burst from another node: no earlier message has prefetched its
        /// cache line. Zero unless stated.
        fetch: Time = or_default,
        /// The wanted time between two polls at loop back-edges. Polls in between are skipped. Zero unless stated: none is skipped.
        pace: Time = or_default,
        /// The time of a poll that is skipped; zero unless stated.
        pass: Time = or_default,
        /// The time to add to the counter of an event, without the time to resume the threads that wait for it; zero unless stated.
        signal: Time = or_default,
        /// The time in which a thread gets a free key that need not be requested from another processor; zero unless stated.
        hold: Time = or_default,
        /// The time from a thread's resumption until its idle processor goes on with it; zero unless stated. A machine with a
        /// dispatch routine has `wake` in `[software_dispatch]` instead.
        wake: Time = or_default,
        /// The time of a software check of a block's tag before each permitted access to shared memory; zero unless stated:
        /// hardware checks the tag.
        check: Time = or_default,
    }
}

section! {
    /// The processor's time for each operation that a program counts. Loads and stores are counted as hits.
    WorkCosts(section) {
        /// The time of a floating-point addition or multiplication.
        flop: Time,
        /// The time of an integer or logical operation or a branch.
        integer: Time,
        /// The time of a load that hits.
        load: Time,
        /// The time of a store that hits.
        store: Time,
    }
}
