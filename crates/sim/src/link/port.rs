//! The interface of a node, as messages pass it: the port out, the port in, and the lock of the processors that drive it.
//!
//! This module must never know the purpose of a message.

use std::sync::Arc;

use hardware::{Interface, Lock, Mover};
use machine::Machine;
use trace::Event as Traced;
use units::Time;

use super::cargo::Stream;
use super::pairs::{Pairs, Poster};

/// The interface of a node.
pub(crate) struct Port {
    interface: Interface,
    /// The queue pairs; `None` where all processors post in one place.
    pairs: Option<Box<Pairs>>,
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
        let lock = machine.interface.lock_migration.map(|migration| Box::new(Lock::new(migration)));
        Self { pairs: Pairs::of(machine), ..Self::idle(Interface::new(costs), lock) }
    }

    fn idle(interface: Interface, lock: Option<Box<Lock>>) -> Self {
        Self { interface, pairs: None, lock, passing: 0, sent: 0 }
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

    /// Whether processors need a lock to drive the interface, or to post to a queue pair.
    pub(crate) fn is_locked(&self) -> bool {
        self.lock.is_some() || self.pairs.as_ref().is_some_and(|pairs| pairs.are_locked())
    }

    /// The time that a processor waits, from now on, before it may post a message of a stream for `hold`: for the lock of a queue pair,
    /// or of the interface.
    pub(crate) fn wait_to_post(&mut self, now: Time, who: Poster, stream: Stream, hold: Time) -> Time {
        match self.pairs.as_mut().filter(|pairs| pairs.are_locked() && !hold.is_zero()) {
            Some(pairs) => pairs.wait_for_lock(now, who, stream, hold),
            None => self.wait_for_lock(now, who.core, hold),
        }
    }

    /// Posts a message of a stream for the processor of a number. Returns the time at which the message leaves its queue pair; `None`
    /// if it goes to the port at once.
    #[inline]
    pub(crate) fn post(&mut self, now: Time, number: u16, stream: Stream) -> Option<Time> {
        self.pairs.as_mut()?.post(now, number.into(), stream)
    }

    /// The time at which the queue pairs have room for a further message, if none is posted before: `now` if they have it already.
    pub(crate) fn pairs_room_at(&self, now: Time) -> Time {
        self.pairs.as_ref().map_or(now, |pairs| pairs.room_at(now))
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

    /// Whether an idle processor looks for messages under the lock.
    pub(crate) fn is_looked_at(&self) -> bool {
        self.lock.as_ref().is_some_and(|lock| lock.is_looked_at())
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
    fn a_lock_of_the_interface_holds_for_posts_to_queue_pairs_too() {
        let mut port = port();
        port.pairs = Some(Box::new(Pairs::without_locks(2)));
        let key = tempest::world::DispatchKey::NoSync;
        let stream = Stream { to: tempest::NodeId(1), key, places: false };
        let mut wait =
            |at, number| port.wait_to_post(ns(at), Poster { core: number, number }, stream, ns(20));
        assert_eq!([wait(0, 0), wait(5, 1)], [ns(0), ns(15 + 30)]);
    }

    #[test]
    fn a_lock_is_waited_for_by_those_who_hold_it_for_some_time() {
        let mut port = port();
        assert_eq!(port.wait_for_lock(ns(0), 0, ns(20)), ns(0));
        assert_eq!(port.wait_for_lock(ns(5), 1, ns(0)), ns(0));
        assert_eq!(port.wait_for_lock(ns(5), 1, ns(20)), ns(15 + 30));
    }
}
