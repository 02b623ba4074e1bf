//! The passage of messages through the ports of a machine: the bytes that travel besides their data, and the time of all their bytes.
//!
//! All ports of a machine are alike, so a passage is computed once for a message.
//!
//! This module must never know when a message passes, nor which port.

use units::{Bytes, Time};

use crate::Mover;

/// The passage of a message through a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Passage {
    /// The bytes that travel besides the data.
    pub headers: u64,
    /// The time that all bytes take.
    pub time: Time,
}

/// The passages of messages through the ports of a machine.
#[derive(Clone, Debug)]
pub struct Passages {
    costs: machine::Interface,
    /// The links that messages pass between two ports, where they set a pace of their own.
    links: Option<machine::Routers>,
    /// The engine's time for each chunk, besides the time of its bytes.
    per_chunk: Time,
    /// The passage of each short message that processors move, by the bytes of its data. Their divisions would cost more than
    /// everything else at a port.
    short: Box<[Passage]>,
    /// Another message, and its passage: the one computed last. Most transfers of a program are of one size.
    last: (u64, Mover, Passage),
}

/// A message of less data is short: any message of a few words, and a block of shared memory.
const SHORT: u64 = 160;

impl Passages {
    /// The passages through interfaces of these costs. Where a network processor is the engine, `polls` is the time that it spends
    /// elsewhere between two chunks.
    pub fn new(costs: machine::Interface, polls: Time) -> Self {
        Self::over(None, costs, polls)
    }

    /// The passages of messages that pass `links` from port to port. The links' bandwidth is part of `costs`; the links take a pace
    /// of their own from buffers that [are shallow](machine::Routers::is_shallow).
    pub fn over(links: Option<&machine::Routers>, costs: machine::Interface, polls: Time) -> Self {
        let shared = if costs.engine_shares_processor { polls } else { Time::ZERO };
        let per_chunk = costs.chunk_cost + shared;
        let links = links.filter(|links| links.is_shallow()).cloned();
        let last = (u64::MAX, Mover::Staging, Passage::default());
        let mut passages = Self { costs, links, per_chunk, short: [].into(), last };
        passages.short = (0..SHORT).map(|data| passages.compute(data, Mover::Processors)).collect();
        passages
    }

    /// The passage of a message of `data` bytes.
    #[inline]
    pub fn of(&mut self, data: u64, mover: Mover) -> Passage {
        match self.short.get(data as usize) {
            Some(passage) if mover == Mover::Processors => *passage,
            _ => self.of_any(data, mover),
        }
    }

    fn of_any(&mut self, data: u64, mover: Mover) -> Passage {
        if (self.last.0, self.last.1) != (data, mover) {
            self.last = (data, mover, self.compute(data, mover));
        }
        self.last.2
    }

    fn compute(&self, data: u64, mover: Mover) -> Passage {
        let headers = self.headers(data);
        let bytes = Bytes::new(data + headers);
        let links = self.links.as_ref().map_or(Time::ZERO, |links| links.passage(bytes));
        let port = self.costs.bandwidth.transfer_time(bytes).max(links);
        let engine = match mover {
            Mover::Engine => {
                let engine = self.costs.engine.expect("a machine that transfers has an engine");
                let chunks = self.costs.chunk.map_or(1, |chunk| data.div_ceil(chunk.get()));
                engine.transfer_time(Bytes::new(data)) + self.per_chunk * chunks
            }
            _ => Time::ZERO,
        };
        Passage { headers, time: port.max(engine) }
    }

    /// The bytes that travel besides `data` bytes: a header for each packet, and the padding of the last packet. An empty message is
    /// one packet.
    fn headers(&self, data: u64) -> u64 {
        let packet = self.costs.packet.get();
        let packets = data.div_ceil(packet).max(1);
        let last = data - (packets - 1) * packet;
        packets * self.costs.header.get() + self.costs.fill.get().saturating_sub(last)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn ns(n: u64) -> Time {
        Time::from_nanoseconds(n)
    }

    /// 1 B/ns, headers of 16 B, packets of 64 B, room for two messages, an engine of 0.5 B/ns, 7 ns for a line of a deposit.
    pub(crate) fn costs() -> machine::Interface {
        machine::Interface {
            endpoints: machine::Endpoints::Node,
            bandwidth: units::Bandwidth::new(1_000_000_000).unwrap(),
            header: Bytes::new(16),
            packet: Bytes::new(64),
            send_queue: 2,
            receive_queue: None,
            write_buffer: None,
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

    fn headers(costs: machine::Interface, data: u64) -> u64 {
        Passages::new(costs, Time::ZERO).of(data, Mover::Processors).headers
    }

    #[test]
    fn each_packet_has_a_header() {
        assert_eq!([0, 64, 65, 640].map(|data| headers(costs(), data)), [16, 16, 32, 160]);
    }

    #[test]
    fn a_short_packet_is_filled_up() {
        // A header of 16 bytes for each packet of 64; the last one carries at least 40.
        let filled = |data| headers(machine::Interface { fill: Bytes::new(40), ..costs() }, data);
        assert_eq!([0, 10, 40, 64, 65, 120].map(filled), [56, 46, 16, 16, 71, 32]);
    }

    #[test]
    fn a_message_of_any_length_and_mover_passes_with_all_its_bytes() {
        let mut passages = Passages::new(costs(), Time::ZERO);
        for (data, movers) in
            (0..4 * SHORT).zip([Mover::Processors, Mover::Engine, Mover::Staging].repeat(300))
        {
            let passage = passages.of(data, movers);
            let bytes = data + 16 * data.div_ceil(64).max(1);
            let engine = if movers == Mover::Engine { 2 * data } else { 0 };
            assert_eq!(
                (data + passage.headers, passage.time),
                (bytes, ns(bytes.max(engine))),
                "{data} by {movers:?}"
            );
        }
    }

    #[test]
    fn the_engine_pays_for_each_chunk_and_for_what_its_processor_does_between_two() {
        let chunked = machine::Interface {
            chunk: Some(Bytes::new(40)),
            chunk_cost: ns(3),
            engine_shares_processor: true,
            ..costs()
        };
        let time = |costs| Passages::new(costs, ns(10)).of(100, Mover::Engine).time;
        // 200 ns for the bytes, and three chunks of 3 + 10 ns.
        assert_eq!(time(chunked.clone()), ns(239));
        assert_eq!(time(machine::Interface { engine_shares_processor: false, ..chunked }), ns(209));
    }
}
