//! Shared memory in the native world, compared with the best that the host can do.
//!
//! `cargo bench -p tradewind-native --bench shared_memory` prints two tables, every answer checked.
//!
//! 1. *Hits*: loops over words whose tags allow the access, beside the same loops over the program's own memory. `chase` follows a
//!    cycle of indices, each load waiting for the one before; `gather` adds up words whose indices stand in an array; `sum`
//!    and `scale` go through words in order, in runs whose tags are tested before. (`scale` in plain memory is done with vector
//!    instructions, which there are none of for memory that others may use at the same time.) Both kinds in turn in each round.
//! 2. *Misses*, between two nodes of one processor each: the requester's wait, and a barrier of both nodes, beside a raw ping-pong over
//!    two cache lines between two OS threads on the same cores. The ratio is taken within the round. On a host with a single core this
//!    table means nothing.

#![allow(clippy::print_stdout, reason = "a benchmark prints its tables")]

use std::hint::black_box;
use std::sync::{Arc, Mutex};

use protocols::Barrier;
use protocols::stache::{Config, Stache};
use tempest::world::{Launch, World};
use tempest::{
    Array, FinalState, Homes, Job, Layout, NodeId, Protocol, Report, Setup, Shared, Thread, handlers,
};
use tradewind_bench::{median, raw_round_trip};
use tradewind_native::Local;

const ROUNDS: usize = 9;

/// Words of the loops: they fit the first cache.
const WORDS: usize = 2048;

/// Passes of a loop over them.
const LAPS: usize = 500;

/// Blocks that are missed in one pass, one after the other.
const BLOCKS: usize = 256;

/// Passes over them.
const PASSES: u64 = 100;

const BARRIERS: u64 = 100_000;
const TRIPS: u64 = 100_000;

/// Bytes of a block, and words.
const BLOCK: u32 = 64;
const BLOCK_WORDS: usize = 8;

/// Results of a run: the name and the nanoseconds per step of each loop.
type Times = Arc<Mutex<Vec<(&'static str, f64)>>>;

/// Times `steps` steps.
fn time(thread: &Thread<'_>, steps: u64, f: impl FnOnce()) -> f64 {
    let start = thread.now();
    f();
    (thread.now() - start).as_nanoseconds() / steps as f64
}

/// The words of one node, used by its one thread.
struct Hits {
    words: Shared<u64>,
    numbers: Shared<f64>,
    times: Times,
}

struct HitsConfig {
    config: Config,
    words: Array<u64>,
    numbers: Array<f64>,
    times: Times,
}

impl Protocol for Hits {
    type Config = HitsConfig;

    fn install(config: &HitsConfig, node: &mut Setup<'_>) -> Self {
        let stache = node.install::<Stache>(&config.config);
        Self {
            words: stache.bind(config.words),
            numbers: stache.bind(config.numbers),
            times: Arc::clone(&config.times),
        }
    }
}

impl Hits {
    fn job(times: &Times) -> Job {
        let mut layout = Layout::new(1, BLOCK).expect("the length of a block");
        let here = Homes::At(NodeId(0));
        let words = layout.array("words", WORDS, here).expect("it is small");
        let numbers = layout.array("numbers", WORDS, here).expect("it is small");
        let times = Arc::clone(times);
        Job::new::<Self>(HitsConfig { config: Config::new(layout), words, numbers, times })
    }

    fn note(&self, name: &'static str, ns: f64) {
        self.times.lock().expect("nobody panics here").push((name, ns));
    }

    fn chase(&self, thread: &Thread<'_>, own: &[u64]) {
        let steps = (WORDS * LAPS) as u64;
        let mut ends = [0; 2];
        let plain = time(thread, steps, || {
            for _ in 0..steps {
                ends[0] = own[ends[0] as usize];
            }
        });
        let checked = time(thread, steps, || {
            for _ in 0..steps {
                ends[1] = thread.read(&self.words, ends[1] as usize);
            }
        });
        assert_eq!(ends, [0, 0], "whole laps end where they began");
        self.note("chase", plain);
        self.note("chase, checked", checked);
    }

    fn gather(&self, thread: &Thread<'_>, words: &[u64], indices: &[u64]) {
        let steps = (WORDS * LAPS) as u64;
        let mut sums = [0_u64; 2];
        let plain = time(thread, steps, || {
            for _ in 0..LAPS {
                for index in black_box(indices) {
                    sums[0] = sums[0].wrapping_add(words[*index as usize]);
                }
            }
        });
        let checked = time(thread, steps, || {
            for _ in 0..LAPS {
                for index in black_box(indices) {
                    sums[1] = sums[1].wrapping_add(thread.read(&self.words, *index as usize));
                }
            }
        });
        assert_eq!(sums[0], sums[1]);
        self.note("gather", plain);
        self.note("gather, checked", checked);
    }

    fn sum(&self, thread: &Thread<'_>, numbers: &[f64]) {
        let steps = (WORDS * LAPS) as u64;
        let mut sums = [0.0; 2];
        let plain = time(thread, steps, || {
            for _ in 0..LAPS {
                for number in black_box(numbers) {
                    sums[0] += number;
                }
            }
        });
        let checked = time(thread, steps, || {
            for _ in 0..LAPS {
                thread.read_runs(&self.numbers, 0..WORDS, |_, run| {
                    for number in run.iter() {
                        sums[1] += number;
                    }
                });
            }
        });
        assert_eq!(sums[0].to_bits(), sums[1].to_bits());
        self.note("sum", plain);
        self.note("sum, by runs", checked);
    }

    fn scale(&self, thread: &Thread<'_>, numbers: &mut [f64]) {
        let steps = (WORDS * LAPS) as u64;
        let plain = time(thread, steps, || {
            for _ in 0..LAPS {
                for number in black_box(&mut *numbers) {
                    *number = *number * 0.5 + 1.0;
                }
            }
        });
        let checked = time(thread, steps, || {
            for _ in 0..LAPS {
                thread.write_runs(&self.numbers, 0..WORDS, |_, run| run.update(|number| number * 0.5 + 1.0));
            }
        });
        for (index, number) in numbers.iter().enumerate() {
            assert_eq!(number.to_bits(), thread.read(&self.numbers, index).to_bits());
        }
        self.note("scale", plain);
        self.note("scale, by runs", checked);
    }
}

#[handlers]
impl Hits {
    fn main(&self, thread: &Thread<'_>) {
        // A cycle through all words: an odd step is prime to their number, a power of two.
        let next: Vec<u64> = (0..WORDS as u64).map(|index| (index + 773) % WORDS as u64).collect();
        let mut numbers: Vec<f64> = (0..WORDS).map(|index| index as f64).collect();
        for index in 0..WORDS {
            thread.write(&self.words, index, next[index]);
            thread.write(&self.numbers, index, numbers[index]);
        }
        thread.phase("hits");
        self.chase(thread, black_box(&next));
        self.gather(thread, black_box(&next), black_box(&next));
        self.sum(thread, black_box(&numbers));
        self.scale(thread, black_box(&mut numbers));
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(true, String::new)
    }
}

/// Blocks that live on node 1 and that both nodes use in turn.
struct Misses {
    words: Shared<u64>,
    barrier: Arc<Barrier>,
    times: Times,
}

struct MissesConfig {
    config: Config,
    words: Array<u64>,
    times: Times,
}

impl Protocol for Misses {
    type Config = MissesConfig;

    fn install(config: &MissesConfig, node: &mut Setup<'_>) -> Self {
        let stache = node.install::<Stache>(&config.config);
        Self {
            words: stache.bind(config.words),
            barrier: node.install::<Barrier>(&()),
            times: Arc::clone(&config.times),
        }
    }
}

impl Misses {
    fn job(times: &Times) -> Job {
        let mut layout = Layout::new(2, BLOCK).expect("the length of a block");
        let homes = Homes::At(NodeId(1));
        let words = layout.array("words", BLOCKS * BLOCK_WORDS, homes).expect("it is small");
        let times = Arc::clone(times);
        Job::new::<Self>(MissesConfig { config: Config::new(layout), words, times })
    }

    /// Node 1 stores in every block, so that node 0 has a right to none.
    fn take_back(&self, thread: &Thread<'_>, pass: u64) {
        self.barrier.wait(thread);
        if thread.node() == NodeId(1) {
            for block in 0..BLOCKS {
                thread.write(&self.words, block * BLOCK_WORDS, pass);
            }
        }
        self.barrier.wait(thread);
    }

    /// Times node 0's accesses to every block, each time after node 1 has taken all blocks back and `before` has run. Names the result.
    fn misses(
        &self,
        thread: &Thread<'_>,
        name: &'static str,
        before: impl Fn(usize, u64),
        access: impl Fn(usize, u64),
    ) {
        let mut total = 0.0;
        for pass in 0..PASSES {
            self.take_back(thread, pass);
            if thread.node() == NodeId(0) {
                (0..BLOCKS).for_each(|block| before(block * BLOCK_WORDS, pass));
                total += time(thread, 1, || (0..BLOCKS).for_each(|block| access(block * BLOCK_WORDS, pass)));
            }
        }
        self.note(thread, name, total / (PASSES * BLOCKS as u64) as f64);
    }

    fn note(&self, thread: &Thread<'_>, name: &'static str, ns: f64) {
        if thread.node() == NodeId(0) {
            self.times.lock().expect("nobody panics here").push((name, ns));
        }
    }
}

#[handlers]
impl Misses {
    fn main(&self, thread: &Thread<'_>) {
        let read = |word, pass| assert_eq!(thread.read(&self.words, word), pass);
        let write = |word, pass: u64| thread.write(&self.words, word + 1, pass);
        thread.phase("misses");
        self.misses(thread, "read miss", |_, _| (), read);
        self.misses(thread, "write miss", |_, _| (), write);
        self.misses(thread, "upgrade", read, write);
        let ns = time(thread, BARRIERS, || (0..BARRIERS).for_each(|_| self.barrier.wait(thread)));
        self.note(thread, "barrier", ns);
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(true, String::new)
    }
}

/// The times of a run, which must end well.
fn run(job: fn(&Times) -> Job, nodes: u32) -> Vec<(&'static str, f64)> {
    let times = Times::default();
    let launch = Launch { nodes, ..Launch::new(job(&times), "single".parse().expect("a policy")) };
    let outcome = Local::new().run(&launch).expect("the run ends well");
    assert!(outcome.report.verified(), "{:?}", outcome.report);
    let times = times.lock().expect("nobody panics here");
    times.clone()
}

fn hits() {
    let rounds: Vec<_> = (0..ROUNDS).map(|_| run(Hits::job, 1)).collect();
    println!("accesses that hit, {WORDS} words, median of {ROUNDS} rounds");
    println!("{:<12} {:>10} {:>10} {:>10} {:>8}", "loop", "plain ns", "shared ns", "more ns", "ratio");
    for at in (0..rounds[0].len()).step_by(2) {
        let of = |f: fn(f64, f64) -> f64| {
            median(&rounds.iter().map(|times| f(times[at].1, times[at + 1].1)).collect::<Vec<_>>())
        };
        let (plain, shared) = (of(|plain, _| plain), of(|_, shared| shared));
        let (more, ratio) = (of(|plain, shared| shared - plain), of(|plain, shared| shared / plain));
        println!("{:<12} {plain:>10.2} {shared:>10.2} {more:>10.2} {ratio:>8.2}", rounds[0][at].0);
    }
}

fn misses() {
    let rounds: Vec<_> = (0..ROUNDS).map(|_| (run(Misses::job, 2), raw_round_trip(TRIPS))).collect();
    println!("\nmisses, 2 nodes under `single`, blocks of {BLOCK} bytes, median of {ROUNDS} rounds");
    println!("{:<12} {:>10} {:>10} {:>8}", "", "ns", "raw ns", "ratio");
    for (at, (name, _)) in rounds[0].0.iter().enumerate() {
        let of = |f: fn(f64, f64) -> f64| {
            median(&rounds.iter().map(|(times, raw)| f(times[at].1, *raw)).collect::<Vec<_>>())
        };
        let (ns, raw, ratio) = (of(|ns, _| ns), of(|_, raw| raw), of(|ns, raw| ns / raw));
        println!("{name:<12} {ns:>10.0} {raw:>10.0} {ratio:>8.2}");
    }
}

fn main() {
    hits();
    misses();
}
