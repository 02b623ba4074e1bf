//! The processors of a node that serve the network beside the compute processors: section `[network_processor]`. Cycles in this
//! section are cycles of these processors' own clock. Pure data.

use units::{Frequency, Time};

use super::idle_bus::IdleBus;
use crate::reading::{Section, one_unless_stated, or_default, own_clock, section};
use crate::{Capability, Class, Primitives, Transactions};

section! {
    /// A network processor: a loop that looks at the NI and at the queue from the compute processors.
    NetworkProcessor(section, can: &[Capability], bus: IdleBus<'_>) {
        /// The clock of a network processor.
        clock: Frequency = own_clock,
        /// The number of network processors of a node, all alike; at least 1, and 1 unless stated.
        count: usize = one_unless_stated,
        /// The classes of messages whose handlers a network processor can run. It hands messages of other classes to the
        /// compute processors. No class is listed twice.
        runs: Vec<Class> = classes,
        /// The classes, a subset of `runs`, whose handlers a network processor at work runs under every policy, also where the
        /// policy leaves handlers to the compute processors. Empty unless stated.
        always: Vec<Class> = |section, key| Some(section.optional(key, |section| classes(section, key))?.unwrap_or_default()),
        /// The classes, a subset of `runs`, whose messages interrupt the loop because hardware notices them. They wait
        /// only for a handler that is running. Empty unless stated.
        preempt: Vec<Class> = |section, key| Some(section.optional(key, |section| classes(section, key))?.unwrap_or_default()),
        /// The time from one pass of the loop to the next, if the first pass left work.
        turn: Time,
        /// The most messages that the loop takes out of the network in one pass; at least 1.
        drain: usize,
        /// The bus transactions that a network processor makes in each poll while it idles. Other clients of the bus wait for
        /// them. Only on a machine with one network processor and a bus in detail. None unless stated.
        idle_bus: Transactions = or_default,
        /// The time of a poll, which is a look at empty queues: the stated time, or that of `idle_bus` on an idle bus where that is
        /// longer. While the processor idles it polls without end. A block engine that shares this processor loses this time with
        /// each chunk. `None`: there is no `idle_bus`, and no engine shares the processor.
        idle_poll: Option<Time> = |section, key| {
            let stated: Option<Time> = section.optional(key, |section| section.key(key))?;
            Some(stated.map(|stated| stated.max(bus.all(idle_bus.unwrap_or_default()))))
        },
        /// The prices of the primitives in handlers that network processors run.
        primitives: Primitives = |section, key| Primitives::section(section, key, can, bus),
    }
    agree {
        for (key, classes) in [("always", &always), ("preempt", &preempt)] {
            if let (Some(runs), Some(classes)) = (&runs, classes)
                && classes.iter().any(|class| !runs.contains(class))
            {
                section.contradict(key, "classes of messages that it `runs`".to_owned(), &["network_processor.runs"]);
            }
        }
        if idle_bus.is_some_and(|transactions| !transactions.is_empty()) {
            check_polls(section, idle_poll.flatten(), count, bus);
        }
    }
}

/// Refuses polls over the bus that have no time, no bus, or several network processors to make them.
fn check_polls(section: &Section<'_>, poll: Option<Time>, count: Option<usize>, bus: IdleBus<'_>) {
    let refuse = |expected: String, others: &[&str]| section.contradict("idle_bus", expected, others);
    match (bus, poll) {
        (IdleBus::Absent, _) => {
            refuse("nothing, because the file does not describe the bus: no [bus]".to_owned(), &[]);
        }
        (_, None) => refuse("nothing without `idle_poll`, the time of a poll".to_owned(), &[]),
        _ if count.is_some_and(|count| count > 1) => {
            refuse(
                "nothing on a node of several network processors".to_owned(),
                &["network_processor.count"],
            );
        }
        _ => {}
    }
}

fn classes(section: &Section<'_>, key: &'static str) -> Option<Vec<Class>> {
    section.list(key, "class of messages", &Class::NAMES, |name| name.parse().ok())
}
