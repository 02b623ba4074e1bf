//! Random scripts: the specification takes the oldest item of the set that the model allows, the concurrent queue some
//! item of it, and item after item exactly that set.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tradewind_pdq::specification::Config;
use tradewind_pdq::{DispatcherId, Key, Queue, queue};

use crate::dispatcher::{Dispatcher, Eager, SERVERS, specified};
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

pub(crate) fn keys() -> impl Strategy<Value = Key> {
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

pub(crate) fn configs() -> impl Strategy<Value = Config> {
    let bound = || prop::option::of(1..6_usize);
    (bound(), bound(), any::<bool>(), 1..=SERVERS).prop_map(|(window, capacity, serial, partitions)| Config {
        window,
        capacity,
        serial,
        partitions,
    })
}

/// Drives a dispatcher of tickets and the model through the same script.
struct Pair<D: Dispatcher<usize>> {
    subject: D,
    choice: Choice,
    model: Model,
    held: BTreeMap<usize, D::Token>,
}

/// The dispatchable item that a dispatcher takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Choice {
    Oldest,
    Any,
}

impl<D: Dispatcher<usize>> Pair<D> {
    fn new(subject: D, choice: Choice, config: Config) -> Self {
        Self { subject, choice, model: Model { items: Vec::new(), config }, held: BTreeMap::new() }
    }

    fn run(mut self, script: Vec<Step>) -> Self {
        let pair = &mut self;
        for step in script {
            pair.step(step);
            assert_eq!(pair.subject.held(), pair.held.len());
            let waiting = [State::Waiting, State::Continuing].map(|state| pair.model.tickets(state).count());
            assert_eq!(pair.subject.waiting(), waiting.iter().sum::<usize>());
        }
        pair.finish();
        self
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
        let allowed = self.model.dispatchable(server);
        let (held, ticket) = self.subject.dispatch(server).unzip();
        let right = match (ticket, self.choice) {
            (Some(ticket), Choice::Any) => allowed.contains(&ticket),
            (ticket, _) => ticket == allowed.first().copied(),
        };
        assert!(right, "server {server} took {ticket:?} of {allowed:?} in {:?}", self.model);
        if let (Some(held), Some(ticket)) = (held, ticket) {
            assert_eq!(D::key_of(&held), self.model.items[ticket].0);
            self.model.items[ticket].1 = State::Held;
            self.held.insert(ticket, held);
        }
        ticket.is_some()
    }

    fn pick(&mut self, n: usize) -> Option<(usize, D::Token)> {
        let ticket = *self.held.keys().nth(n % self.held.len().max(1))?;
        self.held.remove_entry(&ticket)
    }

    /// Progress and exactly once: items that the script left behind run to their end.
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

/// A concurrent queue, and the bounds under which the specification dispatches the same.
fn configs_of(partitions: usize) -> (queue::Config, Config) {
    let unlimited = Config { window: None, capacity: None, serial: false, partitions };
    (queue::Config { servers: SERVERS, partitions, limit: None, shares_claims: false }, unlimited)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 8 } else { 2000 },
        failure_persistence: None, // the shrunk script is printed; make it a test
        ..ProptestConfig::default()
    })]

    #[test]
    #[cfg_attr(miri, ignore = "one thread and no unsafe code: nothing that Miri would see")]
    fn the_specification_takes_exactly_the_oldest_dispatchable_item(config in configs(), script in steps()) {
        Pair::new(specified(config), Choice::Oldest, config).run(script);
    }

    #[test]
    fn the_queue_takes_an_item_of_the_unlimited_window_if_it_has_any(
        partitions in 1..=SERVERS,
        script in steps(),
    ) {
        let (config, unlimited) = configs_of(partitions);
        Pair::new(Queue::new(DispatcherId::fresh(), config), Choice::Any, unlimited).run(script);
    }

    #[test]
    fn what_the_queue_dispatches_in_a_row_is_exactly_the_unlimited_window(
        partitions in 1..=SERVERS,
        script in steps(),
        server in 0..SERVERS,
    ) {
        let (config, unlimited) = configs_of(partitions);
        let mut pair = Pair::new(Eager::new(config), Choice::Oldest, unlimited);
        for step in script {
            pair.step(step);
            let can_go: Vec<_> = pair.subject.dispatchable(server).copied().collect();
            prop_assert_eq!(can_go, pair.model.dispatchable(server));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "one thread and no unsafe code: nothing that Miri would see")]
    fn asking_whether_an_item_can_be_dispatched_agrees_with_dispatching_it(
        config in configs(),
        script in steps(),
        server in 0..SERVERS,
    ) {
        // A prefix of a run, stopped before it is finished.
        let mut pair = Pair::new(specified(config), Choice::Oldest, config);
        for step in script {
            pair.step(step);
            prop_assert_eq!(pair.subject.can_dispatch(server), !pair.model.dispatchable(server).is_empty());
        }
    }
}
