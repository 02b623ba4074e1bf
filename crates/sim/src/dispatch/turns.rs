//! Whose turn it is to call the dispatch routine, where any processor of a node may.
//!
//! One calls at a time, and then it is the next one's turn, round robin. A processor that idles calls in a loop, so that turns
//! go past it in no time when there is nothing to do; one that computes comes to a call only at its next poll. Either it is
//! left out while another idles, or the turn rests with it until then ([`Turns`]).
//!
//! Must never know what a call does.

use tempest::policy::{Servers, Turns};

use crate::cluster::Cluster;
use crate::processor::core::Activity;

impl Cluster {
    /// The processor of a node that would call the routine now, for something that has come: one that idles and whose turn
    /// it is.
    pub(crate) fn caller(&mut self, node: usize) -> Option<usize> {
        if !self.floats(node) {
            return self.idle_server(node);
        }
        // Turns have gone past all that idle before it came, and have come to rest.
        if self.setting.policy.turns == Turns::Strict && self.in_turn(node).any(|core| self.computes(core)) {
            self.rest(node);
            return None;
        }
        self.next_caller(node)
    }

    /// The processor that calls the routine for something that waits while the turn is passed on.
    pub(crate) fn next_caller(&mut self, node: usize) -> Option<usize> {
        if !self.floats(node) {
            return self.idle_server(node);
        }
        let strict = self.setting.policy.turns == Turns::Strict;
        let first =
            self.in_turn(node).find(|&core| self.cores[core].is_idle() || strict && self.computes(core));
        let first = first.filter(|&core| self.cores[core].is_idle());
        let caller = first.filter(|&core| self.has_job(core));
        if caller.is_none() && strict {
            self.rest(node);
        }
        caller
    }

    /// Whether it is the turn of `core`, which computes and polls.
    pub(crate) fn has_turn(&self, core: usize) -> bool {
        let node = self.cores[core].node;
        if !self.floats(node) {
            return self.serves(core).is_some();
        }
        let left_out = self.setting.policy.turns == Turns::IdleFirst
            && self.in_turn(node).any(|other| self.cores[other].is_idle());
        !left_out && self.in_turn(node).find(|&other| self.computes(other)) == Some(core)
    }

    /// It is the next one's turn.
    pub(crate) fn pass_turn(&mut self, core: usize) {
        let number = usize::from(self.cores[core].number);
        let node = &mut self.nodes[self.cores[core].node];
        node.dispatch.poll_owner = (number + 1) % node.cores;
    }

    /// The turn comes to rest with the next processor that computes, if one does.
    fn rest(&mut self, node: usize) {
        if let Some(core) = self.in_turn(node).find(|&core| self.computes(core)) {
            self.nodes[node].dispatch.poll_owner = usize::from(self.cores[core].number);
        }
    }

    /// The processors of a node, the one first whose turn it is.
    fn in_turn(&self, node: usize) -> impl Iterator<Item = usize> + use<> {
        let place = &self.nodes[node];
        let (first, owner, cores) = (place.first_core, place.dispatch.poll_owner, place.cores);
        (0..cores).map(move |offset| first + (owner + offset) % cores)
    }

    /// Whether the processors of a node take turns.
    pub(crate) fn floats(&self, node: usize) -> bool {
        match self.setting.policy.servers {
            Servers::Idle => true,
            Servers::Adaptive => !self.is_served(node),
            _ => false,
        }
    }

    fn computes(&self, core: usize) -> bool {
        matches!(self.cores[core].activity, Activity::Thread(_))
    }
}
