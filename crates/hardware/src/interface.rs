//! The network interface of a node: one port out, one port in, and the queue before the port out.
//!
//! A message passes a port in the time of its bytes, headers included, at the port's bandwidth. The port is occupied for that
//! passage or for the interface's gap, whichever is longer. A message has arrived when its last byte has. If the port in is
//! free, that is one passage after its first byte came. This time is paid once, whatever the distance.
//!
//! This module must never know what a message is for, nor how the network takes it from port to port.

use std::collections::VecDeque;
use std::sync::Arc;

use des::Server;
use units::{Bytes, Time};

/// The part of a node that moves the data of a message between memory and the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mover {
    /// Processors write the data into the port out, and read it from the port in.
    Processors,
    /// The interface's engine moves the data from memory and to memory.
    Engine,
    /// A processor writes the data into the port out. The interface puts it into memory.
    Deposit {
        /// The lines of memory that the data covers.
        lines: u64,
    },
    /// Staging buffers at both ends. The buffer at the destination takes lines one by one, as their bytes come.
    Staging,
}

/// The network interface of one node.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The costs, which all interfaces of a machine share.
    costs: Arc<machine::Interface>,
    /// The engine's time for each chunk, besides that of its bytes.
    per_chunk: Time,
    out: Server,
    into: Server,
    /// Two kinds of message, and the passage of each, the one computed last first. Most messages of a program are requests of one
    /// size and replies of another, and the division would cost more than everything else here.
    passages: [(u64, Mover, Time); 2],
    /// The times at which waiting messages will start through the port out, in order.
    waiting: VecDeque<Time>,
}

impl Interface {
    /// An idle interface. Where a network processor is the engine, `polls` is the time that it spends elsewhere between two
    /// chunks.
    pub fn new(costs: Arc<machine::Interface>, polls: Time) -> Self {
        let shared = if costs.engine_shares_processor { polls } else { Time::ZERO };
        Self {
            per_chunk: costs.chunk_cost + shared,
            costs,
            out: Server::default(),
            into: Server::default(),
            passages: [(u64::MAX, Mover::Processors, Time::ZERO); 2],
            waiting: VecDeque::new(),
        }
    }

    /// The bytes that travel besides `data` bytes: a header for each packet, and the padding of the last packet. An empty
    /// message is one packet.
    pub fn headers(&self, data: u64) -> u64 {
        let packet = self.costs.packet.get();
        // Most messages are one packet, and need no division.
        let packets = if data <= packet { 1 } else { data.div_ceil(packet) };
        let last = data - (packets - 1) * packet;
        packets * self.costs.header.get() + self.costs.fill.get().saturating_sub(last)
    }

    /// Whether the send queue has a place at `at`, if no message is handed over before.
    pub fn has_room(&self, at: Time) -> bool {
        self.room_at(at) <= at
    }

    /// The time at which the send queue has a place, if no message is handed over before. It is `now` if there is a place
    /// already.
    pub fn room_at(&self, now: Time) -> Time {
        // So many waiting messages must leave before the queue has a free place.
        match (self.waiting.len() + 1).saturating_sub(self.costs.send_queue) {
            0 => now,
            excess => self.waiting[excess - 1].max(now),
        }
    }

    /// Takes a message of `data` bytes into the send queue. Returns the time at which its first byte leaves.
    pub fn inject(&mut self, now: Time, data: u64, mover: Mover) -> Time {
        self.drain(now);
        let occupied = self.occupation(data, mover);
        let start = self.out.acquire(now, occupied);
        if start > now {
            self.waiting.push_back(start);
        }
        start
    }

    /// The time from a message's first byte at a free port in until it has come. It has come with its last byte. A packet
    /// between staging buffers has come with its first.
    pub fn behind(&mut self, data: u64, mover: Mover) -> Time {
        if mover == Mover::Staging { Time::ZERO } else { self.passage(data, mover) }
    }

    /// Receives a message of `data` bytes whose first byte came to the port in at `first`. Messages pass in the order of the
    /// calls. Returns the time at which the node has the message: its last byte has passed, a deposit is in memory, and the
    /// interface shows it. A packet between staging buffers is there with its first byte.
    pub fn eject(&mut self, first: Time, data: u64, mover: Mover) -> Time {
        let deposit = match mover {
            Mover::Deposit { lines } => {
                self.costs.deposit.expect("a machine that deposits says how long that takes") * lines
            }
            _ => Time::ZERO,
        };
        let visible = if mover == Mover::Staging { Time::ZERO } else { self.costs.visible };
        let passage = self.passage(data, mover);
        let behind = if mover == Mover::Staging { Time::ZERO } else { passage };
        let through = behind + deposit + visible;
        let occupied = (passage + deposit).max(self.costs.gap);
        self.into.acquire(first, occupied) + through
    }

    /// The time for which a message of `data` bytes occupies the port out.
    fn occupation(&mut self, data: u64, mover: Mover) -> Time {
        self.passage(data, mover).max(self.costs.gap)
    }

    /// The time that `data` bytes and their headers take through a port.
    #[inline]
    pub fn passage(&mut self, data: u64, mover: Mover) -> Time {
        match self.passages.iter().find(|known| (known.0, known.1) == (data, mover)) {
            Some(known) => known.2,
            None => self.compute_passage(data, mover),
        }
    }

    fn compute_passage(&mut self, data: u64, mover: Mover) -> Time {
        let bytes = Bytes::new(data + self.headers(data));
        let port = self.costs.bandwidth.transfer_time(bytes);
        let engine = match mover {
            Mover::Engine => {
                let engine = self.costs.engine.expect("a machine that transfers has an engine");
                let chunks = self.costs.chunk.map_or(1, |chunk| data.div_ceil(chunk.get()));
                engine.transfer_time(Bytes::new(data)) + self.per_chunk * chunks
            }
            _ => Time::ZERO,
        };
        let passage = port.max(engine);
        self.passages = [(data, mover, passage), self.passages[0]];
        passage
    }

    /// The time for which the port out and the port in have been busy up to `now`.
    pub fn busy_at(&self, now: Time) -> (Time, Time) {
        (self.out.busy_at(now), self.into.busy_at(now))
    }

    fn drain(&mut self, now: Time) {
        while self.waiting.front().is_some_and(|start| *start <= now) {
            self.waiting.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(n: u64) -> Time {
        Time::from_nanoseconds(n)
    }

    /// 1 B/ns, headers of 16 B, packets of 64 B, room for two.
    fn interface() -> Interface {
        Interface::new(costs().into(), Time::ZERO)
    }

    fn costs() -> machine::Interface {
        machine::Interface {
            endpoints: machine::Endpoints::Node,
            bandwidth: units::Bandwidth::new(1_000_000_000).unwrap(),
            header: Bytes::new(16),
            packet: Bytes::new(64),
            send_queue: 2,
            receive_queue: None,
            overflow: None,
            lock_migration: None,
            engine: units::Bandwidth::new(500_000_000),
            chunk: None,
            chunk_cost: Time::ZERO,
            engine_shares_processor: false,
            deposit: Some(ns(7)),
            loopback: Time::ZERO,
            visible: Time::ZERO,
            gap: Time::ZERO,
            fill: Bytes::new(0),
        }
    }

    #[test]
    fn a_message_leaves_an_idle_port_at_once_and_occupies_it_for_its_bytes() {
        let mut ni = interface();
        assert_eq!(ni.inject(ns(100), 24, Mover::Processors), ns(100));
        // 24 data + 16 header = 40 ns of port time.
        assert_eq!(ni.inject(ns(100), 24, Mover::Processors), ns(140));
        assert_eq!(ni.inject(ns(500), 24, Mover::Processors), ns(500));
    }

    #[test]
    fn a_message_longer_than_a_packet_pays_a_header_for_each() {
        let mut ni = interface();
        assert_eq!((ni.headers(0), ni.headers(64), ni.headers(65)), (16, 16, 32));
        ni.inject(ns(0), 100, Mover::Processors);
        // 100 data + 2 headers of 16 = 132.
        assert_eq!(ni.inject(ns(0), 1, Mover::Processors), ns(132));
    }

    #[test]
    fn a_short_packet_is_filled_up() {
        let ni = Interface::new(machine::Interface { fill: Bytes::new(40), ..costs() }.into(), Time::ZERO);
        // A header of 16 bytes for each packet of 64; the last one carries at least 40.
        assert_eq!([0, 10, 40, 64, 65, 120].map(|data| ni.headers(data)), [56, 46, 16, 16, 71, 32]);
    }

    #[test]
    fn the_send_queue_is_full_until_the_port_takes_the_next_message() {
        let mut ni = interface();
        // One in the port until 40, two waiting to start at 40 and 80.
        for _ in 0..3 {
            ni.inject(ns(0), 24, Mover::Processors);
        }
        assert!(!ni.has_room(ns(39)));
        assert_eq!(ni.room_at(ns(0)), ns(40));
        assert!(ni.has_room(ns(40)));
    }

    #[test]
    fn each_port_has_been_busy_for_the_bytes_that_have_passed_it() {
        let mut ni = interface();
        ni.inject(ns(0), 24, Mover::Processors);
        ni.inject(ns(0), 24, Mover::Processors);
        ni.eject(ns(50), 16, Mover::Processors);
        // Of 80 ns through the port out 60 have passed, of 32 ns through the port in 10.
        assert_eq!(ni.busy_at(ns(60)), (ns(60), ns(10)));
        assert_eq!(ni.busy_at(ns(500)), (ns(80), ns(32)));
    }

    #[test]
    fn a_message_has_arrived_when_its_last_byte_has() {
        let mut ni = interface();
        // 16 data + 16 header = 32 ns behind the first byte.
        assert_eq!(ni.eject(ns(10), 16, Mover::Processors), ns(42));
        // The first byte of the next one waits until then.
        assert_eq!(ni.eject(ns(20), 16, Mover::Processors), ns(74));
        assert_eq!(ni.eject(ns(200), 48, Mover::Processors), ns(264));
    }

    #[test]
    fn an_interface_shows_a_message_some_time_after_its_last_byte_and_takes_the_next_meanwhile() {
        let costs = machine::Interface { visible: ns(100), ..costs() };
        let mut ni = Interface::new(costs.into(), Time::ZERO);
        // 32 bytes each, header included, at a byte a nanosecond.
        assert_eq!(ni.eject(ns(10), 16, Mover::Processors), ns(142));
        assert_eq!(ni.eject(ns(20), 16, Mover::Processors), ns(174));
        assert_eq!(ni.eject(ns(200), 16, Mover::Staging), ns(200));
    }

    #[test]
    fn a_staging_buffer_sees_the_first_byte_of_a_packet() {
        let mut ni = interface();
        assert_eq!(ni.eject(ns(10), 16, Mover::Staging), ns(10));
        assert_eq!(ni.eject(ns(20), 16, Mover::Staging), ns(42));
    }

    #[test]
    fn a_gap_spaces_short_messages_at_both_ports_and_delays_none() {
        let mut ni = Interface::new(machine::Interface { gap: ns(50), ..costs() }.into(), Time::ZERO);
        // 24 data + 16 header take 40 ns, less than the gap; 84 and two headers take 116, which is more.
        let starts = [24, 24, 84, 24].map(|data| ni.inject(ns(0), data, Mover::Processors));
        assert_eq!(starts, [ns(0), ns(50), ns(100), ns(216)]);
        let arrivals = [24, 24, 84, 24].map(|data| ni.eject(ns(0), data, Mover::Processors));
        assert_eq!(arrivals, [ns(40), ns(90), ns(216), ns(256)]);
    }

    #[test]
    fn the_engine_is_as_slow_as_the_slower_of_itself_and_the_port() {
        let mut ni = interface();
        ni.inject(ns(0), 100, Mover::Engine);
        // 100 B at 0.5 B/ns take longer than 132 B at 1 B/ns.
        assert_eq!(ni.inject(ns(0), 1, Mover::Engine), ns(200));
    }

    #[test]
    fn the_engine_pays_for_each_chunk_and_for_what_its_processor_does_between_two() {
        let chunked = machine::Interface {
            chunk: Some(Bytes::new(40)),
            chunk_cost: ns(3),
            engine_shares_processor: true,
            ..costs()
        };
        let mut ni = Interface::new(chunked.clone().into(), ns(10));
        ni.inject(ns(0), 100, Mover::Engine);
        // 200 ns for the bytes, and three chunks of 3 + 10 ns.
        assert_eq!(ni.inject(ns(0), 1, Mover::Engine), ns(239));
        let alone = machine::Interface { engine_shares_processor: false, ..chunked };
        let mut ni = Interface::new(alone.into(), ns(10));
        ni.inject(ns(0), 100, Mover::Engine);
        assert_eq!(ni.inject(ns(0), 1, Mover::Engine), ns(209));
    }

    #[test]
    fn what_the_interface_puts_in_memory_is_there_with_its_last_byte() {
        let mut ni = interface();
        assert_eq!(ni.eject(ns(0), 100, Mover::Engine), ns(200));
        // 8 data + 16 header, and 7 ns to place them.
        assert_eq!(ni.eject(ns(200), 8, Mover::Deposit { lines: 1 }), ns(231));
        assert_eq!(ni.eject(ns(200), 8, Mover::Deposit { lines: 2 }), ns(269));
    }
}
