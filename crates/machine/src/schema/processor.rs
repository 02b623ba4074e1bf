//! The compute processors of a node: section `[processor]`. Pure data.

use units::{Frequency, Time};

use crate::Capability;
use crate::reading::{or_default, own_clock, required_if, section};

section! {
    /// A processor of a node.
    Processor(section, can: &[Capability]) {
        /// Its clock: the one that "cycles" in the machine file count.
        clock: Frequency = own_clock,
        /// What a program's work costs.
        work: WorkCosts,
        /// From one thread of a processor to the next.
        thread_switch: Time,
        /// A poll that finds nothing.
        poll: Time,
        /// From the event to the first instruction of its handler, when a computing processor is interrupted for it; zero
        /// where that cannot be.
        interrupt: Time = required_if(can.contains(&Capability::Interrupt)),
        /// Extra time of the first message of a burst from another node: no earlier message has prefetched its
        /// cache line. Zero unless stated.
        fetch: Time = or_default,
        /// How far apart looks at back-edges are meant to be: a poll in between is passed by. Zero unless stated: every poll looks.
        pace: Time = or_default,
        /// A poll that is passed by; zero unless stated.
        pass: Time = or_default,
        /// Counting in an event, without what it takes to let those go on that wait for it; zero unless stated.
        signal: Time = or_default,
        /// A thread's getting a key that nobody has, where nobody has to be asked for it; zero unless stated.
        hold: Time = or_default,
        /// From a thread's being let go on, until its processor, which has nothing else to do, goes on with it, where no dispatch
        /// routine says so; zero unless stated.
        wake: Time = or_default,
    }
}

section! {
    /// The time that each operation a program counts adds to its processor; a load or store is one that hits.
    WorkCosts(section) {
        /// A floating-point addition or multiplication.
        flop: Time,
        /// An integer or logical operation, a branch included.
        integer: Time,
        /// A load that hits.
        load: Time,
        /// A store that hits.
        store: Time,
    }
}
