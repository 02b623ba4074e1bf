//! *Segments*: a thread's accesses to the segment of another node, word by word and in bulk, if it is mapped; and by deposit and by
//! transfer, which notify the other node. Each beside the same operation on plain memory.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tempest::{
    Cells, Event, FinalState, Handler, Job, Mapped, Merge, NodeId, Protocol, Report, Rights, Segment, Setup,
    Thread, handlers,
};

use crate::run;
use tradewind_bench::raw_round_trip;
use tradewind_bench::table::{Aim, TableRow, Unit, paired};

/// Words that are accessed one by one: they fit a cache.
const FEW: usize = 1024;

/// Accesses of each of them.
const ROUNDS: u64 = 16 * 1024;

/// Words of a block of 64 KiB, and of a block of 4 MiB.
const BLOCK: usize = 64 << 7;
const LARGE: usize = 4 << 17;

/// Words that all copies of a row move together.
const MOVED: usize = 1 << 26;

/// Words of a deposit.
const DEPOSIT: usize = 4;

/// Round trips for a bound.
const TRIPS: u64 = 50_000;

/// The access of thread 0 of node 0 to the segment of node 1.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Put,
    Get,
    Add,
    Write(usize),
    Read(usize),
    Deposit,
    Transfer(usize),
}

impl Access {
    /// Words of the segment.
    fn words(self) -> usize {
        match self {
            Access::Write(words) | Access::Read(words) | Access::Transfer(words) => words,
            _ => FEW,
        }
    }

    /// Number of repetitions.
    fn times(self) -> u64 {
        match self {
            Access::Write(words) | Access::Read(words) => (MOVED / words) as u64,
            Access::Transfer(words) => (MOVED / words / 4) as u64,
            Access::Deposit => ROUNDS * (FEW / DEPOSIT) as u64 / 8,
            Access::Put | Access::Get | Access::Add => ROUNDS * FEW as u64,
        }
    }

    /// Final value of word `place`, whose initial value is its index.
    fn leaves(self, place: u64) -> u64 {
        match self {
            Access::Get | Access::Read(_) => place,
            Access::Put => place + (ROUNDS - 1) * FEW as u64,
            Access::Add => place + ROUNDS,
            Access::Write(_) | Access::Deposit | Access::Transfer(_) => !place,
        }
    }
}

struct Reach {
    deed: Access,
    segment: Segment<u64>,
    answered: Event,
    /// Nanoseconds per access.
    took: Cells<f64>,
    wrong: Cells<u64>,
}

impl Protocol for Reach {
    type Config = Access;
    fn install(&deed: &Access, node: &mut Setup<'_>) -> Self {
        Self {
            deed,
            segment: node.segment_for(Rights::ALL, "reached", deed.words(), 0),
            answered: Event::new("answered"),
            took: Cells::new(1, 0.0),
            wrong: Cells::new(1, 0),
        }
    }
}

impl Reach {
    /// Measures all repetitions.
    fn measure(&self, thread: &Thread<'_>, there: &Mapped<'_, u64>) {
        let (deed, times) = (self.deed, self.deed.times());
        let new: Vec<u64> = (0..deed.words() as u64).map(|place| !place).collect();
        let mut found = vec![0; deed.words()];
        let mut sum = 0_u64;
        let start = thread.now();
        match deed {
            Access::Put => (0..times).for_each(|number| there.put(number as usize % FEW, number)),
            Access::Get => (0..times).for_each(|number| sum += there.get(number as usize % FEW)),
            Access::Add => (0..times).for_each(|number| sum += there.fetch_add(number as usize % FEW, 1)),
            Access::Write(_) => (0..times).for_each(|_| there.write(0, black_box(&new))),
            Access::Read(_) => (0..times).for_each(|_| there.read(0, black_box(&mut found))),
            Access::Deposit => (0..times).for_each(|number| {
                let first = number as usize * DEPOSIT % FEW;
                thread.deposit(NodeId(1), self.segment.place(first as u32), &new[first..first + DEPOSIT]);
            }),
            Access::Transfer(_) => (1..=times).for_each(|number| {
                thread.transfer(NodeId(1), self.segment.place(0), &new, Self::landed());
                thread.wait(&self.answered, number);
            }),
        }
        self.took.set(thread, 0, (thread.now() - start).as_nanoseconds() / times as f64);
        let numbers: u64 = (0..FEW as u64).sum();
        let right = match deed {
            Access::Get => sum == ROUNDS * numbers,
            Access::Add => sum == ROUNDS * numbers + FEW as u64 * (0..ROUNDS).sum::<u64>(),
            Access::Read(_) => found.iter().zip(0..).all(|(found, place)| *found == place),
            _ => true,
        };
        self.wrong.add(thread, 0, u64::from(!right));
    }
}

#[handlers]
impl Reach {
    /// Reports the end of a transfer.
    #[message(key = 0)]
    fn landed(&self, cx: &mut Handler<'_>) {
        let back = cx.source();
        cx.send(back, Self::answer());
    }

    /// Confirms that the end of a transfer has been seen.
    #[message(key = 0)]
    fn answer(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.answered, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        let cells = self.segment.cells();
        (0..cells.len()).for_each(|place| cells.set(thread, place, place as u64));
        thread.phase("reach");
        if thread.node() == NodeId(0) {
            let there = thread.map(&self.segment, NodeId(1)).expect("all is mapped in one process");
            self.measure(thread, &there);
        }
        thread.phase("checks");
        if thread.node() == NodeId(1) {
            let right = |place: usize| cells.get(thread, place) == self.deed.leaves(place as u64);
            let wrong = (0..cells.len()).filter(|place| !right(*place)).count();
            self.wrong.add(thread, 0, wrong as u64);
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let wrong = self.wrong.get(end, 0);
        let report = Report::checked(wrong == 0, || format!("{wrong} wrong"));
        report.measured("took", self.took.get(end, 0), "ns", Merge::Max)
    }
}

/// Nanoseconds per access, through the waist.
fn ours(deed: Access) -> f64 {
    let report = run(Job::new::<Reach>(deed), 2, 1, 1, "single").report;
    report.figures.iter().find(|figure| figure.name == "took").expect("it is reported").value
}

/// Nanoseconds per access of `times` accesses to a few local atomics.
fn plain(times: u64, all: impl FnOnce(&[AtomicU64; FEW])) -> f64 {
    let words = Box::new([const { AtomicU64::new(0) }; FEW]);
    let words = black_box(&*words);
    let start = Instant::now();
    all(words);
    start.elapsed().as_nanos() as f64 / times as f64
}

/// Nanoseconds of a `memcpy` of `words` words.
fn memcpy(words: usize) -> f64 {
    let (from, mut to) = (vec![1_u64; words], vec![0_u64; words]);
    let times = MOVED / words;
    let start = Instant::now();
    (0..times).for_each(|_| to.copy_from_slice(black_box(&from)));
    assert_eq!(black_box(&to), &from);
    start.elapsed().as_nanos() as f64 / times as f64
}

/// Makes a row of accesses to single words; the bound is in nanoseconds.
fn word(what: &str, deed: Access, bound: impl Fn() -> f64, is: &'static str, aim: Aim) -> TableRow {
    TableRow::new(what, Unit::Nanoseconds, paired(|| ours(deed), bound), is, aim)
}

/// A row of a copy, in gigabytes a second.
fn copy(what: &str, deed: Access) -> TableRow {
    let words = deed.words();
    let rate = |ns: f64| (words * size_of::<u64>()) as f64 / ns;
    let figures = paired(|| rate(ours(deed)), || rate(memcpy(words)));
    TableRow::new(what, Unit::Gigabytes, figures, "memcpy", Aim::Ratio(0.9, 0.45))
}

/// Puts, gets and atomic additions; copies; a deposit; a transfer.
pub(crate) fn rows() -> Vec<TableRow> {
    let times = Access::Put.times();
    let put = || {
        plain(times, |words| {
            (0..times).for_each(|number| words[number as usize % FEW].store(number, Ordering::Relaxed))
        })
    };
    let get = || {
        plain(times, |words| {
            black_box(
                (0..times)
                    .fold(0_u64, |sum, number| sum + words[number as usize % FEW].load(Ordering::Relaxed)),
            );
        })
    };
    let add = || {
        plain(times, |words| {
            let add = |number| words[number as usize % FEW].fetch_add(1, Ordering::AcqRel);
            black_box((0..times).fold(0_u64, |sum, number| sum + add(number)));
        })
    };
    let deposit = || {
        let (count, times) = (AtomicU64::new(0), Access::Deposit.times());
        plain(times, |words| {
            for number in 0..times {
                let first = number as usize * DEPOSIT % FEW;
                (first..first + DEPOSIT).for_each(|place| words[place].store(number, Ordering::Relaxed));
                count.fetch_add(DEPOSIT as u64, Ordering::AcqRel);
            }
        })
    };
    let transfer = Access::Transfer(BLOCK);
    let microseconds = |ns: f64| ns / 1000.0;
    let transfers =
        paired(|| microseconds(ours(transfer)), || microseconds(memcpy(BLOCK) + raw_round_trip(TRIPS)));
    vec![
        word("put", Access::Put, put, "plain store", Aim::Value(2.0, 4.0)),
        word("get", Access::Get, get, "plain load", Aim::Value(2.0, 4.0)),
        word("atomic add", Access::Add, add, "plain fetch_add", Aim::Value(7.0, 14.0)),
        copy("write 64 KiB", Access::Write(BLOCK)),
        copy("read 64 KiB", Access::Read(BLOCK)),
        copy("write 4 MiB", Access::Write(LARGE)),
        copy("read 4 MiB", Access::Read(LARGE)),
        word("deposit 4 words", Access::Deposit, deposit, "4 stores, a fetch_add", Aim::Ratio(2.0, 4.0)),
        TableRow::new(
            "transfer 64 KiB, handled, answered",
            Unit::Microseconds,
            transfers,
            "memcpy + raw round trip",
            Aim::Ratio(1.2, 1.6),
        ),
    ]
}
