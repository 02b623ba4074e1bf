//! The modelled device beside the specification: one script, and not one difference.

use proptest::prelude::*;
use tradewind_pdq::specification::{Config, Specification};
use tradewind_pdq::{Device, DispatcherId, Held, Key};

use crate::dispatcher::{SERVERS, specified};
use crate::refinement::{configs, keys};

#[derive(Clone, Debug)]
enum Step {
    Enqueue(Key),
    Dispatch(usize),
    EnqueueAndDispatch(usize, Key),
    /// The n-th of the held items, modulo their number.
    Complete(usize),
    TryHold(Key),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => keys().prop_map(Step::Enqueue),
        5 => (0..SERVERS).prop_map(Step::Dispatch),
        2 => ((0..SERVERS), keys()).prop_map(|(server, key)| Step::EnqueueAndDispatch(server, key)),
        4 => any::<usize>().prop_map(Step::Complete),
        1 => keys().prop_map(Step::TryHold),
    ];
    prop::collection::vec(step, 0..120)
}

/// A device and a specification of tickets, and the tokens that each has handed out, in the same order.
struct Both {
    device: Device<usize>,
    specification: Specification<usize>,
    held: Vec<(Held, Held)>,
    next: usize,
}

impl Both {
    fn new(config: Config) -> Self {
        let device = Device::new(DispatcherId::fresh(), config);
        Self { device, specification: specified(config), held: Vec::new(), next: 0 }
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Enqueue(key) => {
                let right = self.specification.would_spill(key);
                let mut spills = None;
                self.device.enqueue_with(key, |told| {
                    spills = Some(told);
                    self.next
                });
                assert_eq!(spills, Some(right));
                self.specification.enqueue(key, self.next);
                self.next += 1;
            }
            Step::Dispatch(server) => {
                let (took, right) = (self.device.dispatch(server), self.specification.dispatch(server));
                self.hold(took, right);
            }
            Step::EnqueueAndDispatch(server, key) => {
                let item = self.next;
                let took = self.device.pass(key).map(|held| (held, item)).or_else(|| {
                    self.device.enqueue(key, item);
                    self.device.dispatch(server)
                });
                self.specification.enqueue(key, item);
                self.next += 1;
                let right = self.specification.dispatch(server);
                self.hold(took, right);
            }
            Step::Complete(n) if !self.held.is_empty() => {
                let (device, specified) = self.held.swap_remove(n % self.held.len());
                assert_eq!(device.key(), specified.key());
                self.device.complete(device);
                self.specification.complete(specified);
            }
            Step::Complete(_) => {}
            Step::TryHold(key) => {
                let (device, specified) = (self.device.try_hold(key), self.specification.try_hold(key));
                assert_eq!(device.is_some(), specified.is_some());
                self.held.extend(device.zip(specified));
            }
        }
    }

    fn hold(&mut self, took: Option<(Held, usize)>, right: Option<(Held, usize)>) {
        let ((device, took), (specified, right)) = (took.unzip(), right.unzip());
        assert_eq!(took, right);
        self.held.extend(device.zip(specified));
    }

    fn compare(&self) {
        let can: Vec<_> = (0..SERVERS).map(|server| self.device.can_dispatch(server)).collect();
        let right: Vec<_> = (0..SERVERS).map(|server| self.specification.can_dispatch(server)).collect();
        assert_eq!(can, right);
        assert_eq!(self.device.can_dispatch_any(), right.contains(&true));
        let (device, right) = (&self.device, &self.specification);
        assert_eq!((device.len(), device.held()), (right.len(), right.held()));
        assert_eq!(device.is_empty(), right.is_empty());
        assert_eq!(device.statistics(), right.statistics());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 8 } else { 2000 },
        failure_persistence: None, // the shrunk script is printed; make it a test
        ..ProptestConfig::default()
    })]

    #[test]
    #[cfg_attr(miri, ignore = "one thread and no unsafe code: nothing that Miri would see")]
    fn the_device_does_what_the_specification_does(config in configs(), script in steps()) {
        let mut both = Both::new(config);
        for step in &script {
            both.step(step);
            both.compare();
        }
    }
}
