//! Private arrays in modelled caches: they miss exactly as caches of a few lines of code say, and nothing else changes that.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tempest::data::{ElementField, ElementLayout};
use tempest::world::AddressRange;
use tempest::world::{Launch, World};
use tempest::{Access, Element, FinalState, Job, Protocol, Report, Segment, Setup, Thread, handlers};
use tradewind_sim::Model;

use crate::setup::machine;

const NAME: &str = "stream";
const LINE: u64 = 32;
const LINES: u64 = 256;

/// A record of 24 bytes with a gap.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Record {
    value: f64,
    count: u64,
}

const FIELDS: &[ElementField] = &[ElementField::new("value", 0, 8), ElementField::new("count", 16, 4)];

impl Element for Record {
    const LAYOUT: ElementLayout = ElementLayout { name: "record", bytes: 24, fields: FIELDS };
}

/// A stream over the elements of an array: their modelled size, their number, and the elements from one to the next.
#[derive(Clone, Copy, Debug)]
struct Stream {
    bytes: u64,
    len: usize,
    stride: usize,
}

/// The streams of a run, and their results.
struct Trial {
    streams: Vec<Stream>,
    /// The misses of each stream, element by element and by views.
    misses: Vec<AtomicU64>,
}

/// Goes over each stream twice, element by element, and then once by views.
struct Streams {
    asked: Arc<Trial>,
}

impl Protocol for Streams {
    type Config = Arc<Trial>;
    fn install(asked: &Arc<Trial>, _: &mut Setup<'_>) -> Self {
        Self { asked: Arc::clone(asked) }
    }
}

#[handlers]
impl Streams {
    fn go<T: Element>(&self, thread: &Thread<'_>, number: usize) {
        let Stream { len, stride, .. } = self.asked.streams[number];
        let mut array = thread.private::<T>(NAME, len);
        let begun = thread.memory_events();
        for index in (0..len).step_by(stride) {
            array.get(thread, index);
        }
        for index in (0..len).step_by(stride) {
            let value = array.get(thread, index);
            array.set(thread, index, value);
        }
        let between = thread.memory_events();
        for index in (0..len).step_by(if stride == 1 { len } else { stride }) {
            let end = if stride == 1 { len } else { index + 1 };
            array.view_mut(thread, index..end);
        }
        let ended = thread.memory_events();
        self.asked.misses[2 * number].store(between.since(begun).misses, Ordering::Relaxed);
        self.asked.misses[2 * number + 1].store(ended.since(between).misses, Ordering::Relaxed);
    }

    fn main(&self, thread: &Thread<'_>) {
        for (number, stream) in self.asked.streams.iter().enumerate() {
            match stream.bytes {
                1 => self.go::<u8>(thread, number),
                2 => self.go::<u16>(thread, number),
                4 => self.go::<f32>(thread, number),
                8 => self.go::<u64>(thread, number),
                _ => self.go::<Record>(thread, number),
            }
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

/// A cache by the book: for each set its lines, the one used last at the end.
struct Book {
    sets: Vec<Vec<u64>>,
    ways: usize,
    misses: u64,
}

impl Book {
    fn new(ways: usize) -> Self {
        Self { sets: vec![Vec::new(); LINES as usize / ways], ways, misses: 0 }
    }

    fn access(&mut self, address: u64) {
        let line = address / LINE;
        let count = self.sets.len() as u64;
        let set = &mut self.sets[(line % count) as usize];
        match set.iter().position(|there| *there == line) {
            Some(place) => drop(set.remove(place)),
            None => {
                self.misses += 1;
                if set.len() == self.ways {
                    set.remove(0);
                }
            }
        }
        set.push(line);
    }

    /// Goes over a stream, `times` times over each element before the next. Returns the misses.
    fn go(&mut self, stream: Stream, times: u32) -> u64 {
        let (before, first) = (self.misses, AddressRange::Private.page_named(NAME, 0));
        let fields: &[u64] = if stream.bytes == 24 { &[0, 16] } else { &[0] };
        for index in (0..stream.len).step_by(stream.stride) {
            for field in fields.repeat(times as usize) {
                self.access(first + index as u64 * stream.bytes + field);
            }
        }
        self.misses - before
    }
}

/// Twenty sizes and strides: from arrays that fit the cache of 8 KiB to some that are many times as large.
fn streams() -> Vec<Stream> {
    let all = [100, 1024, 1500, 5000].into_iter().enumerate().flat_map(|(row, len)| {
        [1, 3, 8, 64, 1024].into_iter().enumerate().map(move |(column, stride)| {
            let bytes = [1, 2, 4, 8, 24][(row + column) % 5];
            Stream { bytes, len, stride }
        })
    });
    all.collect()
}

#[test]
fn a_stream_misses_as_caches_by_the_book_do() {
    for ways in [1, 4] {
        let streams = streams();
        let misses = (0..2 * streams.len()).map(|_| AtomicU64::new(0)).collect();
        let asked = Arc::new(Trial { streams, misses });
        let launch = Launch {
            nodes: 1,
            processors: 1,
            ..Launch::new(Job::new::<Streams>(Arc::clone(&asked)), "floating".parse().expect("a policy"))
        };
        let set = [("cache.size", "8 KiB"), ("cache.ways", &*ways.to_string())];
        Model::new(machine("hurricane-1", &set)).run(&launch).expect("the run ends well");
        let mut book = Book::new(ways);
        for (number, &stream) in asked.streams.iter().enumerate() {
            let expected = [book.go(stream, 1) + book.go(stream, 2), book.go(stream, 1)];
            let found = [0, 1].map(|way| asked.misses[2 * number + way].load(Ordering::Relaxed));
            assert_eq!(found, expected, "{stream:?} in {ways} ways");
        }
    }
}

/// Two threads of a node that each add to a counter of four bytes.
struct Counters {
    counters: Segment<u32>,
    asked: Arc<Apart>,
}

/// The distance of the counters in words of four bytes, and the transactions on the bus.
struct Apart {
    words: u32,
    transactions: AtomicU64,
}

const TIMES: u64 = 50;

impl Protocol for Counters {
    type Config = Arc<Apart>;
    fn install(asked: &Arc<Apart>, setup: &mut Setup<'_>) -> Self {
        Self { counters: setup.segment("counters", 64, 0_u32), asked: Arc::clone(asked) }
    }
}

#[handlers]
impl Counters {
    fn main(&self, thread: &Thread<'_>) {
        let counter = self.counters.place(thread.index() * self.asked.words);
        thread.phase("add");
        for _ in 0..TIMES {
            thread.touch(counter, 1, Access::Load);
            thread.touch(counter, 1, Access::Store);
        }
        thread.phase("end");
        self.asked.transactions.store(thread.memory_events().bus_transactions, Ordering::Relaxed);
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

#[test]
fn two_counters_of_four_bytes_in_one_line_share_it_falsely() {
    let transactions = |words| {
        let asked = Arc::new(Apart { words, transactions: AtomicU64::new(0) });
        let job = Job::new::<Counters>(Arc::clone(&asked));
        let launch = Launch {
            nodes: 1,
            processors: 2,
            threads: 2,
            ..Launch::new(job, "floating".parse().expect("a policy"))
        };
        Model::new(machine("hurricane-1", &[])).run(&launch).expect("the run ends well");
        asked.transactions.load(Ordering::Relaxed)
    };
    // Lines have eight such words.
    let (beside, apart) = (transactions(1), transactions(8));
    assert!(apart <= 4, "each thread fetches its line once: {apart}");
    assert!(beside > TIMES, "the line goes from cache to cache: {beside}");
}

/// The time in which a thread of the Meiko misses ten thousand lines twice, and then goes through views of them, with this many lines read
/// in a poll of its network processor under `proc`.
fn missing(policy: &str, reads: &str) -> f64 {
    let streams = vec![Stream { bytes: 8, len: 400_000, stride: 40 }];
    let asked = Arc::new(Trial { streams, misses: vec![AtomicU64::new(0), AtomicU64::new(0)] });
    let launch = Launch {
        nodes: 1,
        processors: 2,
        ..Launch::new(Job::new::<Streams>(asked), policy.parse().expect("a policy"))
    };
    let set = [("policy.proc.network_processor.idle_bus", reads)];
    let outcome = Model::new(machine("meiko-cs2", &set)).run(&launch).expect("the run ends well");
    outcome.time.as_nanoseconds()
}

#[test]
fn a_network_processor_that_polls_over_the_bus_delays_misses() {
    assert_eq!(missing("np", "none"), missing("np", "memory + memory"), "it does not poll");
    let without = missing("proc", "none");
    let [one, two] = ["memory", "memory + memory"].map(|reads| missing("proc", reads) / without - 1.0);
    // A read holds the bus for 20 cycles of the 108 of a poll. Three of four times an access is a miss of 23 cycles, and hits lie between.
    assert!(0.03 < one && 1.5 * one < two && two < 3.0 * one, "longer by {one} and {two}");
}
