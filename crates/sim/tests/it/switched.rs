//! A modelled program that suspends the fiber it runs on is told so: the engine would never resume it.

use tempest::outcome::Failure;
use tempest::world::{Launch, World};
use tempest::{FinalState, Handler, Job, Key, Protocol, Report, Setup, Thread, handlers};
use tradewind_sim::Model;

use crate::setup::machine;

/// Place at which the program suspends.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Place {
    Thread,
    Hold,
    Handler,
}

struct Switches(Place);

impl Protocol for Switches {
    type Config = Place;
    fn install(place: &Place, _: &mut Setup<'_>) -> Self {
        Self(*place)
    }
}

#[handlers]
impl Switches {
    /// Suspends the fiber that the handler runs on.
    #[message]
    fn switch(&self, _cx: &mut Handler<'_>) {
        fiber::suspend();
    }

    fn main(&self, thread: &Thread<'_>) {
        match self.0 {
            Place::Thread => fiber::suspend(),
            Place::Hold => thread.hold(Key::User(0), |_| fiber::suspend()),
            Place::Handler => thread.send(thread.next_node(), Self::switch()),
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(false, || "a fiber was suspended and resumed".to_owned())
    }
}

#[test]
fn a_program_that_suspends_its_fiber_is_told_so() {
    for place in [Place::Thread, Place::Hold, Place::Handler] {
        for policy in ["single", "floating"] {
            let launch = Launch {
                nodes: 2,
                ..Launch::new(Job::new::<Switches>(place), policy.parse().expect("a policy"))
            };
            let said = match Model::new(machine("ideal", &[])).run(&launch) {
                Err(Failure::Program(said)) => said,
                other => panic!("{place:?} under `{policy}`: {other:?}"),
            };
            assert!(said.contains("only its owner suspends: a thread gives its processor away"), "{said}");
        }
    }
}
