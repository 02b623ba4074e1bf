//! The processor of a node that serves the network beside the compute processors. Pure data and its section
//! `[network_processor]`, in which cycles are those of this processor's own clock.

use units::{Frequency, Time};

use crate::reading::{Section, own_clock, section};
use crate::{Capability, Class, Primitives};

section! {
    /// A network processor: a loop that looks at the NI and at the queue from the compute processors.
    NetworkProcessor(section, can: &[Capability]) {
        /// Its clock.
        clock: Frequency = own_clock,
        /// The classes of messages whose handlers it can run; the others it hands over. No two alike.
        runs: Vec<Class> = classes,
        /// Of those, the classes it takes in at once, whatever its loop is doing besides running a handler: hardware
        /// notices them. Empty unless stated.
        preempt: Vec<Class> = |section, key| Some(section.optional(key, |section| classes(section, key))?.unwrap_or_default()),
        /// What going round its loop once more takes, when there is more to do than one pass does.
        turn: Time,
        /// The most messages it takes out of the network in one pass; at least 1.
        drain: usize,
        /// A look at its queues when there is nothing: what a block engine that shares this processor loses with each
        /// chunk. `None`: no engine shares it.
        idle_poll: Option<Time>,
        /// What its handlers pay for.
        primitives: Primitives = |section, key| Primitives::section(section, key, can),
    }
    agree {
        if let (Some(runs), Some(preempt)) = (&runs, &preempt)
            && preempt.iter().any(|class| !runs.contains(class))
        {
            section.contradict("preempt", "classes of messages that it `runs`".to_owned());
        }
    }
}

fn classes(section: &Section<'_>, key: &'static str) -> Option<Vec<Class>> {
    section.list(key, "class of messages", &Class::NAMES, |name| name.parse().ok())
}
