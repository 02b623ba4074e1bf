//! Counters that can explain a part of the time, and the rule for them. This module must never know the winner.
//!
//! A counter explains a part of a loser's time only if it belongs to the part and is clearly worse than the winner's:
//!
//! - memory and NI wait: sends that found no room ([`Counter::Refused`]); bytes sent ([`Counter::Bytes`]); where the loser's
//!   threads wait for blocks of shared memory, which handlers bring, also the counters of synchronization;
//! - message overhead: interrupts ([`Counter::Interrupts`]); polls that found nothing ([`Counter::EmptyPolls`]); messages and
//!   deposits sent ([`Counter::Sent`]); handlers that the winner leaves to other processors ([`Counter::OwnHandlers`]);
//! - synchronization: busy protocol processors ([`Counter::Protocol`]); a busy dispatch queue ([`Counter::Queue`]);
//!   events waiting for a busy key ([`Counter::Keys`]); number of waits of threads ([`Counter::Waits`]); events waiting
//!   for dispatch ([`Counter::Wait`]).
//!
//! Idle time has no counter: the threads of a processor had less to do than those of others. Neither has compute.
//!
//! A share is clearly worse from [`BUSY`] on and [`CLEARLY`] above the winner's. A count is, if it is [`MORE`] times
//! the winner's (waits of threads: [`LONGER`] times) and, for counts of messages, [`NOTABLE`] of them; empty polls must
//! be more than the handlers that ran. A wait is, if it is [`LONGER`] times as long and all events together waited for
//! [`WEIGHTY`] of the run.

use tempest::Mechanism;
use tempest::outcome::{Counters, Utilization};
use units::Time;

use crate::parts::{Part, region};
use crate::ranking::Row;

/// The share from which a queue or a processor is busy.
const BUSY: f64 = 0.7;
/// Least difference between two shares at which one is clearly worse.
const CLEARLY: f64 = 0.1;
/// Least ratio of two counts at which one is clearly worse.
const MORE: f64 = 1.2;
/// The least share of messages worth naming.
const NOTABLE: f64 = 0.01;
/// Least ratio of two mean waits at which one is clearly worse.
const LONGER: f64 = 2.0;
/// The least share of the loser's time that all waits together must come to.
const WEIGHTY: f64 = 0.1;

/// A counter that can explain a part of the time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counter {
    /// The share of sends that found no room at first.
    Refused,
    /// Bytes sent.
    Bytes,
    /// Interrupts taken.
    Interrupts,
    /// Polls of threads that found no event.
    EmptyPolls,
    /// Messages and deposits sent.
    Sent,
    /// Handlers that the computing processors ran; the winner has other processors for them.
    OwnHandlers,
    /// The share of the protocol processors' time spent on events.
    Protocol,
    /// The share of the time in which the dispatch queue was in use.
    Queue,
    /// The share of events that waited for a busy key.
    Keys,
    /// Mean nanoseconds from an event's arrival to its handler.
    Wait,
    /// Number of waits of threads.
    Waits,
}

/// A counter that explains a part, with both values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Evidence {
    /// The counter.
    pub counter: Counter,
    /// The winner's value; `None` where the winner has no such thing.
    pub winner: Option<f64>,
    /// The loser's value.
    pub loser: f64,
}

/// The first counter, in the order of the module's table, that explains why the loser spent more time on a part.
pub fn evidence(part: Part, winner: &Row, loser: &Row) -> Option<Evidence> {
    const OF_MEMORY: &[Counter] = &[Counter::Refused, Counter::Bytes];
    const OF_OVERHEAD: &[Counter] =
        &[Counter::Interrupts, Counter::EmptyPolls, Counter::Sent, Counter::OwnHandlers];
    const OF_WAITS: &[Counter] =
        &[Counter::Protocol, Counter::Queue, Counter::Keys, Counter::Waits, Counter::Wait];
    let (own, of_waits): (&[Counter], &[Counter]) = match part {
        Part::Compute | Part::Idle | Part::Taken => (&[], &[]),
        // Handlers of messages bring the blocks of shared memory.
        Part::Memory if loser.mechanism == Mechanism::SharedMemory => (OF_MEMORY, OF_WAITS),
        Part::Memory => (OF_MEMORY, &[]),
        Part::Overhead => (OF_OVERHEAD, &[]),
        Part::Synchronization => (&[], OF_WAITS),
    };
    own.iter().chain(of_waits).find_map(|counter| counter.explains(winner, loser))
}

impl Counter {
    /// The name of the counter in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused_share",
            Self::Bytes => "volume_bytes",
            Self::Interrupts => "interrupts",
            Self::EmptyPolls => "empty_polls",
            Self::Sent => "sent",
            Self::OwnHandlers => "own_handlers",
            Self::Protocol => "protocol_busy",
            Self::Queue => "dispatching_busy",
            Self::Keys => "waited_on_key_share",
            Self::Wait => "mean_wait_ns",
            Self::Waits => "waits",
        }
    }

    /// The counter's value in a row, where the row has one.
    fn of(self, row: &Row) -> Option<f64> {
        let counted = region(&row.outcome).counters;
        let Counters {
            messages, deposits, handlers, interrupts, refused, blocks, volume, empty_polls, ..
        } = counted;
        let dispatching = row.outcome.dispatching;
        let protocol = Utilization::protocol(&row.outcome.utilization).map(|entry| entry.mean);
        let share = |of: u64, all: u64| (all > 0).then(|| of as f64 / all as f64);
        match self {
            Self::Refused => share(refused, messages + deposits),
            Self::Bytes => Some(volume.total() as f64),
            Self::Interrupts => Some(interrupts as f64),
            Self::EmptyPolls => empty_polls.map(|polls| polls as f64),
            Self::Sent => Some((messages + deposits) as f64),
            Self::OwnHandlers => protocol.is_none().then_some(handlers as f64),
            Self::Protocol => protocol,
            Self::Queue => dispatching.busy,
            Self::Keys => share(dispatching.waited_on_key, row.outcome.counters.handlers),
            Self::Wait => dispatching.mean_wait.map(Time::as_nanoseconds),
            Self::Waits => Some(blocks as f64),
        }
    }

    /// Both values, if the loser's is clearly worse.
    fn explains(self, winner: &Row, loser: &Row) -> Option<Evidence> {
        let (best, worst) = (self.of(winner), self.of(loser)?);
        let times = |factor: f64| best.is_some_and(|best| worst >= best * factor);
        let is_worse = match self {
            Self::Bytes | Self::Sent => times(MORE) && worst > 0.0,
            // Fewer than found something are no burden.
            Self::EmptyPolls => times(MORE) && worst > loser.outcome.counters.handlers as f64,
            Self::Waits => times(LONGER) && worst > 0.0,
            Self::Interrupts => times(MORE) && worst >= NOTABLE * Self::Sent.of(loser)? && worst > 0.0,
            Self::Refused | Self::Keys => worst >= NOTABLE && best.is_none_or(|best| worst >= best * MORE),
            Self::OwnHandlers => best.is_none() && worst > 0.0,
            Self::Protocol | Self::Queue => worst >= BUSY && best.is_none_or(|best| worst >= best + CLEARLY),
            Self::Wait => {
                let together = worst * 1e-9 * loser.outcome.counters.handlers as f64;
                times(LONGER) && worst > 0.0 && together >= loser.seconds() * WEIGHTY
            }
        };
        is_worse.then_some(Evidence { counter: self, winner: best, loser: worst })
    }
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::{Messages, SharedMemory};

    use super::*;
    use crate::samples::row;

    /// The counter that explains a part, with both values.
    fn evidence_of(part: Part, best: &Row, worst: &Row) -> Option<(Counter, Option<f64>, f64)> {
        evidence(part, best, worst).map(|evidence| (evidence.counter, evidence.winner, evidence.loser))
    }

    #[test]
    fn a_busy_dispatch_queue_explains_synchronization() {
        let busy = |row: Row, share| row.with(|outcome| outcome.dispatching.busy = Some(share));
        let fixed = busy(row(Messages, "fixed:1", [40, 0, 10, 50]), 0.4);
        let floating = busy(row(Messages, "floating", [40, 0, 12, 60]), 0.84);
        assert_eq!(
            evidence_of(Part::Synchronization, &fixed, &floating),
            Some((Counter::Queue, Some(0.4), 0.84))
        );
    }

    #[test]
    fn busy_protocol_processors_come_before_the_queue_they_serve() {
        let best = row(Messages, "single", [40, 0, 10, 0]);
        let busy = row(Messages, "fixed:1", [40, 0, 0, 60]).dedicated_busy(0.98);
        let busy = busy.with(|outcome| outcome.dispatching.busy = Some(0.99));
        assert_eq!(evidence_of(Part::Synchronization, &best, &busy), Some((Counter::Protocol, None, 0.98)));
    }

    #[test]
    fn what_holds_up_handlers_explains_waits_for_memory_only_where_they_bring_it() {
        let found = |mechanism| {
            let best = row(mechanism, "fixed:2", [40, 10, 10, 0]);
            let busy = row(mechanism, "fixed:1", [40, 70, 10, 0]);
            evidence_of(Part::Memory, &best, &busy.dedicated_busy(0.98))
        };
        assert_eq!(found(SharedMemory), Some((Counter::Protocol, None, 0.98)));
        assert_eq!(found(Messages), None);
    }

    #[test]
    fn what_is_no_worse_than_the_winners_explains_nothing() {
        let busy = |row: Row| row.with(|outcome| outcome.dispatching.busy = Some(0.9));
        let best = busy(row(Messages, "single", [40, 0, 10, 0]));
        let worst = busy(row(Messages, "floating", [40, 0, 10, 60]));
        assert_eq!(evidence_of(Part::Synchronization, &best, &worst), None);
    }

    #[test]
    fn each_part_is_explained_by_its_own_counters() {
        let best = row(Messages, "best", [40, 10, 10, 10]);
        let slower = |parts| row(Messages, "slow", parts);
        let found = |part, loser: Row| evidence_of(part, &best, &loser).map(|(counter, ..)| counter);

        assert_eq!(found(Part::Compute, slower([80, 10, 10, 10])), None);

        assert_eq!(found(Part::Memory, slower([40, 50, 10, 10])), None);
        let refused = slower([40, 50, 10, 10]).counting(|counters| counters.refused = 200);
        assert_eq!(found(Part::Memory, refused), Some(Counter::Refused));
        let large = slower([40, 50, 10, 10]).counting(|counters| counters.volume.data = 1 << 20);
        assert_eq!(found(Part::Memory, large), Some(Counter::Bytes));

        assert_eq!(found(Part::Overhead, slower([40, 10, 50, 10])), None);
        let interrupted = slower([40, 10, 50, 10]).counting(|counters| counters.interrupts = 300);
        assert_eq!(found(Part::Overhead, interrupted), Some(Counter::Interrupts));
        let few = slower([40, 10, 50, 10]).counting(|counters| counters.interrupts = 3);
        assert_eq!(
            found(Part::Overhead, few),
            None,
            "three interrupts in a thousand messages explain nothing"
        );
        let looking = |row: Row, polls| row.counting(|counters| counters.empty_polls = Some(polls));
        let best_of_two = looking(best.clone(), 2000);
        let found_of = |polls| {
            let loser = looking(slower([40, 10, 50, 10]), polls);
            evidence_of(Part::Overhead, &best_of_two, &loser).map(|(counter, ..)| counter)
        };
        assert_eq!((found_of(5000), found_of(2100)), (Some(Counter::EmptyPolls), None));
        let talkative = slower([40, 10, 50, 10]).counting(|counters| counters.messages = 1500);
        assert_eq!(found(Part::Overhead, talkative), Some(Counter::Sent));

        let keys = slower([40, 10, 10, 50]).with(|outcome| outcome.dispatching.waited_on_key = 400);
        assert_eq!(found(Part::Synchronization, keys), Some(Counter::Keys));
    }

    #[test]
    fn handlers_that_the_winner_leaves_to_others_explain_overhead() {
        let best = row(Messages, "fixed:1", [40, 0, 10, 10]);
        let best = best.dedicated_busy(0.5);
        let own = row(Messages, "single", [40, 0, 50, 0]);
        assert_eq!(evidence_of(Part::Overhead, &best, &own), Some((Counter::OwnHandlers, None, 1000.0)));
    }

    #[test]
    fn a_wait_must_be_long_and_weigh_something() {
        let wait = |row: Row, nanoseconds| {
            row.with(|outcome| outcome.dispatching.mean_wait = Some(Time::from_nanoseconds(nanoseconds)))
        };
        let best = wait(row(Messages, "single", [40, 0, 10, 0]), 10);
        let slow = |nanoseconds| wait(row(Messages, "floating", [40, 0, 10, 60]), nanoseconds);
        let found =
            |worst: &Row| evidence_of(Part::Synchronization, &best, worst).map(|(counter, ..)| counter);
        assert_eq!(found(&slow(15)), None);
        assert_eq!(found(&slow(100)), Some(Counter::Wait));
        let idle = slow(100).with(|outcome| outcome.counters.handlers = 3);
        assert_eq!(found(&idle), None, "three events cannot hold up a run");
    }
}
