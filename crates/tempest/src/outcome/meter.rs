//! Measurements of a run: counts, processor time by use, volume by purpose.
//!
//! Every world fills in all of them, with times of its own clock; a count that a world cannot make is `None`. This
//! module must never know how a world measures.

use std::ops::{Add, AddAssign, Sub};

use units::{Time, TotalTime};

use crate::Volume;
use crate::outcome::Resource;

/// The time of all computing processors together, split by use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Breakdown {
    /// Time of the program's own work.
    pub compute: TotalTime,
    /// Time of waiting for memory, including blocks of shared memory, or for room in the network interface.
    pub memory: TotalTime,
    /// Time of sending, receiving, dispatching and running handlers.
    pub overhead: TotalTime,
    /// Time of waiting for another thread or a message, with no other work to do.
    pub synchronization: TotalTime,
    /// Time of processors with neither work nor anything to wait for: no thread of the processor is left, or it never
    /// had one.
    pub idle: TotalTime,
    /// Time that the operating system took away: the processor was ready to run, and another task of the host had its
    /// core. No other part of the breakdown includes this time. `None` where the host does not report it, and in a
    /// simulation, where nothing takes processors away.
    pub taken: Option<TotalTime>,
}

impl Breakdown {
    /// The sum of all six parts: the length of the run or phase times the number of computing processors.
    pub fn total(&self) -> TotalTime {
        let taken = self.taken.unwrap_or(TotalTime::ZERO);
        self.compute + self.memory + self.overhead + self.synchronization + self.idle + taken
    }
}

/// Adds two times. An unknown time counts as zero beside a known one.
fn together(one: Option<TotalTime>, other: Option<TotalTime>) -> Option<TotalTime> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    }
}

/// The time from `earlier` to `now`; zero if `now` is less. `None` if `now` is unknown; an unknown `earlier` counts as
/// zero.
fn since(now: Option<TotalTime>, earlier: Option<TotalTime>) -> Option<TotalTime> {
    now.map(|now| now.saturating_sub(earlier.unwrap_or(TotalTime::ZERO)))
}

/// The time of all protocol processors (processors that run handlers and no threads) of one kind together, split by
/// use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProtocolTime {
    /// The kind of these processors, any but [`Resource::ComputingProcessor`].
    pub processors: Resource,
    /// Time of running handlers. Natively it is an estimate from samples, which includes receiving and dispatching.
    pub handlers: TotalTime,
    /// Time of receiving, dispatching, and injecting the messages of other processors. Natively it is all time that no
    /// other part has.
    pub overhead: TotalTime,
    /// Time of waiting for memory or for room in the network interface.
    pub memory: TotalTime,
    /// Time of looking for events and finding none.
    pub idle: TotalTime,
    /// Time that the operating system took away; see [`Breakdown::taken`].
    pub taken: Option<TotalTime>,
}

impl ProtocolTime {
    /// The sum of all five parts: the length of the run or phase times the number of these processors.
    pub fn total(&self) -> TotalTime {
        self.handlers + self.overhead + self.memory + self.idle + self.taken.unwrap_or(TotalTime::ZERO)
    }

    /// The time since `earlier`, an earlier measurement of the same kind of processors. The parts of the result add up
    /// to the difference of the two totals, even if a world counted some time before it passed.
    pub fn since(&self, earlier: &Self) -> Self {
        let mut left = self.total().saturating_sub(earlier.total());
        let mut take = |now: TotalTime, then: TotalTime| {
            let part = now.saturating_sub(then).min(left);
            left -= part;
            part
        };
        let taken = self.taken.map(|taken| take(taken, earlier.taken.unwrap_or(TotalTime::ZERO)));
        let idle = take(self.idle, earlier.idle);
        let memory = take(self.memory, earlier.memory);
        let handlers = take(self.handlers, earlier.handlers);
        Self { processors: self.processors, handlers, overhead: left, memory, idle, taken }
    }
}

/// Bytes that entered the network, by purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VolumeBytes {
    /// Bytes of the values that the program moved, including blocks of shared memory.
    pub data: u64,
    /// Bytes of the headers of messages that moved data.
    pub headers: u64,
    /// Bytes of requests, including their headers.
    pub requests: u64,
    /// Bytes of invalidations and their acknowledgements, including their headers.
    pub invalidations: u64,
}

impl VolumeBytes {
    /// Counts a message with the purpose `volume`: `bytes` bytes, and another `header` bytes of header.
    pub fn count(&mut self, volume: Volume, bytes: u64, header: u64) {
        match volume {
            Volume::Data => {
                self.data += bytes;
                self.headers += header;
            }
            Volume::Request => self.requests += bytes + header,
            Volume::Invalidation => self.invalidations += bytes + header,
        }
    }

    /// The sum of all four parts, in bytes.
    pub fn total(&self) -> u64 {
        self.data + self.headers + self.requests + self.invalidations
    }
}

/// Counts of messages, handlers and the like for one processor, one timed region or a whole run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Number of messages sent, including messages to the sender's own node.
    pub messages: u64,
    /// Number of messages sent that were bulk transfers.
    pub transfers: u64,
    /// Number of deposits sent. A deposit is no message: no handler runs.
    pub deposits: u64,
    /// Number of handlers run.
    pub handlers: u64,
    /// Number of interrupts that processors took to notice a message.
    pub interrupts: u64,
    /// Number of times that a thread blocked.
    pub blocks: u64,
    /// Number of sends that found no room at first. A repeated send counts once.
    pub refused: u64,
    /// Number of polls of threads that found no event; `None` in a world that does not count such polls.
    pub empty_polls: Option<u64>,
    /// Number of bytes sent, by purpose.
    pub volume: VolumeBytes,
}

impl AddAssign for VolumeBytes {
    fn add_assign(&mut self, other: Self) {
        self.data += other.data;
        self.headers += other.headers;
        self.requests += other.requests;
        self.invalidations += other.invalidations;
    }
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.messages += other.messages;
        self.transfers += other.transfers;
        self.deposits += other.deposits;
        self.handlers += other.handlers;
        self.interrupts += other.interrupts;
        self.blocks += other.blocks;
        self.refused += other.refused;
        self.empty_polls = match (self.empty_polls, other.empty_polls) {
            (Some(here), Some(there)) => Some(here + there),
            (here, there) => here.or(there),
        };
        self.volume += other.volume;
    }
}

impl AddAssign for Breakdown {
    fn add_assign(&mut self, other: Self) {
        self.compute += other.compute;
        self.memory += other.memory;
        self.overhead += other.overhead;
        self.synchronization += other.synchronization;
        self.idle += other.idle;
        self.taken = together(self.taken, other.taken);
    }
}

impl Add for ProtocolTime {
    type Output = Self;
    /// Adds the times of two groups of protocol processors of one kind.
    fn add(self, other: Self) -> Self {
        Self {
            processors: self.processors,
            handlers: self.handlers + other.handlers,
            overhead: self.overhead + other.overhead,
            memory: self.memory + other.memory,
            idle: self.idle + other.idle,
            taken: together(self.taken, other.taken),
        }
    }
}

impl Sub for Counters {
    type Output = Self;
    /// Returns the counts since `earlier`, earlier counts of the same run.
    fn sub(self, earlier: Self) -> Self {
        Self {
            messages: self.messages - earlier.messages,
            transfers: self.transfers - earlier.transfers,
            deposits: self.deposits - earlier.deposits,
            handlers: self.handlers - earlier.handlers,
            interrupts: self.interrupts - earlier.interrupts,
            blocks: self.blocks - earlier.blocks,
            refused: self.refused - earlier.refused,
            empty_polls: self.empty_polls.map(|polls| polls - earlier.empty_polls.unwrap_or(0)),
            volume: VolumeBytes {
                data: self.volume.data - earlier.volume.data,
                headers: self.volume.headers - earlier.volume.headers,
                requests: self.volume.requests - earlier.volume.requests,
                invalidations: self.volume.invalidations - earlier.volume.invalidations,
            },
        }
    }
}

impl Sub for Breakdown {
    type Output = Self;
    /// Returns the time spent since `earlier`, an earlier breakdown of the same run.
    fn sub(self, earlier: Self) -> Self {
        Self {
            compute: self.compute - earlier.compute,
            memory: self.memory - earlier.memory,
            overhead: self.overhead - earlier.overhead,
            synchronization: self.synchronization - earlier.synchronization,
            idle: self.idle - earlier.idle,
            taken: since(self.taken, earlier.taken),
        }
    }
}

/// Measurements of the dispatch queues, over all nodes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Dispatching {
    /// Number of events that waited because their key was held.
    pub waited_on_key: u64,
    /// Number of events that came while the dispatch queue was full, and that the queue spilled to memory.
    pub spilled: u64,
    /// Mean time from an event's arrival to the start of its handler; `None` where the world does not measure it.
    pub mean_wait: Option<Time>,
    /// The share of the time, 0 to 1, in which an event waited or a key was held: the mean over the nodes. `None` where
    /// the world does not measure it.
    pub busy: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polls_that_nobody_counted_stay_unknown() {
        let unknown = Counters::default();
        let counted = Counters { empty_polls: Some(3), ..unknown };
        let mut sum = unknown;
        sum += unknown;
        assert_eq!(sum.empty_polls, None);
        sum += counted;
        sum += counted;
        assert_eq!((sum.empty_polls, (sum - counted).empty_polls), (Some(6), Some(3)));
    }

    #[test]
    fn the_parts_of_a_phase_add_up_to_its_length() {
        let us = |us| TotalTime::from(Time::from_microseconds(us));
        let processors = Resource::DedicatedProcessor;
        let [handlers, overhead, memory, idle] = [10, 5, 1, 4].map(us);
        let taken = Some(us(3));
        let earlier = ProtocolTime { processors, handlers, overhead, memory, idle, taken };
        // Two of overhead were booked before the handler that they turned out to be part of.
        let [handlers, overhead, memory, idle] = [17, 3, 2, 8].map(us);
        let taken = Some(us(5));
        let later = ProtocolTime { processors, handlers, overhead, memory, idle, taken };
        let [handlers, overhead, memory, idle] = [5, 0, 1, 4].map(us);
        let taken = Some(us(2));
        assert_eq!(
            later.since(&earlier),
            ProtocolTime { processors, handlers, overhead, memory, idle, taken }
        );
    }

    #[test]
    fn only_data_has_its_headers_counted_apart() {
        let mut volume = VolumeBytes::default();
        volume.count(Volume::Data, 64, 16);
        volume.count(Volume::Request, 8, 16);
        volume.count(Volume::Invalidation, 0, 16);
        volume.count(Volume::Invalidation, 4, 16);
        let counted = VolumeBytes { data: 64, headers: 16, requests: 24, invalidations: 36 };
        assert_eq!((volume, volume.total()), (counted, 140));
    }
}
