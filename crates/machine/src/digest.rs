//! A stable digest of a machine's values, for records: FNV-1a of 64 bits over `key=value` lines.
//! Not [`std::hash`], whose derived form may differ between builds.

use std::fmt::Display;

use crate::{Interface, Machine, Memory, Network, Processor, Queue, WorkCosts};

/// The digest so far.
pub(crate) struct Digest(u64);

impl Digest {
    /// Takes every field apart by name, so that a new one cannot be forgotten here.
    pub(crate) fn of(machine: &Machine) -> u64 {
        let Machine {
            name,
            summary: _,
            nodes,
            processors,
            processor,
            primitives,
            queue,
            interface,
            memory,
            network,
            can,
            values: _,
        } = machine;
        let mut digest = Self(0xcbf2_9ce4_8422_2325);
        digest.add("name", name);
        digest.add("nodes", nodes);
        digest.add("processors", processors);
        digest.processor(processor);
        for (name, cost) in primitives.iter() {
            digest.add(name, cost.path.as_femtoseconds());
            digest.add(name, cost.occupancy.as_femtoseconds());
        }
        digest.queue(queue);
        digest.interface(interface);
        let Memory { line, read } = memory;
        digest.add("line", line.get());
        digest.add("read", read.as_femtoseconds());
        let Network { latency } = network;
        digest.add("latency", latency.as_femtoseconds());
        for capability in can {
            digest.add("can", capability);
        }
        digest.0
    }

    fn processor(&mut self, processor: &Processor) {
        let Processor { clock, work, thread_switch, poll, interrupt } = processor;
        let WorkCosts { flop, integer, load, store } = work;
        self.add("clock", clock.as_hertz());
        let times = [
            ("flop", flop),
            ("integer", integer),
            ("load", load),
            ("store", store),
            ("thread_switch", thread_switch),
            ("poll", poll),
            ("interrupt", interrupt),
        ];
        for (key, time) in times {
            self.add(key, time.as_femtoseconds());
        }
    }

    fn queue(&mut self, queue: &Queue) {
        let Queue { window, capacity } = queue;
        match window {
            Some(window) => self.add("window", window),
            None => self.add("window", "unlimited"),
        }
        self.add("capacity", capacity);
    }

    fn interface(&mut self, interface: &Interface) {
        let Interface { bandwidth, header, packet, send_queue, engine, deposit } = interface;
        self.add("bandwidth", bandwidth.as_bytes_per_second());
        self.add("header", header.get());
        self.add("packet", packet.get());
        self.add("send_queue", send_queue);
        self.add("engine", engine.as_bytes_per_second());
        self.add("deposit", deposit.as_femtoseconds());
    }

    fn add(&mut self, key: &str, value: impl Display) {
        for byte in format!("{key}={value}\n").bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
