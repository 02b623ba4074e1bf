//! Random scripts: both implementations take exactly the oldest item of the set that the model allows.

use std::collections::BTreeMap;

use pdq::specification::Config;
use pdq::{DispatcherId, Held, Key, Queue, queue};
use proptest::prelude::*;

use crate::dispatcher::{Dispatcher, SERVERS, specified};
use crate::model::{Model, State};

#[derive(Clone, Debug)]
enum Step {
    Enqueue(Key),
    Dispatch(usize),
    /// The n-th of the held items, modulo their number.
    Complete(usize),
    CompleteWith(usize),
    TryHold(Key),
}

fn keys() -> impl Strategy<Value = Key> {
    prop_oneof![6 => (0..6_u64).prop_map(Key::User), 1 => Just(Key::Sequential), 1 => Just(Key::NoSync)]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => keys().prop_map(Step::Enqueue),
        5 => (0..SERVERS).prop_map(Step::Dispatch),
        4 => any::<usize>().prop_map(Step::Complete),
        1 => any::<usize>().prop_map(Step::CompleteWith),
        1 => keys().prop_map(Step::TryHold),
    ];
    prop::collection::vec(step, 0..120)
}

fn configs() -> impl Strategy<Value = Config> {
    let bound = || prop::option::of(1..6_usize);
    (bound(), bound(), any::<bool>(), 1..=SERVERS).prop_map(|(window, capacity, serial, partitions)| Config {
        window,
        capacity,
        serial,
        partitions,
    })
}

/// Drives a dispatcher of tickets and the model through the same script.
struct Pair<D> {
    subject: D,
    model: Model,
    held: BTreeMap<usize, Held>,
}

impl<D: Dispatcher<usize>> Pair<D> {
    fn run(subject: D, config: Config, script: Vec<Step>) -> Self {
        let mut pair = Self { subject, model: Model { items: Vec::new(), config }, held: BTreeMap::new() };
        for step in script {
            pair.step(step);
            assert_eq!(pair.subject.held(), pair.held.len());
            let waiting = [State::Waiting, State::Continuing].map(|state| pair.model.tickets(state).count());
            assert_eq!(pair.subject.waiting(), waiting.iter().sum::<usize>());
        }
        pair.finish();
        pair
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Enqueue(key) => {
                self.subject.enqueue(key, self.model.items.len());
                self.model.items.push((key, State::Waiting));
            }
            Step::Dispatch(server) => {
                self.dispatch(server);
            }
            Step::Complete(n) => {
                if let Some((ticket, held)) = self.pick(n) {
                    self.subject.complete(held);
                    self.model.items[ticket].1 = State::Done;
                }
            }
            Step::CompleteWith(n) => {
                if let Some((ticket, held)) = self.pick(n) {
                    self.subject.complete_with(held, ticket);
                    self.model.items[ticket].1 = State::Continuing;
                }
            }
            Step::TryHold(key) => {
                let held = self.subject.try_hold(key);
                assert_eq!(held.is_some(), self.model.may_hold(key), "hold {key} in {:?}", self.model);
                if let Some(held) = held {
                    self.held.insert(self.model.items.len(), held);
                    self.model.items.push((key, State::Held));
                }
            }
        }
    }

    fn dispatch(&mut self, server: usize) -> bool {
        let expected = self.model.dispatchable(server).first().copied();
        let (held, ticket) = self.subject.dispatch(server).unzip();
        assert_eq!(ticket, expected, "server {server} in {:?}", self.model);
        if let (Some(held), Some(ticket)) = (held, ticket) {
            assert_eq!(held.key(), self.model.items[ticket].0);
            self.model.items[ticket].1 = State::Held;
            self.held.insert(ticket, held);
        }
        ticket.is_some()
    }

    fn pick(&mut self, n: usize) -> Option<(usize, Held)> {
        let ticket = *self.held.keys().nth(n % self.held.len().max(1))?;
        self.held.remove_entry(&ticket)
    }

    /// Progress and exactly once: whatever the script left behind runs to its end.
    fn finish(&mut self) {
        loop {
            while !self.held.is_empty() {
                self.step(Step::Complete(0));
            }
            if !(0..SERVERS).any(|server| self.dispatch(server)) {
                break;
            }
        }
        assert!(self.model.items.iter().all(|(_, state)| *state == State::Done));
        let statistics = self.subject.statistics();
        assert_eq!(statistics.enqueued, self.model.items.len() as u64);
        assert_eq!(statistics.dispatched, statistics.enqueued + statistics.continued);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None, // the shrunk script is printed; make it a test
        ..ProptestConfig::default()
    })]

    #[test]
    #[cfg_attr(miri, ignore = "one thread and no unsafe code: nothing that Miri would see")]
    fn the_specification_takes_exactly_the_oldest_dispatchable_item(config in configs(), script in steps()) {
        Pair::run(specified(config), config, script);
    }

    #[test]
    #[cfg_attr(miri, ignore = "one thread and no unsafe code: nothing that Miri would see")]
    fn the_queue_takes_exactly_the_oldest_item_of_the_unlimited_window(
        partitions in 1..=SERVERS,
        script in steps(),
    ) {
        let unlimited = Config { window: None, capacity: None, serial: false, partitions };
        let config = queue::Config { servers: SERVERS, partitions, limit: None };
        Pair::run(Queue::new(DispatcherId::fresh(), config), unlimited, script);
    }

    #[test]
    #[cfg_attr(miri, ignore = "one thread and no unsafe code: nothing that Miri would see")]
    fn asking_whether_an_item_can_be_dispatched_agrees_with_dispatching_it(
        config in configs(),
        script in steps(),
        server in 0..SERVERS,
    ) {
        // A prefix of a run, stopped before it is finished.
        let mut pair = Pair {
            subject: specified(config),
            model: Model { items: Vec::new(), config },
            held: BTreeMap::new(),
        };
        for step in script {
            pair.step(step);
            prop_assert_eq!(pair.subject.can_dispatch(server), !pair.model.dispatchable(server).is_empty());
        }
    }
}
