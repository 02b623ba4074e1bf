//! A lane between two ends of which neither may trust the other: a third party writes any value to any word that they share. For every
//! value, an end refuses impossible lines and counts by name, and never panics, hangs, or accesses a word that is not there.
//!
//! ```text
//! cargo test -p tradewind-native --lib rings::mutated                                   # 10^5 mutations
//! cargo test --release -p tradewind-native --lib rings::mutated -- --include-ignored    # 10^7 mutations
//! ```

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tempest::entry::mix;
use tempest::world::{MessageId, Packet};
use tempest::{MAX_WORDS, NodeId};

use crate::rings::backlog::Backlog;
use crate::rings::bounds::{Bounds, Depths};
use crate::rings::channel::Channel;
use crate::rings::lane::Lane;
use crate::rings::message::{Origin, Received};
use crate::rings::outbox::PAGE_BYTES;

const KINDS: usize = 3;

/// Mutations of a lane. More would find a lane that has refused all by then.
const EACH: u64 = 50;

/// Random numbers: the scattered bits of consecutive ones.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(1);
        mix(self.0)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Another value of a word: near its own, with another bit, or any.
    pub(crate) fn mutation(&mut self, of: u64) -> u64 {
        match self.below(6) {
            0 => of.wrapping_add(1 + self.below(8)),
            1 => of.wrapping_sub(1 + self.below(8)),
            2 | 3 => of ^ 1 << self.below(64),
            4 => [0, u64::MAX, 1 << 63, u64::MAX - 1][self.below(4) as usize],
            _ => self.next(),
        }
    }
}

/// Writes to a random word of a channel: one time in four to a count.
pub(crate) fn mutate(channel: &Channel, random: &mut Random) {
    let word = if random.below(4) == 0 {
        channel.counts()[random.below(2) as usize]
    } else {
        &channel.line(random.below(channel.lines() as u64))[random.below(8) as usize]
    };
    word.store(random.mutation(word.load(Ordering::Relaxed)), Ordering::Relaxed);
}

/// The refusals of the ends of lanes.
#[derive(Default, Debug)]
struct Refusals {
    by_sender: u64,
    by_receiver: u64,
}

/// Sends and receives through a lane while its words are mutated, and a little longer.
fn disturb(seed: u64, refusals: &mut Refusals) {
    let bounds = Bounds::new(Depths { slots: 4, window: 8, outboxes: 4 * PAGE_BYTES }, 1, KINDS);
    let lane = Lane::new(4, &bounds, seed.is_multiple_of(2));
    let over = AtomicBool::new(false);
    let (lane, over) = (&lane, &over);
    let (by_sender, by_receiver) = thread::scope(|scope| {
        let receiver = scope.spawn(move || receive(lane, over));
        let sender = scope.spawn(move || send(lane, Random(seed), over));
        let (channel, mut random) = (lane.receiver.channel().clone(), Random(!seed));
        for _ in 0..EACH {
            mutate(&channel, &mut random);
            (0..random.below(200)).for_each(|_| std::hint::spin_loop());
        }
        over.store(true, Ordering::Relaxed);
        (sender.join().expect("no mutation makes a sender panic"), receiver.join())
    });
    refusals.by_sender += by_sender;
    refusals.by_receiver += by_receiver.expect("no mutation makes a receiver panic");
}

/// Sends messages of any kind, length and origin. Returns whether the sender has refused a count, as a number.
fn send(lane: &Lane, mut random: Random, over: &AtomicBool) -> u64 {
    let (backlog, mut left) = (Backlog::new(64), 100);
    while left > 0 {
        left -= u64::from(over.load(Ordering::Relaxed));
        let words = [7; MAX_WORDS];
        let id = MessageId(random.below(KINDS as u64) as u16);
        let words = &words[..random.below(1 + MAX_WORDS as u64) as usize];
        let packet = Packet::from_parts(id, NodeId(0), words).expect("the words fit");
        match random.below(8) {
            0 => _ = lane.sender.post(&packet, Origin::Handler, left, &backlog),
            1 => _ = lane.sender.flush(&backlog),
            _ => _ = lane.sender.offer(&packet, left, &backlog),
        }
    }
    u64::from(lane.sender.bad_count().is_some())
}

/// Takes messages out, and acknowledges them. Returns the number of refused lines.
fn receive(lane: &Lane, over: &AtomicBool) -> u64 {
    let (mut message, mut refused, mut left) = (Received::blank(), 0, 100);
    while left > 0 {
        left -= u64::from(over.load(Ordering::Relaxed));
        lane.receiver.look_ahead(NodeId(0), |packet| assert!(packet.words().len() <= MAX_WORDS));
        let mut handled = 0;
        let drained = lane.receiver.receive(16, NodeId(0), &mut message, |message, is_good| {
            refused += u64::from(is_good.is_err());
            handled += u64::from(is_good.is_ok() && message.origin == Origin::Thread);
            assert!(message.packet.words().len() <= MAX_WORDS && message.packet.source() == NodeId(0));
            true
        });
        refused += u64::from(drained.bad.is_some());
        assert!(drained.messages <= 16);
        lane.receiver.has_message();
        lane.receiver.count_handled(handled);
        lane.receiver.publish_acknowledged();
    }
    refused
}

fn dose(mutations: u64) {
    let mut refusals = Refusals::default();
    (0..mutations / EACH).for_each(|seed| disturb(seed, &mut refusals));
    let are_noticed = refusals.by_sender > 0 && refusals.by_receiver > 0;
    assert!(are_noticed, "of {mutations} mutations an end noticed none: {refusals:?}");
}

#[test]
fn mutated_words_of_a_lane_are_refused() {
    dose(100_000);
}

/// The long dose.
#[test]
#[ignore = "it takes minutes"]
fn mutated_words_of_a_lane_are_refused_ten_million_times() {
    dose(10_000_000);
}
