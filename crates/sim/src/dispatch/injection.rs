//! The processors that inject a node's messages: the sending processor does, or it hands the message over to another one.
//!
//! Messages that were handed over wait in one queue of the node. Dedicated processors put one at a time into the interface, in the
//! order of hand-over. Network processors share the queue: each takes the oldest message that it can see, and several of them inject
//! side by side. Messages of one stream stay in order: a network processor takes no message while another one holds an earlier message
//! of its stream.
//!
//! This module must never know the content of a message, nor the cost of an injection.

use std::collections::VecDeque;

use des::Order;
use machine::{Capability, Machine};
use tempest::Policy;
use tempest::policy::{Dispatch, Injector, Servers};
use units::Time;

use crate::link::cargo::{HandedOver, Stream};

/// The processors of a node that inject.
#[derive(Debug)]
pub(crate) enum Injection {
    /// Each processor injects the messages that it sends.
    Sender,
    /// Dedicated processors inject the messages of the other processors.
    Dedicated(Box<Handover>),
    /// Network processors inject the messages of the other processors.
    Network(Box<Handover>),
    /// Each processor injects the messages that it sends. While a second processor is dedicated, that one injects instead:
    /// handlers run one at a time, so it would have nothing else to do.
    Relieved(Box<Handover>),
}

/// The messages that have been handed over and are not in the interface yet.
#[derive(Debug)]
pub(crate) struct Handover {
    /// The messages that wait, in order.
    waiting: VecDeque<Waiting>,
    /// The message that each processor has taken and not yet put into the interface, by the processor's place.
    in_hand: Box<[Option<HandedOver>]>,
    /// The processors whose threads wait until a message is taken, in order.
    starved: VecDeque<usize>,
    /// The number of messages that threads write at present, and for which they have found room.
    written: usize,
}

/// A message that waits until a processor injects it.
#[derive(Debug)]
struct Waiting {
    message: HandedOver,
    /// The time from which the injecting processor can see the message, and the place of the event that lets an idle processor look
    /// then. The place is the last of that time unless such an event is still to be planned.
    look: Order,
}

/// The place of no event, from whose time on a processor can see a message.
fn unplanned(visible_at: Time) -> Order {
    Order { at: visible_at, ..Order::NEVER }
}

impl Handover {
    /// An empty queue, from which up to `places` processors take messages at a time.
    pub(super) fn of(places: usize) -> Box<Self> {
        Box::new(Self {
            waiting: VecDeque::new(),
            in_hand: vec![None; places].into(),
            starved: VecDeque::new(),
            written: 0,
        })
    }

    /// Whether a message that was handed over is not in the interface yet.
    fn is_busy(&self) -> bool {
        !self.waiting.is_empty() || self.holds()
    }

    /// Whether a processor has taken a message and not yet put it into the interface.
    fn holds(&self) -> bool {
        self.in_hand.iter().any(Option::is_some)
    }

    /// Whether every message that was handed over is in the interface, and no thread waits for room.
    fn is_done(&self) -> bool {
        !self.is_busy() && self.starved.is_empty()
    }

    /// Whether a message of a stream has to wait for a message that a processor holds, or for a message among the `before` oldest that
    /// wait.
    fn is_behind(&self, stream: Stream, before: usize) -> bool {
        let older = self.waiting.iter().take(before).map(|waiting| &waiting.message);
        older.chain(self.in_hand.iter().flatten()).any(|other| other.stream.keeps_order_with(stream))
    }

    /// The index of the oldest message that a network processor may take at `now`. A single one takes messages in the order of
    /// hand-over.
    fn next(&self, now: Time) -> Option<usize> {
        let seen = self.waiting.iter().enumerate().take_while(|(_, waiting)| waiting.look.at <= now);
        let mut free = seen.filter(|&(index, waiting)| {
            self.in_hand.len() == 1 || !self.is_behind(waiting.message.stream, index)
        });
        free.next().map(|(index, _)| index)
    }

    /// Lets the processor at `place` take the message at `index`, to put it into the interface.
    fn take(&mut self, place: usize, index: usize) -> Option<HandedOver> {
        self.in_hand[place] = Some(self.waiting.remove(index)?.message);
        self.in_hand[place]
    }
}

impl Injection {
    /// The processors that inject under a policy, with `loops` network processors at work.
    pub(crate) fn of(machine: &Machine, policy: &Policy, loops: usize) -> Self {
        let each_sends = machine.can.contains(&Capability::SenderInjects);
        match policy.injector {
            Injector::Protocol if !each_sends => Self::Dedicated(Handover::of(1)),
            Injector::Network if loops > 0 => Self::Network(Handover::of(loops)),
            Injector::Sender if policy.servers == Servers::Adaptive => {
                let relieves = policy.dispatch == Dispatch::Serial && !each_sends;
                if relieves { Self::Relieved(Handover::of(1)) } else { Self::Sender }
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

    /// Whether a message of a stream must wait behind the messages that were handed over, to keep the order. `by_loop` says whether a
    /// network processor sends it. Behind a single network processor all messages with a key stay in order, behind several the
    /// messages of each stream do.
    pub(crate) fn stays_behind(&self, stream: Stream, by_loop: bool) -> bool {
        match self {
            Self::Sender => false,
            Self::Dedicated(handover) | Self::Relieved(handover) => handover.is_busy(),
            Self::Network(handover) if by_loop && handover.in_hand.len() > 1 => {
                handover.is_behind(stream, usize::MAX)
            }
            Self::Network(handover) => by_loop && handover.is_busy() && stream.has_key(),
        }
    }

    /// Hands a message over. Returns it if no processor injects for others now. With `dedicated` processors dedicated for a time, the
    /// injecting one may have left.
    pub(crate) fn push(
        &mut self,
        visible_at: Time,
        message: HandedOver,
        dedicated: u32,
    ) -> Result<(), HandedOver> {
        let leaves = matches!(self, Self::Relieved(_)) && dedicated == 0;
        match self.handover_mut().filter(|_| !leaves) {
            None => Err(message),
            Some(handover) => {
                handover.waiting.push_back(Waiting { message, look: unplanned(visible_at) });
                Ok(())
            }
        }
    }

    /// Keeps the place of the event that would let the only network processor look for the message that was handed over last. The
    /// processor is busy, and looks by itself when it is not.
    pub(crate) fn keep_look(&mut self, look: Order) {
        if let Some(newest) = self.handover_mut().and_then(|handover| handover.waiting.back_mut()) {
            newest.look = look;
        }
    }

    /// Removes and returns the places of the events that let the only network processor, which idles from `now` on, look for each
    /// message that it cannot see yet.
    pub(crate) fn looks_after(&mut self, now: Time) -> impl Iterator<Item = Order> + '_ {
        let waiting = self.handover_mut().into_iter().flat_map(|handover| &mut handover.waiting);
        waiting.filter_map(move |Waiting { look, .. }| {
            let none = unplanned(look.at);
            Some(std::mem::replace(look, none)).filter(|&look| look.at > now && look != none)
        })
    }

    /// The messages that were handed over; `None` where each processor injects its own messages.
    fn handover(&self) -> Option<&Handover> {
        match self {
            Self::Sender => None,
            Self::Dedicated(handover) | Self::Relieved(handover) | Self::Network(handover) => Some(handover),
        }
    }

    fn handover_mut(&mut self) -> Option<&mut Handover> {
        match self {
            Self::Sender => None,
            Self::Dedicated(handover) | Self::Relieved(handover) | Self::Network(handover) => Some(handover),
        }
    }

    /// The number of messages that wait for injection, or that threads write into the queue of network processors.
    pub(crate) fn waiting(&self) -> usize {
        self.handover().map_or(0, |handover| handover.waiting.len() + handover.written)
    }

    /// Records that a thread, which has found room, begins to write a message into the queue of network processors. Threads of other
    /// processors then find less room.
    pub(crate) fn begin_write(&mut self) {
        if let Self::Network(handover) = self {
            handover.written += 1;
        }
    }

    /// Records that a thread has written a message.
    pub(crate) fn end_write(&mut self) {
        if let Self::Network(handover) = self {
            handover.written = handover.written.saturating_sub(1);
        }
    }

    /// Whether a message that was handed over waits.
    #[inline]
    pub(crate) fn waits(&self) -> bool {
        self.handover().is_some_and(|handover| !handover.waiting.is_empty())
    }

    /// Whether an otherwise idle dedicated processor could begin an injection.
    pub(crate) fn may_begin(&self) -> bool {
        match self {
            Self::Dedicated(handover) | Self::Relieved(handover) => {
                !handover.holds() && !handover.waiting.is_empty()
            }
            Self::Sender | Self::Network(_) => false,
        }
    }

    /// Whether a network processor sees, at `now`, a message that it may take.
    pub(crate) fn shows(&self, now: Time) -> bool {
        matches!(self, Self::Network(handover) if handover.next(now).is_some())
    }

    /// Lets the network processor at `place` take the oldest message that it may take at `now`, to put it into the interface.
    pub(crate) fn take(&mut self, place: usize, now: Time) -> Option<HandedOver> {
        let handover = self.handover_mut()?;
        handover.take(place, handover.next(now)?)
    }

    /// Lets a dedicated processor take the oldest message, to put it into the interface.
    pub(crate) fn take_oldest(&mut self) -> Option<HandedOver> {
        self.handover_mut()?.take(0, 0)
    }

    /// Removes and returns the message that the processor at `place` was putting into the interface.
    pub(crate) fn release(&mut self, place: usize) -> Option<HandedOver> {
        self.handover_mut()?.in_hand.get_mut(place)?.take()
    }

    /// The message that the processor at `place` is putting into the interface.
    pub(crate) fn in_hand(&self, place: usize) -> Option<&HandedOver> {
        self.handover()?.in_hand.get(place)?.as_ref()
    }

    /// Whether a thread waits until a message is taken.
    pub(crate) fn has_starved(&self) -> bool {
        self.handover().is_some_and(|handover| !handover.starved.is_empty())
    }

    /// Records that a thread on `processor` waits until a message is taken.
    pub(crate) fn starve(&mut self, processor: usize) {
        if let Some(handover) = self.handover_mut() {
            handover.starved.push_back(processor);
        }
    }

    /// Removes and returns the processor that has waited longest until a message is taken.
    pub(crate) fn next_starved(&mut self) -> Option<usize> {
        self.handover_mut()?.starved.pop_front()
    }

    /// Whether no message that was handed over is left.
    pub(crate) fn is_done(&self) -> bool {
        self.handover().is_none_or(Handover::is_done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::testing::key;
    use crate::testing::ns;

    /// A message of key `number` to node `to`, with its number as its flight.
    fn message(to: u32, number: u32) -> HandedOver {
        HandedOver {
            stream: Stream { to: tempest::NodeId(to), key: key(number), places: false },
            flight: number,
        }
    }

    /// A message without a key.
    fn unkeyed(to: u32) -> HandedOver {
        let key = tempest::world::DispatchKey::NoSync;
        HandedOver { stream: Stream { to: tempest::NodeId(to), key, places: false }, flight: 0 }
    }

    fn hand_over(injection: &mut Injection, messages: &[HandedOver]) {
        for &message in messages {
            injection.push(ns(0), message, 0).expect("other processors inject");
        }
    }

    #[test]
    fn messages_enter_one_at_a_time_and_in_order() {
        let mut injection = Injection::Dedicated(Handover::of(1));
        assert!(injection.takes_from(false, 0) && !injection.takes_from(true, 0));
        let [first, second] = [message(5, 1), message(5, 2)];
        hand_over(&mut injection, &[first, second]);
        assert!(injection.take_oldest().is_some());
        assert!(!injection.may_begin(), "the first is not in the interface yet");
        assert_eq!(injection.release(0), Some(first));
        assert!(injection.stays_behind(unkeyed(5).stream, false), "the second still waits");
        assert!(injection.may_begin());
        assert!(injection.take_oldest().is_some());
        assert!(injection.stays_behind(unkeyed(5).stream, false), "the second is still on its way");
        assert_eq!(injection.release(0), Some(second));
        assert!(!injection.stays_behind(unkeyed(5).stream, false) && injection.is_done());
    }

    #[test]
    fn a_network_processor_sees_a_message_after_its_delay() {
        let mut injection = Injection::Network(Handover::of(1));
        injection.push(ns(7), message(5, 1), 0).expect("a network processor injects for others");
        assert!(!injection.shows(ns(6)) && injection.shows(ns(7)));
        // Its own handlers' messages with a key stay behind; those without one overtake.
        let [keyed, unkeyed] = [message(5, 2), unkeyed(5)].map(|message| message.stream);
        assert!(injection.stays_behind(keyed, true) && !injection.stays_behind(unkeyed, true));
        assert!(!injection.stays_behind(keyed, false), "a computing processor hands over");
        assert!(injection.take(0, ns(7)).is_some());
        assert!(injection.stays_behind(keyed, true), "it has taken the message and not injected it");
    }

    #[test]
    fn two_network_processors_share_the_messages_and_keep_each_stream_in_order() {
        let mut injection = Injection::Network(Handover::of(2));
        hand_over(&mut injection, &[message(4, 1), message(4, 1), message(4, 2), unkeyed(4), message(5, 1)]);
        assert_eq!(injection.take(0, ns(0)), Some(message(4, 1)));
        assert_eq!(
            injection.take(1, ns(0)),
            Some(message(4, 2)),
            "the second one is of the first one's stream"
        );
        assert!(injection.stays_behind(message(4, 1).stream, true));
        assert!(!injection.stays_behind(message(5, 2).stream, true));
        assert_eq!(injection.release(1), Some(message(4, 2)));
        assert_eq!(injection.take(1, ns(0)), Some(unkeyed(4)), "it has no stream");
        assert_eq!((injection.release(0), injection.release(1)), (Some(message(4, 1)), Some(unkeyed(4))));
        assert_eq!(injection.take(1, ns(0)), Some(message(4, 1)));
        assert_eq!(injection.take(0, ns(0)), Some(message(5, 1)), "another node is another stream");
        assert!(!injection.shows(ns(0)) && !injection.is_done());
    }

    #[test]
    fn no_message_overtakes_words_for_a_place_on_its_node() {
        let mut injection = Injection::Network(Handover::of(2));
        let mut words = unkeyed(4);
        words.stream.places = true;
        hand_over(&mut injection, &[words, message(4, 1), message(5, 1)]);
        assert_eq!(injection.take(0, ns(0)), Some(words));
        assert_eq!(injection.take(1, ns(0)), Some(message(5, 1)));
        assert!(!injection.shows(ns(0)));
        assert_eq!(injection.release(0), Some(words));
        assert!(injection.shows(ns(0)));
    }

    #[test]
    fn a_processor_that_idles_looks_for_what_it_cannot_see_yet_and_each_look_is_planned_once() {
        let mut injection = Injection::Network(Handover::of(1));
        let look = |at, minor| Order { at: ns(at), major: 0, minor };
        for (at, number) in [(5, 0), (7, 1), (9, 2)] {
            injection.push(ns(at), message(0, 1), 0).expect("a network processor injects for others");
            injection.keep_look(look(at, number));
        }
        let planned: Vec<Order> = injection.looks_after(ns(5)).collect();
        assert_eq!(planned, [look(7, 1), look(9, 2)]);
        assert_eq!(injection.looks_after(ns(5)).count(), 0);
    }

    #[test]
    fn a_sender_is_relieved_while_two_processors_are_dedicated() {
        let mut injection = Injection::Relieved(Handover::of(1));
        assert_eq!([0, 1, 2].map(|dedicated| injection.takes_from(false, dedicated)), [false, false, true]);
        let [first, second] = [message(5, 1), message(5, 2)];
        assert_eq!(injection.push(ns(0), first, 0), Err(first), "the last dedicated processor has left");
        assert_eq!(injection.push(ns(0), second, 1), Ok(()));
        injection.starve(3);
        assert!(injection.take_oldest().is_some());
        assert_eq!(injection.release(0), Some(second));
        assert!(!injection.is_done(), "a thread still waits for room");
        assert_eq!(injection.next_starved(), Some(3));
        assert!(injection.is_done());
    }
}
