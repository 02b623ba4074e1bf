//! The uniprocessor of a machine: a single processor with the node's cache, bus and memory, and no means of
//! communication. Speed-ups are over a run on it. This module must never know a program or a policy.

use units::Time;

use crate::{Capability, Interface, Machine, Network, Primitives, Processor};

/// The capabilities of a uniprocessor: every capability that a program's mechanism may need. They cost nothing.
const ABLE: [Capability; 4] =
    [Capability::Poll, Capability::SharedMemory, Capability::Transfer, Capability::Deposit];

impl Machine {
    /// The uniprocessor of the machine: one node of one processor, with its cache, bus and memory.
    ///
    /// Work and memory take the machine's times. Communication takes no time: polls, primitives, switches between
    /// threads, the interface, the network. So a program pays for computation and memory alone, and words of shared
    /// memory are plain memory, whose tags are never checked.
    #[must_use]
    pub fn uniprocessor(&self) -> Self {
        Self {
            nodes: 1,
            processors: 1,
            processor: self.processor.alone(),
            primitives: Primitives::free(),
            interface: self.interface.free(),
            network_processor: None,
            embedded_processor: None,
            handoff: None,
            flow: None,
            software_dispatch: None,
            node_memory: self.node_memory.clone().map(|memory| crate::NodeMemory { staging: None, ..memory }),
            network: Network { latency: Time::ZERO, routers: None },
            can: ABLE.to_vec(),
            variants: Vec::new(),
            ..self.clone()
        }
    }
}

impl Processor {
    /// The processor without the times of communication and of threads.
    fn alone(&self) -> Self {
        let Self { clock, work, .. } = self.clone();
        let [thread_switch, poll, interrupt, fetch, pace, pass, signal, hold, wake, check] = [Time::ZERO; 10];
        let interrupt_each = false;
        Self {
            clock,
            work,
            thread_switch,
            poll,
            interrupt,
            interrupt_each,
            fetch,
            pace,
            pass,
            signal,
            hold,
            wake,
            check,
        }
    }
}

impl Interface {
    /// The interface as its own node's messages meet it where they take no time.
    fn free(&self) -> Self {
        Self {
            gap: Time::ZERO,
            overflow: None,
            receive_queue: None,
            write_buffer: None,
            lock_migration: None,
            engine: Some(self.engine.unwrap_or(self.bandwidth)),
            chunk: None,
            chunk_cost: Time::ZERO,
            engine_shares_processor: false,
            deposit: Some(Time::ZERO),
            loopback: Time::ZERO,
            visible: Time::ZERO,
            endpoints: crate::Endpoints::Node,
            ..self.clone()
        }
    }
}
