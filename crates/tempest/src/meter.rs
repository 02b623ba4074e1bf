//! Measurements of a run: counts, processor time in four parts, volume in four parts, utilization.
//!
//! Every world fills in all of them, each with its own clock. This module must never know how a world
//! measures.

use std::ops::{AddAssign, Sub};

use units::Time;

use crate::Volume;

/// The time of all computing processors together, split by what they spent it on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Breakdown {
    /// The program's own work.
    pub compute: Time,
    /// Waiting for memory, including blocks of shared memory, or for room in the network interface.
    pub memory: Time,
    /// Sending, receiving, dispatching and running handlers.
    pub overhead: Time,
    /// Waiting for another thread or a message, with nothing else to do.
    pub synchronization: Time,
}

/// Bytes that entered the network, by purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VolumeBytes {
    /// Values that the program moved, including blocks of shared memory.
    pub data: u64,
    /// Headers of the messages that moved them.
    pub headers: u64,
    /// Requests, including their headers.
    pub requests: u64,
    /// Invalidations and their acknowledgements, including their headers.
    pub invalidations: u64,
}

impl VolumeBytes {
    /// Counts a message of `bytes` and its `header`, in bytes, as volume of the given purpose.
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

    /// The sum of all four parts.
    pub fn total(&self) -> u64 {
        self.data + self.headers + self.requests + self.invalidations
    }
}

/// Counts of one processor, one phase or a whole run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Messages sent, including those to the sender's own node.
    pub messages: u64,
    /// Block transfers among those messages.
    pub transfers: u64,
    /// Deposits sent. A deposit is no message: no handler runs.
    pub deposits: u64,
    /// Handlers run.
    pub handlers: u64,
    /// Interrupts taken to notice a message.
    pub interrupts: u64,
    /// Number of times that a thread blocked.
    pub blocks: u64,
    /// Sends that found no room at first. Each is counted once, however often it tried again.
    pub refused: u64,
    /// Bytes sent.
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
        self.volume += other.volume;
    }
}

impl AddAssign for Breakdown {
    fn add_assign(&mut self, other: Self) {
        self.compute += other.compute;
        self.memory += other.memory;
        self.overhead += other.overhead;
        self.synchronization += other.synchronization;
    }
}

impl Sub for Counters {
    type Output = Self;
    /// The counts since `earlier`.
    fn sub(self, earlier: Self) -> Self {
        Self {
            messages: self.messages - earlier.messages,
            transfers: self.transfers - earlier.transfers,
            deposits: self.deposits - earlier.deposits,
            handlers: self.handlers - earlier.handlers,
            interrupts: self.interrupts - earlier.interrupts,
            blocks: self.blocks - earlier.blocks,
            refused: self.refused - earlier.refused,
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
    /// The time spent since `earlier`.
    fn sub(self, earlier: Self) -> Self {
        Self {
            compute: self.compute - earlier.compute,
            memory: self.memory - earlier.memory,
            overhead: self.overhead - earlier.overhead,
            synchronization: self.synchronization - earlier.synchronization,
        }
    }
}

/// The shares of time, from 0 to 1, for which processors were busy.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Utilization {
    /// The share of the computing processors' time that was not spent waiting.
    pub compute: f64,
    /// The share of the dedicated protocol processors' time that was spent on events; `None` if there are no
    /// such processors.
    pub protocol: Option<f64>,
}

/// Measurements of the dispatch queues, over all nodes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Dispatching {
    /// Events that waited because their key was held.
    pub waited_on_key: u64,
    /// Mean time from an event's arrival to the start of its handler; `None` where it is not measured.
    pub mean_wait: Option<Time>,
    /// The share of the time, 0 to 1, in which an event waited or its key was held, as a mean over the nodes;
    /// `None` where it is not measured.
    pub busy: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

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
