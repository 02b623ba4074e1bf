//! Host time per access to a modelled cache, beside a bare loop over an array of tags.
//! `cargo bench -p tradewind-hardware --bench memory` prints nanoseconds per access that hits and per access that
//! misses: of the cache alone, and of the whole memory system, bus and banks included.
//!
//! The bare loop compares a tag and counts, which is the least that a direct-mapped cache can be.
#![expect(clippy::print_stdout, reason = "a benchmark is there to be read")]

use std::time::Instant;

use machine::{Banks, Bus, NodeMemory as Costs};
use tradewind_bench::least;
use tradewind_hardware::memory::{Cache, NodeMemory, State};
use units::{Bytes, Frequency, Time};

const ROUNDS: usize = 5;
const ACCESSES: u64 = 4_000_000;
/// Lines of the cache: 256 KiB of 32 bytes.
const LINES: u64 = 8192;

fn main() {
    println!("accesses     bare loop     cache  memory system");
    for (what, lines) in [("hit", LINES), ("miss", 2 * LINES)] {
        let (bare, cache, memory) =
            (least(ROUNDS, || bare(lines)), least(ROUNDS, || cache(lines)), least(ROUNDS, || memory(lines)));
        assert_eq!((bare.1, bare.1), (cache.1, memory.1), "all find the same lines");
        println!("{what:8}  {:9.1} ns  {:5.1} ns  {:10.1} ns", bare.0, cache.0, memory.0);
    }
}

/// Nanoseconds per access of `access` over `lines` lines in turn, all touched before, and the number of misses.
fn measure(lines: u64, mut access: impl FnMut(u64) -> bool) -> (f64, u64) {
    (0..lines).for_each(|line| {
        access(line);
    });
    let start = Instant::now();
    let mut missed = 0;
    for count in 0..ACCESSES {
        missed += u64::from(!access(count % lines));
    }
    (start.elapsed().as_secs_f64() * 1e9 / ACCESSES as f64, missed)
}

fn bare(lines: u64) -> (f64, u64) {
    let mut tags = vec![u64::MAX; LINES as usize];
    measure(lines, |line| {
        let tag = &mut tags[(line % LINES) as usize];
        std::mem::replace(tag, line) == line
    })
}

fn cache(lines: u64) -> (f64, u64) {
    let mut cache = Cache::new(LINES as usize, 1);
    measure(lines, |line| {
        let hit = cache.access(line).state != State::Invalid;
        if !hit {
            cache.insert(line, State::Exclusive, false, Time::ZERO);
        }
        hit
    })
}

fn memory(lines: u64) -> (f64, u64) {
    let mut memory = NodeMemory::new(&costs(), Bytes::new(32), 1);
    let mut now = Time::ZERO;
    measure(lines, |line| {
        let before = now;
        now = memory.load(0, line, now, true);
        now - before <= cycles(1)
    })
}

fn cycles(count: u64) -> Time {
    Time::from_nanoseconds(8 * count)
}

/// Direct mapped and coherent, about as in the Widget study; the host's time does not depend on the numbers.
fn costs() -> Costs {
    Costs {
        cache: machine::Cache {
            size: Bytes::new(32 * LINES),
            ways: 1,
            coherent: true,
            load_use: cycles(1),
            refill: cycles(4),
            misses: 6,
            write_backs: 4,
            acknowledge: cycles(6),
            tag_delay: cycles(1),
            sync: cycles(11),
            supply: Some(cycles(19)),
            first: None,
        },
        bus: Bus {
            clock: Frequency::from_megahertz(125),
            width: Bytes::new(8),
            cycle: cycles(1),
            arbitration: cycles(2),
            address: cycles(1),
            snoop: Some(cycles(3)),
            multiplexed: true,
            connected: false,
            device: Time::ZERO,
        },
        banks: Banks {
            count: 2,
            latency: cycles(21),
            read: cycles(24),
            write: cycles(8),
            turnaround: cycles(10),
            accept: cycles(7),
        },
        staging: None,
    }
}
