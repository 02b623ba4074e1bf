//! The processors that inject a node's messages: the sending processor does, or it hands the message over to another one.
//!
//! Messages that were handed over enter the interface one at a time, in the order of their hand-over. This module must never
//! know the content of a message, nor the cost of an injection.

use std::collections::VecDeque;

use des::Order;
use machine::{Capability, Machine};
use tempest::Policy;
use tempest::policy::{Dispatch, Injector, Servers};
use units::Time;

/// The processors of a node that inject. `M` is the type of a message that is handed over.
#[derive(Debug)]
pub(crate) enum Injection<M> {
    /// Each processor injects the messages that it sends.
    Sender,
    /// Dedicated processors inject the messages of the other processors.
    Dedicated(Box<Handover<M>>),
    /// Network processors inject the messages of the other processors. Each network processor has a queue of its own.
    Network(Vec<Handover<M>>),
    /// Each processor injects the messages that it sends. While a second processor is dedicated, that one injects instead:
    /// handlers run one at a time, so it would have nothing else to do.
    Relieved(Box<Handover<M>>),
}

/// The messages that have been handed over and are not in the interface yet.
#[derive(Debug)]
pub(crate) struct Handover<M> {
    /// The messages that wait, in order.
    waiting: VecDeque<Waiting<M>>,
    /// The message that a processor has taken and not yet put into the interface.
    in_hand: Option<M>,
    /// The processors whose threads wait until a message is taken, in order.
    starved: VecDeque<usize>,
}

/// A message that waits until a processor injects it.
#[derive(Debug)]
struct Waiting<M> {
    message: M,
    /// The time from which the injecting processor can see the message, and the place of the event that lets an idle processor look
    /// then. The place is the last of that time unless such an event is still to be planned.
    look: Order,
}

/// The place of no event, from whose time on a processor can see a message.
fn unplanned(visible_at: Time) -> Order {
    Order { at: visible_at, ..Order::NEVER }
}

impl<M> Default for Handover<M> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), in_hand: None, starved: VecDeque::new() }
    }
}

impl<M> Handover<M> {
    /// Whether the oldest message can be seen at `now`.
    fn is_visible(&self, now: Time) -> bool {
        self.waiting.front().is_some_and(|oldest| oldest.look.at <= now)
    }

    /// Whether every message that was handed over is in the interface, and no thread waits for room.
    fn is_done(&self) -> bool {
        !self.is_busy() && self.starved.is_empty()
    }

    /// Whether a message that was handed over is not in the interface yet.
    fn is_busy(&self) -> bool {
        self.in_hand.is_some() || !self.waiting.is_empty()
    }
}

impl<M> Injection<M> {
    /// The processors that inject under a policy, with `loops` network processors at work.
    pub(crate) fn of(machine: &Machine, policy: &Policy, loops: usize) -> Self {
        let each_sends = machine.can.contains(&Capability::SenderInjects);
        match policy.injector {
            Injector::Protocol if !each_sends => Self::Dedicated(Box::default()),
            Injector::Network if loops > 0 => {
                Self::Network(std::iter::repeat_with(Handover::default).take(loops).collect())
            }
            Injector::Sender if policy.servers == Servers::Adaptive => {
                let relieves = policy.dispatch == Dispatch::Serial && !each_sends;
                if relieves { Self::Relieved(Box::default()) } else { Self::Sender }
            }
            _ => Self::Sender,
        }
    }

    /// Whether the threads of a processor hand their messages over. `is_dedicated` is about that processor, and `dedicated` is
    /// the number of processors of the node that are dedicated for a time.
    pub(crate) fn takes_from(&self, is_dedicated: bool, dedicated: u32) -> bool {
        !is_dedicated
            && match self {
                Self::Sender => false,
                Self::Dedicated(_) | Self::Network(_) => true,
                Self::Relieved(_) => dedicated > 1,
            }
    }

    /// Whether a message to node `to` must wait behind the messages that were handed over, to keep the order. `by_loop` says
    /// whether a network processor sends it, and `keyed` whether it has a key.
    pub(crate) fn stays_behind(&self, to: usize, by_loop: bool, keyed: impl FnOnce() -> bool) -> bool {
        match self {
            Self::Sender => false,
            Self::Dedicated(handover) | Self::Relieved(handover) => handover.is_busy(),
            Self::Network(lanes) => by_loop && lanes[to % lanes.len()].is_busy() && keyed(),
        }
    }

    /// Hands a message to node `to` over. Returns it if no processor injects for others now. With `dedicated` processors
    /// dedicated for a time, the injecting one may have left.
    pub(crate) fn push(&mut self, visible_at: Time, to: usize, message: M, dedicated: u32) -> Result<(), M> {
        let handover = match self {
            Self::Sender => return Err(message),
            Self::Relieved(_) if dedicated == 0 => return Err(message),
            Self::Dedicated(handover) | Self::Relieved(handover) => handover,
            Self::Network(lanes) => {
                let place = to % lanes.len();
                &mut lanes[place]
            }
        };
        handover.waiting.push_back(Waiting { message, look: unplanned(visible_at) });
        Ok(())
    }

    /// Keeps the place of the event that would let the network processor at `place` look for the message that was handed over
    /// last. The processor is busy, and looks by itself when it is not.
    pub(crate) fn keep_look(&mut self, place: usize, look: Order) {
        if let Some(newest) = self.lanes_mut().get_mut(place).and_then(|lane| lane.waiting.back_mut()) {
            newest.look = look;
        }
    }

    /// Removes and returns the places of the events that let the network processor at `place`, which idles from `now` on, look
    /// for each message that it cannot see yet.
    pub(crate) fn looks_after(&mut self, place: usize, now: Time) -> impl Iterator<Item = Order> + '_ {
        let waiting = self.lanes_mut().get_mut(place).into_iter().flat_map(|lane| &mut lane.waiting);
        waiting.filter_map(move |Waiting { look, .. }| {
            let none = unplanned(look.at);
            Some(std::mem::replace(look, none)).filter(|&look| look.at > now && look != none)
        })
    }

    /// The queues of messages that were handed over.
    fn lanes(&self) -> &[Handover<M>] {
        match self {
            Self::Sender => &[],
            Self::Dedicated(handover) | Self::Relieved(handover) => std::slice::from_ref(&**handover),
            Self::Network(lanes) => lanes,
        }
    }

    fn lanes_mut(&mut self) -> &mut [Handover<M>] {
        match self {
            Self::Sender => &mut [],
            Self::Dedicated(handover) | Self::Relieved(handover) => std::slice::from_mut(&mut **handover),
            Self::Network(lanes) => lanes,
        }
    }

    /// The number of messages that wait for injection, in the longest queue.
    pub(crate) fn waiting(&self) -> usize {
        self.lanes().iter().map(|handover| handover.waiting.len()).max().unwrap_or(0)
    }

    /// Whether a message that was handed over waits.
    #[inline]
    pub(crate) fn waits(&self) -> bool {
        match self {
            Self::Sender => false,
            Self::Dedicated(handover) | Self::Relieved(handover) => !handover.waiting.is_empty(),
            Self::Network(lanes) => lanes.iter().any(|lane| !lane.waiting.is_empty()),
        }
    }

    /// Whether an otherwise idle dedicated processor could begin an injection.
    pub(crate) fn may_begin(&self) -> bool {
        match self {
            Self::Dedicated(handover) | Self::Relieved(handover) => {
                handover.in_hand.is_none() && !handover.waiting.is_empty()
            }
            Self::Sender | Self::Network(_) => false,
        }
    }

    /// Whether the network processor at `place` sees, at `now`, a message that it may take.
    pub(crate) fn shows(&self, place: usize, now: Time) -> bool {
        matches!(self, Self::Network(lanes) if lanes[place].is_visible(now))
    }

    /// Removes and returns the message of a queue that a processor was putting into the interface.
    pub(crate) fn release(&mut self, place: usize) -> Option<M> {
        self.lanes_mut().get_mut(place)?.in_hand.take()
    }

    /// The message of a queue that a processor is putting into the interface.
    pub(crate) fn in_hand(&self, place: usize) -> Option<&M> {
        self.lanes().get(place)?.in_hand.as_ref()
    }

    /// Whether a thread waits until a message is taken.
    pub(crate) fn has_starved(&self) -> bool {
        self.lanes().first().is_some_and(|handover| !handover.starved.is_empty())
    }

    /// Records that a thread on `processor` waits until a message is taken.
    pub(crate) fn starve(&mut self, processor: usize) {
        if let Some(handover) = self.lanes_mut().first_mut() {
            handover.starved.push_back(processor);
        }
    }

    /// Removes and returns the processor that has waited longest until a message is taken.
    pub(crate) fn next_starved(&mut self) -> Option<usize> {
        self.lanes_mut().first_mut()?.starved.pop_front()
    }

    /// Whether no message that was handed over is left.
    pub(crate) fn is_done(&self) -> bool {
        self.lanes().iter().all(Handover::is_done)
    }
}

impl<M: Copy> Injection<M> {
    /// Lets a processor take the oldest message that waits in a queue, to put it into the interface.
    pub(crate) fn take(&mut self, place: usize) -> Option<M> {
        let handover = self.lanes_mut().get_mut(place)?;
        handover.in_hand = Some(handover.waiting.pop_front()?.message);
        handover.in_hand
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(n: u64) -> Time {
        Time::from_nanoseconds(n)
    }

    #[test]
    fn messages_enter_one_at_a_time_and_in_order() {
        let mut injection = Injection::Dedicated(Box::default());
        assert!(injection.takes_from(false, 0) && !injection.takes_from(true, 0));
        for message in ["first", "second"] {
            injection.push(ns(0), 5, message, 0).expect("dedicated processors inject for others");
        }
        assert!(injection.take(0).is_some());
        assert!(!injection.may_begin(), "the first is not in the interface yet");
        assert_eq!(injection.release(0), Some("first"));
        assert!(injection.stays_behind(5, false, || false), "the second still waits");
        assert!(injection.may_begin());
        assert!(injection.take(0).is_some());
        assert!(injection.stays_behind(5, false, || false), "the second is still on its way");
        assert_eq!(injection.release(0), Some("second"));
        assert!(!injection.stays_behind(5, false, || false) && injection.is_done());
    }

    #[test]
    fn a_network_processor_sees_a_message_after_its_delay() {
        let mut injection = Injection::Network(vec![Handover::default()]);
        injection.push(ns(7), 5, 'a', 0).expect("a network processor injects for others");
        assert!(!injection.shows(0, ns(6)) && injection.shows(0, ns(7)));
        // Its own handlers' messages with a key stay behind; those without one overtake.
        assert!(injection.stays_behind(5, true, || true) && !injection.stays_behind(5, true, || false));
        assert!(!injection.stays_behind(5, false, || true), "a computing processor hands over");
        assert!(injection.take(0).is_some());
        assert!(injection.stays_behind(5, true, || true), "it has taken the message and not injected it");
    }

    #[test]
    fn each_of_two_network_processors_injects_for_every_second_node() {
        let mut injection = Injection::Network(vec![Handover::default(), Handover::default()]);
        for to in [2, 3, 4] {
            injection.push(ns(0), to, to, 0).expect("network processors inject for others");
        }
        assert_eq!(injection.waiting(), 2);
        assert_eq!([injection.take(0), injection.take(1), injection.release(0)], [Some(2), Some(3), Some(2)]);
        assert!(injection.stays_behind(5, true, || true));
        assert_eq!([injection.take(0), injection.release(0)], [Some(4), Some(4)]);
        assert!(!injection.stays_behind(6, true, || true));
    }

    #[test]
    fn a_processor_that_idles_looks_for_what_it_cannot_see_yet_and_each_look_is_planned_once() {
        let mut injection = Injection::Network(vec![Handover::default()]);
        let look = |at, minor| Order { at: ns(at), major: 0, minor };
        for (at, number) in [(5, 0), (7, 1), (9, 2)] {
            injection.push(ns(at), 0, at, 0).expect("a network processor injects for others");
            injection.keep_look(0, look(at, number));
        }
        let planned: Vec<Order> = injection.looks_after(0, ns(5)).collect();
        assert_eq!(planned, [look(7, 1), look(9, 2)]);
        assert_eq!(injection.looks_after(0, ns(5)).count(), 0);
    }

    #[test]
    fn a_sender_is_relieved_while_two_processors_are_dedicated() {
        let mut injection = Injection::Relieved(Box::default());
        assert_eq!([0, 1, 2].map(|dedicated| injection.takes_from(false, dedicated)), [false, false, true]);
        assert_eq!(injection.push(ns(0), 5, 1, 0), Err(1), "the last dedicated processor has left");
        assert_eq!(injection.push(ns(0), 5, 2, 1), Ok(()));
        injection.starve(3);
        assert!(injection.take(0).is_some());
        assert_eq!(injection.release(0), Some(2));
        assert!(!injection.is_done(), "a thread still waits for room");
        assert_eq!(injection.next_starved(), Some(3));
        assert!(injection.is_done());
    }
}
