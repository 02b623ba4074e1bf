//! Words of 1, 2, 4 and 8 bytes are memory, each by itself: an access to one never disturbs its neighbours in the same 8 bytes.

use bytemuck::{Pod, Zeroable};
use protocols::stache::STACHE;
use protocols::sync::{BarrierRoom, SharedBarrier};
use tempest::data::{ElementField, ElementLayout, IntegerWord, Word};
use tempest::entry::SharedMemory;
use tempest::memory::{AddressSpace, Frames};
use tempest::{
    Array, Cells, Element, Event, FinalState, Handler, Homes, Layout, Mechanism, NodeId, Protocol, Report,
    Rights, Segment, Setup, Shape, Shared, Thread, handlers,
};

use crate::Setting;
use crate::mapped::number;
use crate::shared_memory::FAN_IN;

/// Words of each thread in an array, and words that it changes between two barriers.
const OWN: usize = 24;

/// Times that a thread stores each of its words.
const ROUNDS: u64 = 12;

/// Words of each width, side by side with words of other threads of all nodes, hold their owners' stores, and a sum
/// holds all additions.
pub fn shared_memory_holds_words_of_every_width(setting: &Setting<'_>) {
    for (block, frames) in [(16, Frames::All), (128, Frames::OnDemand)] {
        let promise = "shared_memory_holds_words_of_every_width";
        let threads = (setting.nodes * setting.threads_per_node(2)) as usize;
        let plan = Plan::new(setting.nodes, block, frames, threads * OWN + 1);
        setting.verified_by::<Interleaved>(Mechanism::SharedMemory, promise, plan, 2);
    }
}

/// Words of each width stand where a transfer or a deposit has put them, from an odd place on, and none beside them changes;
/// where memory is mapped, threads of all nodes store, load and add to words side by side.
pub fn segments_hold_words_of_every_width(setting: &Setting<'_>) {
    setting.verified::<Placed>("segments_hold_words_of_every_width", (), 2);
}

struct Plan {
    memory: SharedMemory,
    barrier: BarrierRoom,
    arrays: Arrays,
}

/// An array of each width.
struct Arrays {
    bytes: Array<u8>,
    halves: Array<i16>,
    words: Array<u32>,
    longs: Array<u64>,
    reals: Array<f32>,
    records: Array<Mixed>,
}

impl Plan {
    fn new(nodes: u32, block: u32, frames: Frames, len: usize) -> Self {
        let mut layout = Layout::new(nodes, block).expect("blocks have a permitted length");
        let small = "it is small";
        let arrays = Arrays {
            bytes: layout.array("bytes", len, Homes::RoundRobin).expect(small),
            halves: layout.array("halves", len, Homes::RoundRobin).expect(small),
            words: layout.array("words", len, Homes::RoundRobin).expect(small),
            longs: layout.array("longs", len, Homes::RoundRobin).expect(small),
            reals: layout.array("reals", len, Homes::RoundRobin).expect(small),
            records: layout.structs("records", len, Homes::RoundRobin).expect(small),
        };
        let barrier = SharedBarrier::room(&mut layout).expect(small);
        let space = AddressSpace::new(layout, frames).expect("there are frames");
        Self { memory: SharedMemory { space, protocol: &STACHE }, barrier, arrays }
    }
}

/// A record whose fields have three widths.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Mixed {
    sum: f64,
    count: u32,
    kind: u16,
    flag: u8,
    unused: u8,
}

impl Element for Mixed {
    const LAYOUT: ElementLayout = ElementLayout {
        name: "mixed",
        bytes: 16,
        fields: &[
            ElementField::new("sum", 0, 8),
            ElementField::new("count", 8, 4),
            ElementField::new("kind", 12, 2),
            ElementField::new("flag", 14, 1),
        ],
    };
}

/// Arrays whose words belong to all threads in turn.
struct Interleaved {
    shape: Shape,
    bytes: Shared<u8>,
    halves: Shared<i16>,
    words: Shared<u32>,
    longs: Shared<u64>,
    reals: Shared<f32>,
    /// The fields of records.
    counts: Shared<u32>,
    kinds: Shared<u16>,
    flags: Shared<u8>,
    barrier: SharedBarrier,
}

impl Protocol for Interleaved {
    type Config = Plan;

    fn install(plan: &Plan, setup: &mut Setup<'_>) -> Self {
        let memory = plan.memory.install(setup);
        let arrays = &plan.arrays;
        Self {
            shape: setup.shape(),
            bytes: memory.bind(arrays.bytes),
            halves: memory.bind(arrays.halves),
            words: memory.bind(arrays.words),
            longs: memory.bind(arrays.longs),
            reals: memory.bind(arrays.reals),
            counts: memory.bind_field(arrays.records, "count"),
            kinds: memory.bind_field(arrays.records, "kind"),
            flags: memory.bind_field(arrays.records, "flag"),
            barrier: SharedBarrier::new(setup, &memory, plan.barrier, FAN_IN),
        }
    }
}

/// The value that the owner of a word stores there in a round.
fn value<T: Word>(owner: usize, word: usize, round: u64) -> T {
    // Bits of any width; for a float they are a small number.
    T::from_bits((owner as u64 * 37 + word as u64 * 11 + round * 101).wrapping_mul(0x0101_0101_0101))
}

impl Interleaved {
    fn threads(&self) -> usize {
        (self.shape.nodes * self.shape.threads) as usize
    }

    /// Makes a round in the words of a thread.
    fn visit<T: Word>(&self, thread: &Thread<'_>, array: &Shared<T>, mine: usize, round: u64) {
        for word in 0..OWN {
            let at = word * self.threads() + mine;
            if round > 0 {
                let found = thread.read(array, at).to_bits();
                assert_eq!(
                    found,
                    value::<T>(mine, word, round - 1).to_bits(),
                    "word {at} before round {round}"
                );
            }
            thread.write(array, at, value(mine, word, round));
        }
    }

    fn add<T: IntegerWord>(&self, thread: &Thread<'_>, array: &Shared<T>) {
        thread.fetch_add(array, OWN * self.threads(), T::from_bits(1));
    }

    /// Asserts that each owner's last store is there, read word by word and in runs.
    fn check<T: Word>(&self, thread: &Thread<'_>, array: &Shared<T>) {
        let threads = self.threads();
        let last = |at: usize| value::<T>(at % threads, at / threads, ROUNDS - 1).to_bits();
        thread.read_runs(array, 0..OWN * threads, |from, run| {
            for (at, found) in (from..).zip(run.iter()) {
                assert_eq!(found.to_bits(), last(at), "word {at} of a run in the end");
            }
        });
        for at in 0..OWN * threads {
            assert_eq!(thread.read(array, at).to_bits(), last(at), "word {at} in the end");
        }
    }

    /// Asserts that the sum is there, modulo the width of the word.
    fn check_sum<T: IntegerWord>(&self, thread: &Thread<'_>, array: &Shared<T>) {
        let (at, sum) = (OWN * self.threads(), ROUNDS * self.threads() as u64);
        let sum: T = T::from_bits(sum);
        assert_eq!(thread.read(array, at).to_bits(), sum.to_bits(), "what was added");
        assert!(thread.compare_exchange(array, at, sum, sum).is_ok(), "it may be exchanged for itself");
    }
}

#[handlers]
impl Interleaved {
    fn main(&self, thread: &Thread<'_>) {
        let mine = number(self.shape, thread.node(), thread.index());
        for round in 0..ROUNDS {
            self.visit(thread, &self.bytes, mine, round);
            self.visit(thread, &self.halves, mine, round);
            self.visit(thread, &self.words, mine, round);
            self.visit(thread, &self.longs, mine, round);
            self.visit(thread, &self.reals, mine, round);
            self.visit(thread, &self.counts, mine, round);
            self.visit(thread, &self.kinds, mine, round);
            self.visit(thread, &self.flags, mine, round);
            self.add(thread, &self.bytes);
            self.add(thread, &self.halves);
            self.add(thread, &self.words);
            self.add(thread, &self.longs);
            thread.poll();
        }
        self.barrier.wait(thread);
        self.check(thread, &self.bytes);
        self.check(thread, &self.halves);
        self.check(thread, &self.words);
        self.check(thread, &self.longs);
        self.check(thread, &self.reals);
        self.check(thread, &self.counts);
        self.check(thread, &self.kinds);
        self.check(thread, &self.flags);
        self.check_sum(thread, &self.bytes);
        self.check_sum(thread, &self.halves);
        self.check_sum(thread, &self.words);
        self.check_sum(thread, &self.longs);
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        // Every thread has asserted its values.
        Report { checks: 1, ..Report::default() }
    }
}

/// Bytes that a transfer puts into each segment, and bytes in front and behind.
const MOVED: usize = 64;
const EDGE: usize = 8;

/// Segments of each width, which the node before this one fills.
struct Placed {
    shape: Shape,
    bytes: Segment<u8>,
    halves: Segment<u16>,
    words: Segment<i32>,
    longs: Segment<f64>,
    /// A word for each thread of all nodes, and a word that all add to.
    side_by_side: Segment<u16>,
    landed: Event,
    wrong: Cells<u64>,
}

impl Protocol for Placed {
    type Config = ();

    fn install((): &(), setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        let threads = (shape.nodes * shape.threads) as usize;
        // Room for a transfer, a deposit behind it, and an edge before and behind each.
        let len = |width: usize| (2 * MOVED + 3 * EDGE) / width;
        Self {
            shape,
            bytes: setup.segment("widths.bytes", len(1), 0xee),
            halves: setup.segment("widths.halves", len(2), 0xeeee),
            words: setup.segment("widths.words", len(4), -1),
            longs: setup.segment("widths.longs", len(8), -1.0),
            side_by_side: setup.segment_for(Rights::ALL, "widths.side_by_side", threads + 1, 0),
            landed: Event::new("transfers"),
            wrong: Cells::new(1, 0),
        }
    }
}

impl Placed {
    /// The first word that a transfer fills, and that a deposit does: odd, where words are shorter than 8 bytes.
    fn places<T: Word>() -> [usize; 2] {
        let width = size_of::<T>();
        let first = EDGE / width - usize::from(width < 8);
        [first, first + (MOVED + EDGE) / width]
    }

    fn values<T: Word>(from: NodeId) -> Vec<T> {
        (0..MOVED / size_of::<T>()).map(|word| value(from.0 as usize, word, 0)).collect()
    }

    fn fill<T: Word>(&self, thread: &Thread<'_>, segment: &Segment<T>) {
        let (to, values, [first, second]) =
            (thread.next_node(), Self::values::<T>(thread.node()), Self::places::<T>());
        let packed = T::packed(&values);
        thread.transfer(to, segment.place(first as u32), &packed, Self::arrived());
        thread.deposit(to, segment.place(second as u32), &packed);
        thread.wait(segment.deposited(), (MOVED / 8) as u64);
    }

    fn check<T: Word>(&self, thread: &Thread<'_>, from: NodeId, segment: &Segment<T>, before: T) {
        let (values, places) = (Self::values::<T>(from), Self::places::<T>());
        for at in 0..segment.cells().len() {
            let moved = places.iter().find_map(|first| values.get(at.wrapping_sub(*first)));
            let right = segment.cells().get(thread, at).to_bits() == moved.unwrap_or(&before).to_bits();
            self.wrong.add(thread, 0, u64::from(!right));
        }
    }

    /// Each thread counts in a word of its own, all of them side by side on node 0.
    fn count(&self, thread: &Thread<'_>) {
        let Some(there) = thread.map(&self.side_by_side, NodeId(0)) else { return };
        let (mine, all) = (number(self.shape, thread.node(), thread.index()), there_are(self.shape));
        for round in 0..1000 {
            self.wrong.add(thread, 0, u64::from(there.get(mine) != round));
            there.put(mine, round + 1);
            there.fetch_add(all, 1);
        }
        self.wrong.add(thread, 0, u64::from(there.get(mine) != 1000));
    }
}

fn there_are(shape: Shape) -> usize {
    (shape.nodes * shape.threads) as usize
}

#[handlers]
impl Placed {
    /// A transfer is in place.
    #[message(key = 0)]
    fn arrived(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.landed, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        self.count(thread);
        if thread.index() == 0 {
            self.fill(thread, &self.bytes);
            self.fill(thread, &self.halves);
            self.fill(thread, &self.words);
            self.fill(thread, &self.longs);
            thread.wait(&self.landed, 4);
            let from = NodeId((thread.node().0 + thread.nodes() - 1) % thread.nodes());
            self.check(thread, from, &self.bytes, 0xee);
            self.check(thread, from, &self.halves, 0xeeee);
            self.check(thread, from, &self.words, -1);
            self.check(thread, from, &self.longs, -1.0);
        }
        thread.phase("all have counted");
        let all = there_are(self.shape);
        let sum = self.side_by_side.cells().get(thread, all);
        let expected = [0, (all * 1000) as u16];
        self.wrong.add(thread, 0, u64::from(thread.node() == NodeId(0) && !expected.contains(&sum)));
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let wrong = self.wrong.get(end, 0);
        Report::checked(wrong == 0, || format!("{wrong} words are wrong"))
    }
}
