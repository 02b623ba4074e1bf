//! The processor of a node that serves the network beside the compute processors. Pure data and its section
//! `[network_processor]`, in which cycles are those of this processor's own clock.

use units::{Frequency, Quantity, Span, Time};

use crate::parse::NO_CLOCK;
use crate::section::Section;
use crate::{Capability, Class, Primitives};

/// A network processor: a loop that looks at the NI and at the queue from the compute processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkProcessor {
    /// Its clock.
    pub clock: Frequency,
    /// The classes of messages whose handlers it can run; the others it hands over. No two alike.
    pub runs: Vec<Class>,
    /// Of those, the classes it takes in at once, whatever its loop is doing besides running a handler: hardware
    /// notices them. Empty unless stated.
    pub preempt: Vec<Class>,
    /// What going round its loop once more takes, when there is more to do than one pass does.
    pub turn: Time,
    /// The most messages it takes out of the network in one pass; at least 1.
    pub drain: usize,
    /// A look at its queues when there is nothing: what a block engine that shares this processor loses with each
    /// chunk. `None`: no engine shares it.
    pub idle_poll: Option<Time>,
    /// What its handlers pay for.
    pub primitives: Primitives,
}

impl NetworkProcessor {
    pub(crate) fn read(section: &Section<'_>, can: &[Capability]) -> Option<Self> {
        let stated: Option<Frequency> = section.quantity("clock");
        let clock = stated.unwrap_or(NO_CLOCK);
        let classes =
            |key| section.list(key, "class of messages", &Class::NAMES, |name| name.parse::<Class>().ok());
        let runs = classes("runs");
        let preempt = section.optional("preempt", |_| classes("preempt"));
        if let (Some(runs), Some(Some(preempt))) = (&runs, &preempt)
            && preempt.iter().any(|class| !runs.contains(class))
        {
            section.contradict("preempt", "classes of messages that it `runs`".to_owned());
        }
        let turn = section.time("turn", clock);
        let drain = section.count("drain");
        let idle_poll = section.optional("idle_poll", |section| section.time("idle_poll", clock));
        let primitives = section.section("primitives", |section| {
            let primitives = Primitives::read(section, clock);
            if can.contains(&Capability::Transfer) {
                section.expect("start_transfer", Span::EXPECTED);
            }
            primitives
        });
        Some(Self {
            clock: stated?,
            runs: runs?,
            preempt: preempt?.unwrap_or_default(),
            turn: turn?,
            drain: drain?,
            idle_poll: idle_poll?,
            primitives: primitives?,
        })
    }
}
