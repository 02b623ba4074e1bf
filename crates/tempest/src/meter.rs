//! What is measured of a run: counts, the four-part time and four-part volume breakdown, utilization.
//!
//! Worlds fill these in, each with its own clock; both report all of it.

use std::ops::{AddAssign, Sub};

use units::Time;

use crate::Volume;

/// Where processor time went, summed over the computing processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Breakdown {
    /// The program's own work.
    pub compute: Time,
    /// Waiting for memory, blocks of shared memory among it, or for room in the network interface.
    pub memory: Time,
    /// Sending, receiving, dispatching and running handlers.
    pub overhead: Time,
    /// Waiting for another thread or for a message, with nothing else to do.
    pub synchronization: Time,
}

/// Bytes that entered the network, by purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VolumeBytes {
    /// Values the program moved, blocks of shared memory among them.
    pub data: u64,
    /// Headers of what moved them.
    pub headers: u64,
    /// Requests, headers included.
    pub requests: u64,
    /// Invalidations and their acknowledgements, headers included.
    pub invalidations: u64,
}

impl VolumeBytes {
    /// Counts a message of `bytes` and its `header`.
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

    /// All of them.
    pub fn total(&self) -> u64 {
        self.data + self.headers + self.requests + self.invalidations
    }
}

/// Counts of one processor, one phase or a whole run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Messages sent, those to the own node included.
    pub messages: u64,
    /// Of those, block transfers.
    pub transfers: u64,
    /// Deposits sent, which are no messages: no handler runs.
    pub deposits: u64,
    /// Handlers run.
    pub handlers: u64,
    /// Interrupts taken to notice a message.
    pub interrupts: u64,
    /// Times a thread blocked.
    pub blocks: u64,
    /// Sends that found no room at first, each counted once.
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
    /// What was counted since `earlier`.
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
    /// What was spent since `earlier`.
    fn sub(self, earlier: Self) -> Self {
        Self {
            compute: self.compute - earlier.compute,
            memory: self.memory - earlier.memory,
            overhead: self.overhead - earlier.overhead,
            synchronization: self.synchronization - earlier.synchronization,
        }
    }
}

/// How busy processors were, each between 0 and 1.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Utilization {
    /// Share of the computing processors' time not spent waiting.
    pub compute: f64,
    /// Share of the dedicated protocol processors' time spent on events; `None` where there are none.
    pub protocol: Option<f64>,
}

/// What the dispatch queues saw, summed over nodes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Dispatching {
    /// Events that waited because their key was held.
    pub waited_on_key: u64,
    /// Mean time from arrival to the start of the handler; `None` where that is not measured.
    pub mean_wait: Option<Time>,
    /// Share of the time, 0 to 1, in which an event waited or its key was held, mean over the nodes; `None` where that is
    /// not measured.
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
