//! The program on one node: its messages, and the joint work of its threads. This module must never know when a message
//! is made.

use std::sync::Arc;

use protocols::sync::{Collectives, Reduction};
use tempest::{
    Cells, Event, FinalState, Handler, Keyed, MAX_WORDS, Mechanism, NodeId, Operations, Protocol, Report,
    Segment, Setup, Thread, handlers,
};

use super::curve::{Curve, Point, Target};
use super::load::Capacity;
use super::source::{Node, Source, Stamp};
use super::study::Study;
use crate::kit::arrivals::Arrivals;
use crate::kit::statistics::{Batches, PLACES, SUMS, Search};

/// The only key: messages of a node are handled one after the other.
const KEY: u64 = 0;

/// The fewest and the most messages of a sender in the flood.
const FLOOD: (u32, u32) = (8, 4096);

/// The most rounds in which all look whether every message has been handled. The time between them doubles.
const ROUNDS: u32 = 48;

/// The first time between two of these looks at least, in femtoseconds.
const LEAST_PAUSE: f64 = 1e6;

/// The least time before the messages that count, in latencies of a lone message.
const WARM: f64 = 4.0;

/// The measurements of a node: first of the load that is offered now, and at the end of all loads.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// Times at which each message that this node has handled was made, and at which its handler began, in
    /// femtoseconds.
    arrived: Vec<(u64, u64)>,
    /// The results, on node 0.
    curve: Option<Curve>,
}

/// The state of the program on one node.
pub(super) struct Traffic {
    study: Arc<Study>,
    node: NodeId,
    collectives: Arc<Collectives>,
    record: Keyed<Record>,
    /// Room where blocks arrive, one over the other.
    landing: Segment<u64>,
    /// The number of answers that each thread has had.
    answered: Vec<Event>,
    /// Raised when it is this node's turn to send lone messages.
    turn: Event,
    /// The number of messages that this node has made, and the number that it has handled.
    totals: Cells<u64>,
}

const MADE: usize = 0;
const HANDLED: usize = 1;

/// The word at `index` of every block.
fn word(index: usize) -> u64 {
    tempest::entry::mix(index as u64 + 1)
}

impl Protocol for Traffic {
    type Config = Arc<Study>;

    fn install(study: &Arc<Study>, setup: &mut Setup<'_>) -> Self {
        let node = setup.node();
        let lands = study.mechanism == Mechanism::Bulk && study.asked.pattern.receives(node.0, &study.space);
        Self {
            study: Arc::clone(study),
            node,
            collectives: setup.install::<Collectives>(&Collectives::FAN_IN),
            record: setup.keyed(1, |_| Record::default()),
            landing: setup.segment("traffic.landing", if lands { study.words } else { 0 }, 0),
            answered: (0..study.threads).map(|_| Event::new("traffic.answered")).collect(),
            turn: Event::new("traffic.turn"),
            totals: Cells::new(2, 0),
        }
    }
}

#[handlers]
impl Traffic {
    /// A message of one word or more: the stamp and the payload.
    #[message(key = KEY)]
    fn item(&self, stamp: u64, _payload: &[u64], cx: &mut Handler<'_>) {
        self.take(Stamp(stamp), cx);
    }

    /// A message without words. A model does not charge for the stamp, which only measures.
    #[message(key = KEY, bytes = 0)]
    fn empty(&self, stamp: u64, cx: &mut Handler<'_>) {
        self.take(Stamp(stamp), cx);
    }

    /// Says that a block is in its place.
    #[message(key = KEY, bytes = 0)]
    fn block(&self, stamp: u64, cx: &mut Handler<'_>) {
        self.take(Stamp(stamp), cx);
    }

    /// Answers a message of a thread.
    #[message]
    fn answer(&self, thread: u32, cx: &mut Handler<'_>) {
        cx.signal(&self.answered[thread as usize], 1);
    }

    /// Gives a node its turn to send lone messages.
    #[message]
    fn go(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.turn, 1);
    }

    /// Notes a message, and answers if it asks for that.
    fn take(&self, stamp: Stamp, cx: &mut Handler<'_>) {
        let began = cx.now().as_femtoseconds();
        cx.charge(Operations::NONE.integers(self.study.asked.handler));
        cx.with(&self.record, |record, _| record.arrived.push((stamp.made(), began)));
        self.totals.add(cx, HANDLED, 1);
        if let Some(thread) = stamp.asks() {
            let source = cx.source();
            cx.send(source, Self::answer(thread));
        }
    }

    /// Sends a message. While there is no room, the thread receives.
    fn send(&self, thread: &Thread<'_>, to: u32, stamp: Stamp, block: &[u64]) {
        const NOTHING: [u64; MAX_WORDS] = [0; MAX_WORDS];
        let (to, stamp) = (NodeId(to), stamp.0);
        self.totals.add(thread, MADE, 1);
        match (self.study.mechanism, self.study.words) {
            (Mechanism::Bulk, _) => thread.transfer(to, self.landing.place(0), block, Self::block(stamp)),
            (_, 0) => thread.send(to, Self::empty(stamp)),
            (_, words) => thread.send_with(to, Self::item(stamp), &NOTHING[1..words]),
        }
    }

    /// The words of the block that each thread sends.
    fn a_block(&self) -> Vec<u64> {
        let words = if self.study.mechanism == Mechanism::Bulk { self.study.words } else { 0 };
        (0..words).map(word).collect()
    }

    /// A time, in femtoseconds, by which every thread has come to this and knows of it.
    fn meet(&self, thread: &Thread<'_>) -> f64 {
        let last = || self.collectives.all_reduce(thread, Reduction::Max, thread.now().as_femtoseconds());
        let come = last();
        // When the last thread has heard of the first meeting. Of the second all hear in about the same time.
        let told = last();
        told as f64 + 1.25 * (told - come) as f64
    }

    /// Sends lone messages, one after the other. Returns their mean latency in femtoseconds.
    fn lone(&self, thread: &Thread<'_>, source: &mut Source<'_>) -> f64 {
        let lone = if thread.index() == 0 { self.study.lone(self.node.0) } else { None };
        if let Some((is_first, next)) = lone {
            thread.wait(&self.turn, u64::from(!is_first));
            source.lone(self.study.lone_each());
            if let Some(next) = next {
                thread.send(NodeId(next), Self::go());
            }
        }
        self.drain(thread, source, LEAST_PAUSE);
        let arrived = self.arrived(thread);
        let waits: f64 = arrived.iter().map(|(made, began)| began.saturating_sub(*made) as f64).sum();
        let mut sums = [waits, arrived.len() as f64];
        self.collectives.all_reduce_each(thread, Reduction::Sum, &mut sums);
        sums[0] / sums[1].max(1.0)
    }

    /// Sends as fast as it goes. Returns the rate per sender at which the middle half of all messages were handled, in messages per
    /// second.
    fn flood(&self, thread: &Thread<'_>, source: &mut Source<'_>, lone: f64) -> f64 {
        let start = self.meet(thread);
        source.stay(start);
        let each = self.study.messages.clamp(FLOOD.0, FLOOD.1);
        source.flood(thread.share(0..each).count());
        self.drain(thread, source, lone);
        let mut began: Vec<u64> =
            self.arrived(thread).iter().map(|(_, began)| began.saturating_sub(start as u64)).collect();
        began.sort_unstable();
        let all = self.sum(thread, began.len() as u64);
        let (least, most) = self.ends(thread, &began);
        let ranks = [(all / 4).max(1), (all * 3 / 4).max(1)];
        let [early, late] = self.ranked(thread, &began, ranks, least..=most, (most - least) >> 16);
        let handled = (ranks[1] - ranks[0]) as f64;
        handled * 1e15 / late.saturating_sub(early).max(1) as f64 / f64::from(self.study.senders)
    }

    /// Offers a load, and returns its result.
    fn offer(&self, thread: &Thread<'_>, source: &mut Source<'_>, lone: f64, target: Target) -> Point {
        let start = self.meet(thread);
        let apart = 1e15 / target.rate;
        let counted = f64::from(self.study.messages) * apart;
        // Messages under way at the start of the window must be under this load.
        let from = start + (counted / 2.0).max(WARM * lone);
        let window = from..from + counted;
        let end = window.end + (counted / 4.0).max(WARM / 2.0 * lone);
        match target.window {
            Some(window) => source.closed(window, start..end),
            None => source.open(apart, start..end),
        }
        let totals = self.drain(thread, source, lone);
        let (mut batches, mut accepted, mut latencies) = (Batches::EMPTY, 0.0, Vec::new());
        for (made, began) in self.arrived(thread) {
            accepted += f64::from(u8::from(window.contains(&(began as f64))));
            if window.contains(&(made as f64)) {
                let latency = began.saturating_sub(made);
                latencies.push(latency);
                batches.add(made as f64, &window, latency as f64);
            }
        }
        latencies.sort_unstable();
        let mut sums = [0.0; SUMS + 1];
        sums[..SUMS].copy_from_slice(&batches.sums);
        sums[SUMS] = accepted;
        self.collectives.all_reduce_each(thread, Reduction::Sum, &mut sums);
        batches.sums.copy_from_slice(&sums[..SUMS]);
        let (least, most) = self.ends(thread, &latencies);
        let count = batches.count();
        let ranks = [0.5, 0.99].map(|share| ((count * share).ceil() as u64).max(1));
        let tolerance = (batches.mean() / 1024.0) as u64;
        let ranked = if count > 0.0 {
            self.ranked(thread, &latencies, ranks, least..=most, tolerance)
        } else {
            [0; 2]
        };
        let rate = |messages: f64| messages * 1e15 / counted / f64::from(self.study.senders);
        Point {
            target,
            offered: rate(count),
            accepted: rate(sums[SUMS]),
            latency: batches.mean(),
            half_width: batches.half_width(),
            median: ranked[0] as f64,
            p99: ranked[1] as f64,
            totals,
        }
    }

    /// The messages that this node has handled since this was last asked; asked by one thread, all of them.
    fn arrived(&self, thread: &Thread<'_>) -> Vec<(u64, u64)> {
        if thread.index() > 0 {
            return Vec::new();
        }
        thread.hold(self.record.key(KEY), |cx| {
            cx.with(&self.record, |record, _| std::mem::take(&mut record.arrived))
        })
    }

    /// Waits until every message has been handled. Returns the numbers of messages that were made and handled in all.
    fn drain(&self, thread: &Thread<'_>, source: &Source<'_>, pause: f64) -> [u64; 2] {
        // When all have come to this, all have sent all of theirs.
        self.collectives.barrier(thread);
        let own = |total| if thread.index() == 0 { self.totals.get(thread, total) } else { 0 };
        let (mut pause, mut totals) = (pause.max(LEAST_PAUSE), [0; 2]);
        for _ in 0..ROUNDS {
            totals = [own(MADE), own(HANDLED)];
            self.collectives.all_reduce_each(thread, Reduction::Sum, &mut totals);
            if totals[MADE] == totals[HANDLED] {
                break;
            }
            source.stay(thread.now().as_femtoseconds() as f64 + pause);
            pause *= 2.0;
        }
        totals
    }

    fn sum(&self, thread: &Thread<'_>, value: u64) -> u64 {
        self.collectives.all_reduce(thread, Reduction::Sum, value)
    }

    /// The least and the greatest of the ascending values of all nodes.
    fn ends(&self, thread: &Thread<'_>, values: &[u64]) -> (u64, u64) {
        let least = values.first().map_or(0, |least| u64::MAX - least);
        let mut ends = [least, values.last().copied().unwrap_or(0)];
        self.collectives.all_reduce_each(thread, Reduction::Max, &mut ends);
        (u64::MAX - ends[0], ends[1])
    }

    /// The values of two ranks among the ascending values of all nodes.
    fn ranked(
        &self,
        thread: &Thread<'_>,
        values: &[u64],
        ranks: [u64; 2],
        within: std::ops::RangeInclusive<u64>,
        tolerance: u64,
    ) -> [u64; 2] {
        let mut searches = ranks.map(|rank| Search::new(rank, *within.start(), *within.end()));
        while !searches.iter().all(|search| search.is_over(tolerance)) {
            let up_to = |place| values.partition_point(|value| *value <= place) as u64;
            let mut counts = [0; 2 * PLACES];
            let places = searches.iter().flat_map(Search::places);
            counts.iter_mut().zip(places).for_each(|(count, place)| *count = up_to(place));
            self.collectives.all_reduce_each(thread, Reduction::Sum, &mut counts);
            searches.iter_mut().zip(counts.chunks(PLACES)).for_each(|(search, counts)| search.narrow(counts));
        }
        searches.map(|search| search.value())
    }

    fn main(&self, thread: &Thread<'_>) {
        let block = self.a_block();
        let node = Node {
            study: &self.study,
            answered: &self.answered[thread.index() as usize],
            shared: &self.turn,
            send: &|to, stamp| self.send(thread, to, stamp, &block),
        };
        let mut source = Source::new(node, thread);
        let lone = self.lone(thread, &mut source);
        source.know(lone);
        thread.phase("flood");
        let carried = self.flood(thread, &mut source, lone);
        let capacity = match self.study.asked.capacity {
            Capacity::Measured => carried,
            Capacity::Given(rate) => rate.messages(self.study.asked.size.get()).expect("it was checked"),
        };
        let mut curve = Curve::new(&self.study, lone, carried, capacity);
        thread.phase("curve");
        for target in curve.targets() {
            curve.add(self.offer(thread, &mut source, lone, target));
        }
        thread.phase("search");
        let steps = if self.study.asked.arrivals == Arrivals::Closed { 0 } else { self.study.asked.steps };
        for _ in 0..steps {
            let Some(target) = curve.between() else { break };
            curve.add(self.offer(thread, &mut source, lone, target));
        }
        if self.node == NodeId(0) && thread.index() == 0 {
            thread.hold(self.record.key(KEY), |cx| {
                cx.with(&self.record, |record, _| record.curve = Some(curve));
            });
        }
    }

    /// Whether the words of the last block that came are right.
    fn is_whole(&self, end: &FinalState<'_>) -> bool {
        let landed = self.landing.cells();
        self.totals.get(end, HANDLED) == 0
            || (0..landed.len()).all(|index| landed.get(end, index) == word(index))
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let whole = Report::checked(self.is_whole(end), || format!("{}: wrong words of a block", self.node));
        let Some(curve) = &end.get(&self.record, KEY).curve else { return whole };
        let mut report = curve.report();
        report.merge(whole);
        report
    }
}
