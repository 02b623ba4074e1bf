//! Protocols that build on the same protocol share one instance of it, if they configure it alike; else nothing runs.

use std::num::NonZeroU32;
use std::sync::Arc;

use protocols::Barrier;
use protocols::split_phase::{Plan, SplitPhase};
use protocols::sync::{Collectives, Reduction};
use tempest::outcome::{Failure, Refusal};
use tempest::{FinalState, Protocol, Report, Setup, Thread, handlers};

use crate::Setting;

/// A program may install a protocol that another of its protocols builds on: both have the same instance.
pub fn protocols_share_an_instance(setting: &Setting<'_>) {
    setting.verified::<Layers>("protocols_share_an_instance", (2, 2), 2);
}

/// Two configurations of one protocol are refused by name, before anything runs.
pub fn protocols_have_one_configuration(setting: &Setting<'_>) {
    let failure = setting.run::<Layers>((2, 3), 1).expect_err("the configurations differ");
    let Failure::Refused(Refusal::Configurations { protocol, first, second }) = &failure else {
        panic!("refused otherwise: {failure}");
    };
    assert!(protocol.ends_with("::Collectives"), "{failure}");
    assert_eq!((first.as_str(), second.as_str()), ("2", "3"), "{failure}");
}

/// Meets by a barrier of its own and by a protocol's barrier, which is the same instance.
struct Layers {
    barrier: Arc<Barrier>,
    split: Arc<SplitPhase>,
    collectives: [Arc<Collectives>; 2],
}

impl Protocol for Layers {
    /// The fan-ins with which the collectives are installed, one after the other.
    type Config = (u32, u32);

    fn install(&(one, two): &(u32, u32), setup: &mut Setup<'_>) -> Self {
        let fan_in = |count| NonZeroU32::new(count).expect("a fan-in is at least 1");
        let plan = Plan::new(setup.shape().nodes);
        Self {
            split: setup.install::<SplitPhase>(&plan),
            barrier: setup.install::<Barrier>(&()),
            collectives: [one, two].map(|count| setup.install::<Collectives>(&fan_in(count))),
        }
    }
}

#[handlers]
impl Layers {
    fn main(&self, thread: &Thread<'_>) {
        self.barrier.wait(thread);
        self.split.on(thread).barrier();
        for collectives in &self.collectives {
            let threads = collectives.all_reduce(thread, Reduction::Sum, 1_u64);
            assert_eq!(threads, u64::from(thread.nodes() * thread.threads()));
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        let [one, two] = &self.collectives;
        Report::checked(Arc::ptr_eq(one, two), || "two instances of one configuration".to_owned())
    }
}
