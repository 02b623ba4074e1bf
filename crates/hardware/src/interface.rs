//! The network interface of a node: one port out, one port in, and the queue before the port out.
//!
//! A message passes a port in the time of its bytes, headers included, at the port's bandwidth. The port is occupied
//! for that passage or for the interface's gap, whichever is longer. A message has arrived when its last byte has. If
//! the port in is free, that is one passage after its first byte came. This time is paid once, regardless of the
//! distance.
//!
//! This module must never know the purpose of a message, nor how the network takes it from port to port.

use std::collections::VecDeque;
use std::sync::Arc;

use des::Server;
use units::Time;

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

impl Mover {
    /// The time from a message's first byte at a free port in until its arrival, if its bytes pass in `passage`. A
    /// message has arrived with its last byte, and a packet between staging buffers with its first.
    #[inline]
    pub fn behind(self, passage: Time) -> Time {
        if self == Self::Staging { Time::ZERO } else { passage }
    }
}

/// The network interface of one node.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The costs, which all interfaces of a machine share.
    costs: Arc<machine::Interface>,
    out: Server,
    into: Server,
    /// The times at which waiting messages will start through the port out, in order.
    waiting: VecDeque<Time>,
}

impl Interface {
    /// An idle interface.
    pub fn new(costs: Arc<machine::Interface>) -> Self {
        Self { costs, out: Server::default(), into: Server::default(), waiting: VecDeque::new() }
    }

    /// Whether the send queue has a place at `at`, if no message is handed over before.
    pub fn has_room(&self, at: Time) -> bool {
        self.room_at(at) <= at
    }

    /// The time at which the send queue has a place, if no message is handed over before. It is `now` if there is a place
    /// already.
    pub fn room_at(&self, now: Time) -> Time {
        // This number of waiting messages must leave before the queue has a free place.
        match (self.waiting.len() + 1).saturating_sub(self.costs.send_queue) {
            0 => now,
            excess => self.waiting[excess - 1].max(now),
        }
    }

    /// Takes a message into the send queue, whose bytes pass a port in `passage`. Returns the time at which its first byte leaves.
    #[inline]
    pub fn inject(&mut self, now: Time, passage: Time) -> Time {
        if !self.waiting.is_empty() {
            self.drain(now);
        }
        let start = self.out.acquire(now, passage.max(self.costs.gap));
        if start > now {
            self.waiting.push_back(start);
        }
        start
    }

    /// Receives a message whose first byte came to the port in at `first`, and whose bytes pass a port in `passage`. Messages pass in
    /// the order of the calls. Returns the time at which the node has the message: its last byte has passed, a deposit is in
    /// memory, and the interface shows it. A packet between staging buffers is there with its first byte.
    #[inline]
    pub fn eject(&mut self, first: Time, passage: Time, mover: Mover) -> Time {
        if mover == Mover::Processors {
            return self.into.acquire(first, passage.max(self.costs.gap)) + passage + self.costs.visible;
        }
        self.eject_to_memory(first, passage, mover)
    }

    /// Receives a message that no processor reads.
    fn eject_to_memory(&mut self, first: Time, passage: Time, mover: Mover) -> Time {
        let deposit = match mover {
            Mover::Deposit { lines } => {
                self.costs.deposit.expect("a machine that deposits says how long that takes") * lines
            }
            _ => Time::ZERO,
        };
        let visible = if mover == Mover::Staging { Time::ZERO } else { self.costs.visible };
        let through = mover.behind(passage) + deposit + visible;
        let occupied = (passage + deposit).max(self.costs.gap);
        self.into.acquire(first, occupied) + through
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
    use crate::Passages;
    use crate::passage::tests::costs;

    fn ns(n: u64) -> Time {
        Time::from_nanoseconds(n)
    }

    /// An interface, and the passages of messages through it.
    struct Bench {
        interface: Interface,
        passages: Passages,
    }

    impl Bench {
        fn new(costs: machine::Interface) -> Self {
            let passages = Passages::new(costs.clone(), Time::ZERO);
            Self { interface: Interface::new(costs.into()), passages }
        }

        fn inject(&mut self, now: Time, data: u64, mover: Mover) -> Time {
            self.interface.inject(now, self.passages.of(data, mover).time)
        }

        fn eject(&mut self, first: Time, data: u64, mover: Mover) -> Time {
            self.interface.eject(first, self.passages.of(data, mover).time, mover)
        }
    }

    fn interface() -> Bench {
        Bench::new(costs())
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
        ni.inject(ns(0), 100, Mover::Processors);
        // 100 data + 2 headers of 16 = 132.
        assert_eq!(ni.inject(ns(0), 1, Mover::Processors), ns(132));
    }

    #[test]
    fn the_send_queue_is_full_until_the_port_takes_the_next_message() {
        let mut ni = interface();
        // One in the port until 40, two waiting to start at 40 and 80.
        for _ in 0..3 {
            ni.inject(ns(0), 24, Mover::Processors);
        }
        assert!(!ni.interface.has_room(ns(39)));
        assert_eq!(ni.interface.room_at(ns(0)), ns(40));
        assert!(ni.interface.has_room(ns(40)));
    }

    #[test]
    fn each_port_has_been_busy_for_the_bytes_that_have_passed_it() {
        let mut ni = interface();
        ni.inject(ns(0), 24, Mover::Processors);
        ni.inject(ns(0), 24, Mover::Processors);
        ni.eject(ns(50), 16, Mover::Processors);
        // Of 80 ns through the port out 60 have passed, of 32 ns through the port in 10.
        assert_eq!(ni.interface.busy_at(ns(60)), (ns(60), ns(10)));
        assert_eq!(ni.interface.busy_at(ns(500)), (ns(80), ns(32)));
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
        let mut ni = Bench::new(costs);
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
        let mut ni = Bench::new(machine::Interface { gap: ns(50), ..costs() });
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
    fn what_the_interface_puts_in_memory_is_there_with_its_last_byte() {
        let mut ni = interface();
        assert_eq!(ni.eject(ns(0), 100, Mover::Engine), ns(200));
        // 8 data + 16 header, and 7 ns to place them.
        assert_eq!(ni.eject(ns(200), 8, Mover::Deposit { lines: 1 }), ns(231));
        assert_eq!(ni.eject(ns(200), 8, Mover::Deposit { lines: 2 }), ns(269));
    }
}
