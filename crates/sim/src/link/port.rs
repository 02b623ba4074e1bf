//! The interface of a node, as messages pass it: the port out, the port in, and the lock of the processors that drive it.
//!
//! This module must never know the purpose of a message.

use std::sync::Arc;

use hardware::{Interface, Lock, Mover};
use machine::Machine;
use trace::Event as Traced;
use units::Time;

/// The interface of a node.
pub(crate) struct Port {
    interface: Interface,
    /// The lock; `None` where one processor drives the interface.
    lock: Option<Box<Lock>>,
    /// The number of messages that pass through the port in now.
    passing: u32,
    /// The number of messages, deposits and events of its own that the node has sent.
    sent: u64,
}

impl Port {
    /// An idle interface of a node, of these costs.
    pub(crate) fn new(machine: &Machine, costs: Arc<machine::Interface>) -> Self {
        Self::idle(
            Interface::new(costs),
            machine.interface.lock_migration.map(|migration| Box::new(Lock::new(migration))),
        )
    }

    fn idle(interface: Interface, lock: Option<Box<Lock>>) -> Self {
        Self { interface, lock, passing: 0, sent: 0 }
    }

    /// The ports, mutable.
    pub(crate) fn interface(&mut self) -> &mut Interface {
        &mut self.interface
    }

    /// The ports and the queue before the port out.
    pub(crate) fn queue(&self) -> &Interface {
        &self.interface
    }

    /// The number of the next flow of `node`, whose port this is.
    pub(crate) fn next_number(&self, node: usize) -> u64 {
        Traced::flow_number(node as u32, self.sent)
    }

    /// Counts a send of `node`, whose port this is. Returns the number of its flow.
    #[inline]
    pub(crate) fn take_number(&mut self, node: usize) -> u64 {
        let number = self.next_number(node);
        self.sent += 1;
        number
    }

    /// Lets a flight into the port in now, whose bytes pass in `passage`. A flight that comes `whole` comes with its last byte, another
    /// one with its first. Returns the time at which the flight has passed the port; `None` if it is in place at once.
    pub(crate) fn enter(&mut self, now: Time, mover: Mover, passage: Time, whole: bool) -> Option<Time> {
        let first = if whole { now - mover.behind(passage) } else { now };
        let through = self.interface.eject(first, passage, mover);
        // A flight that the port let in before, and that is in place at this very instant, still comes first.
        let waits = through > now || self.passing > 0;
        self.passing += u32::from(waits);
        waits.then_some(through)
    }

    /// A flight has passed the port in.
    pub(crate) fn pass(&mut self) {
        self.passing -= 1;
    }

    /// The number of messages that pass through the port in now.
    pub(crate) fn passing(&self) -> usize {
        self.passing as usize
    }

    /// The lock; `None` where the interface needs none.
    pub(crate) fn lock(&self) -> Option<&Lock> {
        self.lock.as_deref()
    }

    /// Whether processors need a lock to drive the interface.
    pub(crate) fn is_locked(&self) -> bool {
        self.lock.is_some()
    }

    /// The time that processor `who` waits for the lock, from now on, before it holds the lock for `hold`. A hold of no time
    /// needs no lock.
    pub(crate) fn wait_for_lock(&mut self, now: Time, who: usize, hold: Time) -> Time {
        let lock = self.lock.as_mut().filter(|_| !hold.is_zero());
        lock.map_or(Time::ZERO, |lock| lock.acquire(now, who, hold) - now)
    }

    /// Lets the idle processor `who` look for messages under the lock again and again, for `look` each time.
    pub(crate) fn look(&mut self, now: Time, who: usize, look: Time) {
        if let Some(lock) = &mut self.lock {
            lock.look(now, who, look);
        }
    }

    /// Ends the looks of processor `who` at `now`.
    pub(crate) fn stop_looking(&mut self, now: Time, who: usize) {
        if let Some(lock) = &mut self.lock {
            lock.stop_looking(now, who);
        }
    }
}

/// The interface of a machine, for messages that pass through the network. The slower of its ports and the links sets their
/// pace from end to end, and so decides when the last byte is in.
pub(crate) fn paced(machine: &Machine) -> machine::Interface {
    let mut interface = machine.interface.clone();
    if let Some(routers) = &machine.network.routers {
        interface.bandwidth = interface.bandwidth.min(routers.link);
    }
    interface
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::testing::interface;
    use crate::testing::ns;

    /// A port of 1 B/ns, with a lock whose line takes 30 ns from cache to cache.
    fn port() -> Port {
        Port::idle(Interface::new(interface().into()), Some(Box::new(Lock::new(ns(30)))))
    }

    /// Lets a message of 40 bytes into a port.
    fn enter(port: &mut Port, now: u64, whole: bool) -> Option<Time> {
        let passage = hardware::Passages::new(interface(), Time::ZERO).of(40, Mover::Processors).time;
        port.enter(ns(now), Mover::Processors, passage, whole)
    }

    #[test]
    fn what_comes_while_the_port_is_in_use_passes_after_it() {
        let mut port = port();
        let [first, second] = [10, 20].map(|now| enter(&mut port, now, false).expect("it passes"));
        let passage = first - ns(10);
        assert!(passage >= ns(40) && second == first + passage, "{first} {second}");
        assert_eq!(port.passing(), 2);
        (0..2).for_each(|_| port.pass());
        assert_eq!(port.passing(), 0);
    }

    #[test]
    fn what_comes_whole_is_in_place_at_once_if_the_port_was_free_for_it() {
        let passage = enter(&mut port(), 0, false).expect("it passes");
        let mut port = port();
        assert_eq!(enter(&mut port, 500, true), None);
        // The first byte of the next message came 10 ns after that of the first.
        assert_eq!(enter(&mut port, 510, true), Some(ns(500) + passage));
    }

    #[test]
    fn flows_of_a_node_have_rising_numbers_and_no_other_nodes() {
        let mut port = port();
        let first = port.next_number(3);
        assert_eq!(port.next_number(3), first);
        assert_eq!(port.take_number(3), first);
        assert!(port.next_number(3) > first);
        assert_ne!(port.next_number(4), port.next_number(3));
    }

    #[test]
    fn a_lock_is_waited_for_by_those_who_hold_it_for_some_time() {
        let mut port = port();
        assert_eq!(port.wait_for_lock(ns(0), 0, ns(20)), ns(0));
        assert_eq!(port.wait_for_lock(ns(5), 1, ns(0)), ns(0));
        assert_eq!(port.wait_for_lock(ns(5), 1, ns(20)), ns(15 + 30));
    }
}
