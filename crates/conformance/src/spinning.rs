//! A thread that spins is told of messages that came while it held a key, though no other processor of its node runs
//! handlers.

use tempest::{Event, FinalState, Handler, Key, Protocol, Report, Setup, Thread, handlers};

use crate::Setting;

/// Messages that a hold sends to its own node.
const MESSAGES: u64 = 20;

/// A thread that spins behind a hold sees the handlers of the hold's messages.
pub fn spins_see_what_a_hold_has_sent(setting: &Setting<'_>) {
    setting.verified::<Spins>("spins_see_what_a_hold_has_sent", (), 1);
}

struct Spins {
    arrived: Event,
}

impl Protocol for Spins {
    type Config = ();

    fn install((): &(), _: &mut Setup<'_>) -> Self {
        Self { arrived: Event::new("conformance.arrived") }
    }
}

#[handlers]
impl Spins {
    #[message(key = 0)]
    fn arrive(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.arrived, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        let here = thread.node();
        thread.hold(Key::NoSync, |cx| (0..MESSAGES).for_each(|_| cx.send(here, Self::arrive())));
        while self.arrived.count(thread) < MESSAGES * u64::from(thread.threads()) {
            thread.spin();
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let arrived = self.arrived.count(end);
        Report::checked(arrived >= MESSAGES, || format!("{arrived} messages arrived: expected {MESSAGES}"))
    }
}
