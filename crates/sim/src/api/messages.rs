//! The sends of the fiber that runs now: the route of the cargo, its cost, and the waits of a send that finds no room.
//!
//! This module must never know how cargo travels.

use std::cell::RefMut;
use std::thread::panicking;

use machine::Capability;
use tempest::world::{Messages, Packet, Transfer};
use tempest::{Block, NodeId, Place};

use super::Edge;
use crate::cluster::sending::Sender;
use crate::cluster::{Cluster, network};
use crate::dispatch::Noticed;
use crate::link::cargo::{Cargo, HandedOver, Route};
use crate::processor::ledger::Bucket;
use crate::{standstill, unwinding};

impl Edge {
    /// Spends the cost of a send, and sends the cargo, beginning under a borrow of the modelled state. Returns a borrow after
    /// the send.
    fn send<'s>(
        &'s self,
        mut state: RefMut<'s, Cluster>,
        to: NodeId,
        cargo: &Cargo<'_>,
    ) -> RefMut<'s, Cluster> {
        let (sender, _) = Sender::of(&mut state, self.core());
        if !sender.sends_at_once() {
            return self.send_on_route(state, to, cargo);
        }
        let manifest = sender.spend(to, cargo);
        state = self.settled_later(state);
        let (sender, flights) = Sender::of(&mut state, self.core());
        let (place, flight) = sender.load(flights, &manifest, cargo);
        sender.inject(place, flight);
        state
    }

    /// Spends the cost of a send, and sends the cargo, where it may go another way or other parts have to know of it.
    fn send_on_route<'s>(
        &'s self,
        mut state: RefMut<'s, Cluster>,
        to: NodeId,
        cargo: &Cargo<'_>,
    ) -> RefMut<'s, Cluster> {
        let (sender, _) = Sender::of(&mut state, self.core());
        let (manifest, route) = sender.choose_route(to, cargo);
        // The lock goes to the processor that asks first. Engine time must therefore be exact before this processor asks.
        if route == Route::Inject && state.locks_interface(self.core()) {
            state = self.settled(state);
            state.wait_to_inject(self.core(), &manifest);
        }
        Sender::of(&mut state, self.core()).0.spend_on_route(&manifest, route);
        state = self.settled_later(state);
        let core = self.core();
        network::note_answer(&mut state, core);
        let (sender, flights) = Sender::of(&mut state, core);
        let (flight, _) = sender.load(flights, &manifest, cargo);
        state.send(core, route, HandedOver { stream: manifest.stream(), flight });
        state
    }

    /// Sends for a handler.
    fn post_cargo(&self, to: NodeId, cargo: &Cargo<'_>) {
        if let Some(state) = self.live() {
            self.send(state, to, cargo);
        }
    }

    /// Sends for a thread if there is room. Returns false if there is none.
    fn try_send(&self, to: NodeId, cargo: &Cargo<'_>) -> bool {
        let Some(mut state) = self.live() else { return true };
        // Whether a message can be handed over depends on the actions of other processors up to this instant.
        let mut hands_over = state.hands_over(self.core());
        if hands_over {
            state = self.settled(state);
            hands_over = state.hands_over(self.core());
        }
        let finds_room = state.finds_room(self.core(), hands_over);
        if finds_room {
            self.send_for_thread(state, to, cargo);
            return true;
        }
        let unwinds = panicking();
        if unwinds {
            // No room comes while the thread stays on its processor.
            unwinding::abandon(&mut state, "a send that finds no room");
        }
        unwinds
    }

    /// Sends for a thread, and spends the occupancy that follows.
    fn send_for_thread<'s>(&'s self, state: RefMut<'s, Cluster>, to: NodeId, cargo: &Cargo<'_>) {
        let mut state = self.send(state, to, cargo);
        let core = self.core();
        if state.cores[core].clock.owes() {
            state.at_work(core).spend_tail();
        }
    }

    /// Waits until a protocol processor has taken a message that was handed over; the thread notices that by a poll. If
    /// this processor runs handlers too, it runs them while it waits. Otherwise it could deadlock with a processor that
    /// itself waits for one of these handlers.
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
        self.post_cargo(to, &Cargo::Message(packet));
    }

    fn post_transfer(&self, to: NodeId, transfer: Transfer<'_>, packet: &Packet) {
        self.state().setting.expect_capability(Capability::Transfer);
        self.post_cargo(to, &Cargo::Transfer(transfer, packet));
    }

    fn post_block(&self, to: NodeId, block: Block, words: &[u64], packet: &Packet) {
        self.post_cargo(to, &Cargo::Block(block, words, packet));
    }

    fn offer(&self, to: NodeId, packet: &Packet) -> bool {
        self.try_send(to, &Cargo::Message(packet))
    }

    fn transfer(&self, to: NodeId, transfer: Transfer<'_>, packet: &Packet) -> bool {
        self.state().setting.expect_capability(Capability::Transfer);
        self.try_send(to, &Cargo::Transfer(transfer, packet))
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
        self.wait_in_vain(standstill::sends_in_vain, Bucket::Memory);
    }
}
