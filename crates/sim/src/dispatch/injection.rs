//! The way of a node's messages into its interface: the processor that sends injects, or it hands the message to another one.
//!
//! Messages that were handed over enter the interface in the order in which they were handed over, one at a time. Must never know
//! what a message says, nor what an injection costs.

use std::collections::VecDeque;

use machine::{Capability, Machine};
use tempest::Policy;
use tempest::policy::{Dispatch, Injector, Servers};
use units::Time;

/// The processors of a node that inject, for messages of type `M` that are handed over.
#[derive(Debug)]
pub(crate) enum Injection<M> {
    /// Each processor injects what it sends.
    Sender,
    /// Dedicated processors inject what the others send.
    Dedicated(Handover<M>),
    /// A network processor injects what the others send.
    Network(Handover<M>),
    /// Each processor injects what it sends, unless a second processor is dedicated for a time: handlers run one at a time, so
    /// that it would have nothing else to do.
    Relieved(Handover<M>),
}

/// The messages that have been handed over and have not entered the interface.
#[derive(Debug)]
pub(crate) struct Handover<M> {
    /// Each with the time from which the other processor can see it.
    waiting: VecDeque<(Time, M)>,
    /// The messages that have been taken and are not in the interface, each with the number of the processor that took it.
    in_hand: Vec<(usize, M)>,
    /// The processors whose threads wait until a message has been taken, in order.
    starved: VecDeque<usize>,
}

impl<M> Default for Handover<M> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), in_hand: Vec::new(), starved: VecDeque::new() }
    }
}

impl<M> Handover<M> {
    /// Whether the oldest message can be seen at `now`.
    fn is_visible(&self, now: Time) -> bool {
        self.waiting.front().is_some_and(|&(visible_at, _)| visible_at <= now)
    }

    /// Whether the processor of that number has taken a message that is not in the interface.
    fn is_held_by(&self, number: usize) -> bool {
        self.in_hand.iter().any(|&(holder, _)| holder == number)
    }

    /// Whether every message that was handed over is in the interface, and no thread waits for room.
    fn is_done(&self) -> bool {
        !self.is_busy() && self.starved.is_empty()
    }

    /// Whether a message that was handed over is not in the interface yet.
    fn is_busy(&self) -> bool {
        !self.in_hand.is_empty() || !self.waiting.is_empty()
    }
}

impl<M> Injection<M> {
    /// The way of messages under a policy. `has_loop` says whether a network processor is at work.
    pub(crate) fn of(machine: &Machine, policy: &Policy, has_loop: bool) -> Self {
        let each_sends = machine.can.contains(&Capability::SenderInjects);
        match policy.injector {
            Injector::Protocol if !each_sends => Self::Dedicated(Handover::default()),
            Injector::Network if has_loop => Self::Network(Handover::default()),
            Injector::Sender if policy.servers == Servers::Adaptive => {
                let relieves = policy.dispatch == Dispatch::Serial && !each_sends;
                if relieves { Self::Relieved(Handover::default()) } else { Self::Sender }
            }
            _ => Self::Sender,
        }
    }

    /// Whether the threads of a processor hand over what they send, where it is dedicated or not and `dedicated` processors of
    /// the node are dedicated for a time.
    pub(crate) fn takes_from(&self, is_dedicated: bool, dedicated: u32) -> bool {
        !is_dedicated
            && match self {
                Self::Sender => false,
                Self::Dedicated(_) | Self::Network(_) => true,
                Self::Relieved(_) => dedicated > 1,
            }
    }

    /// Whether a message stays behind the messages that have been handed over, so that the order is kept. `by_loop` is the number of
    /// the network processor that sends, if one does, and `keyed` says whether the message has a key.
    pub(crate) fn stays_behind(&self, by_loop: Option<usize>, keyed: impl FnOnce() -> bool) -> bool {
        match self {
            Self::Sender => false,
            Self::Dedicated(handover) | Self::Relieved(handover) => handover.is_busy(),
            Self::Network(handover) => by_loop.is_some_and(|number| {
                (handover.is_held_by(number) || !handover.waiting.is_empty()) && keyed()
            }),
        }
    }

    /// Hands a message over. It comes back if no processor injects for others now: with `dedicated` processors dedicated for a
    /// time, the one that injected may have left.
    pub(crate) fn push(&mut self, visible_at: Time, message: M, dedicated: u32) -> Result<(), M> {
        match self {
            Self::Sender => Err(message),
            Self::Relieved(_) if dedicated == 0 => Err(message),
            Self::Dedicated(handover) | Self::Network(handover) | Self::Relieved(handover) => {
                handover.waiting.push_back((visible_at, message));
                Ok(())
            }
        }
    }

    fn handover(&self) -> Option<&Handover<M>> {
        match self {
            Self::Sender => None,
            Self::Dedicated(handover) | Self::Network(handover) | Self::Relieved(handover) => Some(handover),
        }
    }

    fn handover_mut(&mut self) -> Option<&mut Handover<M>> {
        match self {
            Self::Sender => None,
            Self::Dedicated(handover) | Self::Network(handover) | Self::Relieved(handover) => Some(handover),
        }
    }

    /// The number of messages that wait for injection.
    pub(crate) fn waiting(&self) -> usize {
        self.handover().map_or(0, |handover| handover.waiting.len())
    }

    /// Whether a dedicated processor that has nothing else to do could begin an injection.
    pub(crate) fn may_begin(&self) -> bool {
        match self {
            Self::Dedicated(handover) | Self::Relieved(handover) => {
                handover.in_hand.is_empty() && !handover.waiting.is_empty()
            }
            Self::Sender | Self::Network(_) => false,
        }
    }

    /// Whether a network processor sees a message that it may take at `now`.
    pub(crate) fn shows(&self, now: Time) -> bool {
        matches!(self, Self::Network(handover) if handover.is_visible(now))
    }

    /// Takes the oldest message that waits.
    pub(crate) fn pop(&mut self) -> Option<M> {
        Some(self.handover_mut()?.waiting.pop_front()?.1)
    }

    /// The processor of that number has a message in hand, on its way into the interface.
    pub(crate) fn keep(&mut self, number: usize, message: M) {
        if let Some(handover) = self.handover_mut() {
            handover.in_hand.push((number, message));
        }
    }

    /// The message that a processor has in hand, which goes on.
    pub(crate) fn release(&mut self, number: usize) -> Option<M> {
        let in_hand = &mut self.handover_mut()?.in_hand;
        let place = in_hand.iter().position(|&(holder, _)| holder == number)?;
        Some(in_hand.remove(place).1)
    }

    /// A thread on `processor` waits until a message has been taken.
    pub(crate) fn starve(&mut self, processor: usize) {
        if let Some(handover) = self.handover_mut() {
            handover.starved.push_back(processor);
        }
    }

    /// The processor that has waited longest until a message is taken.
    pub(crate) fn next_starved(&mut self) -> Option<usize> {
        self.handover_mut()?.starved.pop_front()
    }

    /// Whether nothing that was handed over is left.
    pub(crate) fn is_done(&self) -> bool {
        self.handover().is_none_or(Handover::is_done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(n: u64) -> Time {
        Time::from_nanoseconds(n)
    }

    fn take<M>(injection: &mut Injection<M>, number: usize) {
        let message = injection.pop().expect("a message waits");
        injection.keep(number, message);
    }

    #[test]
    fn messages_enter_one_at_a_time_and_in_order() {
        let mut injection = Injection::Dedicated(Handover::default());
        assert!(injection.takes_from(false, 0) && !injection.takes_from(true, 0));
        for message in ["first", "second"] {
            injection.push(ns(0), message, 0).expect("dedicated processors inject for others");
        }
        take(&mut injection, 3);
        assert!(!injection.may_begin(), "the first is not in the interface yet");
        assert_eq!(injection.release(3), Some("first"));
        assert!(injection.stays_behind(None, || false), "the second still waits");
        assert!(injection.may_begin());
        take(&mut injection, 2);
        assert!(injection.stays_behind(None, || false), "the second is still on its way");
        assert_eq!(injection.release(2), Some("second"));
        assert!(!injection.stays_behind(None, || false) && injection.is_done());
    }

    #[test]
    fn a_network_processor_sees_a_message_after_its_delay() {
        let mut injection = Injection::Network(Handover::default());
        injection.push(ns(7), 'a', 0).expect("a network processor injects for others");
        assert!(!injection.shows(ns(6)) && injection.shows(ns(7)));
        // Its own handlers' messages with a key stay behind; those without one overtake.
        assert!(injection.stays_behind(Some(1), || true) && !injection.stays_behind(Some(1), || false));
        assert!(!injection.stays_behind(None, || true), "a computing processor hands over");
        take(&mut injection, 1);
        assert!(injection.stays_behind(Some(1), || true), "it has taken the message and not injected it");
    }

    #[test]
    fn a_sender_is_relieved_while_two_processors_are_dedicated() {
        let mut injection = Injection::Relieved(Handover::default());
        assert_eq!([0, 1, 2].map(|dedicated| injection.takes_from(false, dedicated)), [false, false, true]);
        assert_eq!(injection.push(ns(0), 1, 0), Err(1), "the last dedicated processor has left");
        assert_eq!(injection.push(ns(0), 2, 1), Ok(()));
        injection.starve(3);
        take(&mut injection, 0);
        assert_eq!(injection.release(0), Some(2));
        assert!(!injection.is_done(), "a thread still waits for room");
        assert_eq!(injection.next_starved(), Some(3));
        assert!(injection.is_done());
    }
}
