//! The idle processors of a node, in the order in which they became idle.
//!
//! Each look for a processor begins with this list, and most looks end there: under load no processor idles. This
//! module must never know the duties of a processor, or why it idles.

use units::Time;

use crate::processor::core::Core;

/// The idle processors of one node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Idle {
    /// The time at which each processor became idle, and its number. The processor that has idled longest comes first. Among
    /// equals the lowest number comes first.
    all: Vec<(Time, u16)>,
}

impl Idle {
    /// The processors of a node of `count`, which are all idle from time zero on.
    pub(crate) fn from_the_start(count: usize) -> Self {
        Self { all: (0..count).map(|number| (Time::ZERO, number as u16)).collect() }
    }

    /// Adds a processor that is idle from `since` on. No processor has become idle later.
    pub(crate) fn begin(&mut self, number: u16, since: Time) {
        let place =
            self.all.iter().rposition(|&other| other < (since, number)).map_or(0, |before| before + 1);
        self.all.insert(place, (since, number));
    }

    /// Removes a processor that ceases to be idle.
    pub(crate) fn end(&mut self, number: u16) {
        if let Some(place) = self.all.iter().position(|&(_, other)| other == number) {
            self.all.remove(place);
        }
    }

    /// Whether a processor of the number `first` or a higher one idles.
    #[inline]
    pub(crate) fn has_one_from(&self, first: usize) -> bool {
        self.all.iter().any(|&(_, number)| usize::from(number) >= first)
    }

    /// Whether this list holds exactly the idle processors of a node, in order.
    pub(crate) fn agrees_with(&self, cores: &[Core]) -> bool {
        let right = |&(since, number): &(Time, u16)| cores[usize::from(number)].idle_since() == Some(since);
        self.all.len() == cores.iter().filter(|core| core.is_idle()).count()
            && self.all.iter().all(right)
            && self.all.is_sorted()
    }

    /// The idle processors, with the time at which each became idle. The processor that has idled for the shortest time comes
    /// first. Among equals the highest number comes first.
    pub(crate) fn latest_first(&self) -> impl Iterator<Item = (Time, usize)> + '_ {
        self.all.iter().rev().map(|&(since, number)| (since, usize::from(number)))
    }

    /// The idle processors, with the time at which each became idle. The processor that has idled longest comes first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Time, usize)> + '_ {
        self.all.iter().map(|&(since, number)| (since, usize::from(number)))
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use machine::Class;
    use proptest::prelude::*;
    use tempest::policy::{Notice, Turns as Order};

    use super::super::dispatcher::Dispatcher;
    use super::super::register::Register;
    use super::super::serving::Serving;
    use super::super::testing::{message, parallel_events};
    use super::super::turns::Turns;
    use super::super::{Dispatch, Start, View};
    use super::*;
    use crate::dispatch::injection::Injection;
    use crate::processor::core::{Activity, Job};
    use crate::testing::ns;

    const PROCESSORS: usize = 4;

    /// A change of a node's state.
    #[derive(Clone, Debug)]
    enum Change {
        /// Time passes.
        Pass(u64),
        /// A processor becomes idle, or idle again.
        Idle(usize),
        /// A processor begins to run a thread.
        Compute(usize),
        /// A message of a key arrives.
        Join(u32),
        /// A processor takes the next event.
        Take(usize),
        /// The oldest of the events that were taken is done.
        Complete,
    }

    fn changes() -> impl Strategy<Value = Vec<Change>> {
        let change = prop_oneof![
            2 => (0..3_u64).prop_map(Change::Pass),
            4 => (0..PROCESSORS).prop_map(Change::Idle),
            2 => (0..PROCESSORS).prop_map(Change::Compute),
            3 => (0..3_u32).prop_map(Change::Join),
            3 => (0..PROCESSORS).prop_map(Change::Take),
            2 => Just(Change::Complete),
        ];
        prop::collection::vec(change, 0..80)
    }

    /// A node whose dispatch keeps the list, and whose processors say themselves whether they idle.
    struct Bench {
        now: Time,
        cores: Vec<Core>,
        dispatch: Dispatcher,
        taken: Vec<Job>,
    }

    impl Bench {
        /// A node of which the processors from `computing` on are dedicated.
        fn new(computing: usize, dedicated_only: bool, notice: Notice) -> Self {
            let serving = match dedicated_only {
                true => Serving::Dedicated { computing },
                false => Serving::Floating(Turns::new(Order::IdleFirst, PROCESSORS)),
            };
            let injection: Injection = Injection::Sender;
            let way = Dispatch::Register(Register);
            let core = |number| Core::new(0, number as u16, number >= computing, 0);
            Self {
                now: ns(0),
                cores: (0..PROCESSORS).map(core).collect(),
                dispatch: Dispatcher::of_parts(
                    way,
                    parallel_events(),
                    (serving, injection),
                    PROCESSORS,
                    notice,
                ),
                taken: Vec::new(),
            }
        }

        fn work(&mut self, number: usize, activity: Activity) {
            self.dispatch.idle.end(number as u16);
            self.cores[number].begin(activity);
        }

        fn change(&mut self, change: &Change) {
            match *change {
                Change::Pass(time) => self.now += ns(time),
                Change::Idle(number) => {
                    self.dispatch.idle.end(number as u16);
                    self.dispatch.idle.begin(number as u16, self.now);
                    self.cores[number].begin_idling(self.now);
                }
                Change::Compute(number) => self.work(number, Activity::Thread(0)),
                Change::Join(key) => self.dispatch.join(message(0, key, Class::User)),
                Change::Take(number) => {
                    let dedicated = self.cores[number].is_dedicated();
                    if let Some(found) = self.dispatch.next_event(self.now, number, dedicated) {
                        self.taken.push(found.job);
                        self.work(number, Activity::Handler);
                    }
                }
                Change::Complete if !self.taken.is_empty() => {
                    let done = self.taken.remove(0);
                    self.dispatch.events.complete(self.now, done.held);
                }
                Change::Complete => {}
            }
        }

        fn view(&self) -> View<'_> {
            View { now: self.now, cores: &self.cores, running: None, room: true }
        }

        /// The idle processor that takes new work, by a walk over all processors.
        fn by_walk(&self) -> Option<usize> {
            let Self { cores, dispatch, .. } = self;
            let idle = |number: usize| Some((cores[number].idle_since()?, number));
            (0..cores.len())
                .filter_map(idle)
                .filter(|&(_, number)| {
                    dispatch.has_event(number, cores) || dispatch.may_inject(number, self.view())
                })
                .max_by_key(|&(since, number)| (cores[number].is_dedicated(), since, Reverse(number)))
                .map(|(_, number)| number)
        }

        fn idle_longest_by_walk(&self) -> Option<usize> {
            let idle = |number: usize| Some((self.cores[number].idle_since()?, number));
            (0..PROCESSORS).filter_map(idle).min().map(|(_, number)| number)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_list_names_the_processor_that_a_walk_over_all_of_them_finds(
            computing in 0..=PROCESSORS,
            dedicated_only in any::<bool>(),
            changes in changes(),
        ) {
            let mut bench = Bench::new(computing, dedicated_only, Notice::Poll);
            for change in &changes {
                bench.change(change);
                let walked = bench.by_walk();
                let rests = bench.dispatch.rests();
                prop_assert!(!rests || walked.is_none(), "a node that rests has nobody who could start");
                let may_find = bench.dispatch.may_find_work();
                prop_assert!(may_find || walked.is_none(), "nobody could start where nothing waits");
                prop_assert_eq!(
                    bench.dispatch.idle.iter().next().map(|(_, number)| number),
                    bench.idle_longest_by_walk()
                );
                let Bench { now, cores, dispatch, .. } = &mut bench;
                let view = View { now: *now, cores, running: None, room: true };
                let start = walked.map(|number| Start::Serve { number, delay: ns(0) });
                prop_assert_eq!(dispatch.next_start(view), start);
            }
        }

        #[test]
        fn a_node_that_rests_interrupts_nobody(changes in changes()) {
            let mut bench = Bench::new(PROCESSORS, false, Notice::Interrupt);
            for change in &changes {
                bench.change(change);
                let rests = bench.dispatch.rests();
                let Bench { now, cores, dispatch, .. } = &mut bench;
                let view = View { now: *now, cores, running: None, room: true };
                prop_assert!(!rests || dispatch.next_start(view).is_none());
            }
        }
    }
}
