//! The sends of the fiber that runs now: the route of the cargo, its cost, and the waits of a send that finds no room.
//!
//! This module must never know how cargo travels.

use machine::Capability;
use tempest::world::{Messages, Packet};
use tempest::{Block, NodeId, Place};

use super::Edge;
use crate::cluster::network;
use crate::dispatch::Noticed;
use crate::link::cargo::{Cargo, Manifest, Route};
use crate::processor::ledger::Bucket;
use crate::standstill;

impl Edge {
    /// Spends the cost of a send, and sends the cargo.
    fn send(&self, to: NodeId, cargo: &Cargo<'_>) {
        let (manifest, route, locks) = {
            let (state, core) = (self.state(), self.core());
            let manifest = Manifest::of(cargo, &state.nodes[state.cores[core].node()].waist, to);
            state.expect_server(core, manifest.class, cargo);
            (manifest, state.route(core, &manifest), state.locks_interface(core))
        };
        // The lock goes to the processor that asks first. Engine time must therefore be exact before this processor asks.
        if route == Route::Inject && locks {
            self.settle();
        }
        self.settle_after(|state, core| state.spend_send(core, route, &manifest));
        let (mut state, core) = (self.state(), self.core());
        network::note_answer(&mut state, core);
        state.send(core, route, manifest, cargo);
    }

    /// Sends for a thread if there is room. Returns false if there is none.
    fn try_send(&self, to: NodeId, cargo: &Cargo<'_>) -> bool {
        // Whether a message can be handed over depends on what other processors have done by this instant.
        let room = {
            let (mut state, core) = (self.state(), self.core());
            if state.hands_over(core) { None } else { Some(state.finds_room(core)) }
        };
        let has_room = room.unwrap_or_else(|| {
            self.settle();
            self.state().finds_room(self.core())
        });
        if !has_room {
            return false;
        }
        self.send(to, cargo);
        self.spend_tail();
        true
    }

    /// Waits until a protocol processor has taken a message that was handed over; the thread notices that by a poll. If this
    /// processor runs handlers too, it runs them while it waits. Otherwise it could wait for a processor that itself waits for
    /// one of these handlers.
    fn await_injector(&self) {
        if self.state().has_event(self.core()) {
            self.yield_to_handlers(Noticed::AT_ONCE);
            return;
        }
        let since = self.state().agenda.now();
        self.state().starve(self.core());
        self.suspend();
        let mut state = self.state();
        let (now, poll) = (state.agenda.now(), state.setting.machine.processor.poll);
        let core = &mut state.cores[self.core()];
        core.ledger.book(Bucket::Memory, now - since);
        core.spend(Bucket::Memory, poll);
    }
}

impl Messages for Edge {
    fn post(&self, to: NodeId, packet: &Packet) {
        self.send(to, &Cargo::Message(packet));
    }

    fn post_transfer(&self, to: NodeId, place: Place, data: &[u64], packet: &Packet) {
        self.state().setting.expect_capability(Capability::Transfer);
        self.send(to, &Cargo::Transfer(place, data, packet, None));
    }

    fn post_block(&self, to: NodeId, block: Block, words: &[u64], packet: &Packet) {
        self.send(to, &Cargo::Block(block, words, packet));
    }

    fn offer(&self, to: NodeId, packet: &Packet) -> bool {
        self.try_send(to, &Cargo::Message(packet))
    }

    fn transfer(&self, to: NodeId, place: Place, data: &[u64], packet: &Packet) -> bool {
        self.state().setting.expect_capability(Capability::Transfer);
        self.try_send(to, &Cargo::Transfer(place, data, packet, None))
    }

    fn transfer_from(&self, source: Place, to: NodeId, place: Place, data: &[u64], packet: &Packet) -> bool {
        self.state().setting.expect_capability(Capability::Transfer);
        self.try_send(to, &Cargo::Transfer(place, data, packet, Some(source)))
    }

    fn deposit(&self, to: NodeId, place: Place, words: &[u64]) -> bool {
        self.state().setting.expect_capability(Capability::Deposit);
        self.try_send(to, &Cargo::Deposit(place, words))
    }

    fn make_room(&self, _to: NodeId) {
        self.state().await_room(self.core());
        if self.state().hands_over(self.core()) {
            self.await_injector();
            return;
        }
        let wait = self.state().wait_for_room(self.core());
        self.state().cores[self.core()].spend(Bucket::Memory, wait);
        self.settle();
        self.yield_to_handlers(Noticed::AT_ONCE);
        self.try_in_vain(standstill::sends_in_vain);
    }
}
