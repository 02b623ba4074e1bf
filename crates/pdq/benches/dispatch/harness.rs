//! A run of one contender: threads, window, clock, and the checks afterwards.
//!
//! It must never know how a contender queues; it sees a [`Contender`], for which the harness starts the threads, or a
//! [`Contestant`], which brings its own.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::utils::{Backoff, CachePadded};
use tradewind_bench::pin;

use crate::host;
use crate::state::{Item, Lock, Server, Table, Work, violation};
use crate::workload::{CHUNK, Cell, Seat, Streams, Topology, WINDOW};

/// Something that can be raced in a cell, ready to run again and again.
pub(crate) trait Contestant {
    /// Runs all items once, checks the state they leave, and returns their time.
    fn run(&mut self, streams: &Streams<'_>) -> Duration;
}

/// A queue for threads that others start.
pub(crate) trait Contender: Sync {
    type Access<'c>: Access
    where
        Self: 'c;

    fn new(topology: Topology, keys: usize) -> Self;

    /// Makes a thread's access to the queue.
    fn access(&self, seat: Seat) -> Self::Access<'_>;
}

/// A thread's way into a queue.
pub(crate) trait Access {
    fn enqueue(&mut self, key: u64, item: Item);

    /// Others may see from now on all that was enqueued. Called after each chunk.
    fn flush(&mut self);

    /// Runs one batch, and says of how many.
    fn serve<L: Lock>(&mut self, server: &mut Server<'_, L>) -> usize;
}

/// Progress of all threads, by which the items in flight are bounded: cheap, since each line has one writer that writes
/// once in some hundred items.
#[derive(Debug)]
pub(crate) struct Ledger {
    total: AtomicU64,
    claimed: Box<[CachePadded<AtomicU64>]>,
    done: Box<[CachePadded<AtomicU64>]>,
}

impl Ledger {
    pub(crate) fn new(topology: Topology, total: u64) -> Self {
        let lines = |count| (0..count).map(|_| CachePadded::default()).collect();
        Self {
            total: AtomicU64::new(total),
            claimed: lines(topology.producers()),
            done: lines(topology.workers()),
        }
    }

    /// Begins anew, between two runs.
    pub(crate) fn restart(&self, total: u64) {
        for line in self.claimed.iter().chain(&self.done) {
            line.store(0, Ordering::Relaxed);
        }
        self.total.store(total, Ordering::Release);
    }

    fn sum(lines: &[CachePadded<AtomicU64>]) -> u64 {
        lines.iter().map(|line| line.load(Ordering::Acquire)).sum()
    }

    /// Adds to a line that only the caller writes.
    fn add(line: &AtomicU64, count: u64) {
        line.store(line.load(Ordering::Relaxed) + count, Ordering::Release);
    }

    /// Number of the `remaining` items that the producer may enqueue now; they count as in flight at once.
    pub(crate) fn claim(&self, producer: usize, remaining: u64) -> u64 {
        let done = Self::sum(&self.done);
        let in_flight = Self::sum(&self.claimed).saturating_sub(done);
        let room = WINDOW.saturating_sub(in_flight) / self.claimed.len() as u64;
        let granted = if room < CHUNK { 0 } else { room.min(remaining) };
        if granted > 0 {
            Self::add(&self.claimed[producer], granted);
        }
        granted
    }

    /// Counts `count` more handlers that the worker has ended.
    pub(crate) fn publish(&self, worker: usize, count: u64) {
        Self::add(&self.done[worker], count);
    }

    pub(crate) fn complete(&self) -> bool {
        Self::sum(&self.done) == self.total.load(Ordering::Relaxed)
    }

    /// Number of items done and missing, for a message.
    pub(crate) fn state(&self) -> String {
        format!("{} of {} items done", Self::sum(&self.done), self.total.load(Ordering::Relaxed))
    }
}

/// A pause for a thread that has nothing to do, which notices when nothing will ever come.
pub(crate) struct Idle {
    backoff: Backoff,
    pauses: u32,
    since: Option<Instant>,
}

/// Nothing takes as long as this: something is lost.
const PATIENCE: Duration = Duration::from_secs(20);

impl Idle {
    pub(crate) fn new() -> Self {
        Self { backoff: Backoff::new(), pauses: 0, since: None }
    }

    pub(crate) fn reset(&mut self) {
        self.backoff.reset();
        (self.pauses, self.since) = (0, None);
    }

    /// Spins at first and gives way later, because the host's processors are shared.
    pub(crate) fn pause(&mut self, who: &str, ledger: &Ledger) {
        self.pauses += 1;
        if self.pauses > 1000 {
            thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
        if self.pauses.is_multiple_of(10_000)
            && self.since.get_or_insert_with(Instant::now).elapsed() > PATIENCE
        {
            violation(who, &format!("nothing happens any more: {}", ledger.state()));
        }
    }
}

/// Begin and end of a thread's run.
pub(crate) type Span = (Instant, Instant);

/// From the first begin to the last end.
pub(crate) fn elapsed(spans: &[Span]) -> Duration {
    let begin = spans.iter().map(|span| span.0).min().expect("a run has a thread");
    let end = spans.iter().map(|span| span.1).max().expect("a run has a thread");
    end - begin
}

/// Threads begin together.
pub(crate) struct Gate {
    missing: AtomicUsize,
}

impl Gate {
    pub(crate) fn new(threads: usize) -> Self {
        Self { missing: AtomicUsize::new(threads) }
    }

    pub(crate) fn pass(&self) -> Instant {
        self.missing.fetch_sub(1, Ordering::AcqRel);
        let backoff = Backoff::new();
        while self.missing.load(Ordering::Acquire) > 0 {
            backoff.snooze();
        }
        Instant::now()
    }
}

/// A [`Contender`] in a cell.
pub(crate) struct Raced<C, L> {
    contender: C,
    table: Table<L>,
    topology: Topology,
    work: Work,
}

impl<C: Contender, L: Lock> Raced<C, L> {
    pub(crate) fn new(cell: Cell, topology: Topology, work: Work) -> Self {
        let keys = cell.keys.bound();
        Self { contender: C::new(topology, keys), table: Table::new(keys), topology, work }
    }
}

impl<C: Contender, L: Lock> Contestant for Raced<C, L> {
    fn run(&mut self, streams: &Streams<'_>) -> Duration {
        let seats = self.topology.seats();
        let ledger = Ledger::new(self.topology, streams.items());
        let gate = Gate::new(seats.len());
        let spans: Vec<Span> = thread::scope(|scope| {
            let sit = |(core, &seat): (usize, &Seat)| {
                let (this, ledger, gate) = (&*self, &ledger, &gate);
                scope.spawn(move || {
                    pin(core);
                    let access = this.contender.access(seat);
                    let server = Server::new(&this.table, this.work);
                    let keys = seat.producer.map_or(&[][..], |producer| streams.of(producer));
                    let begin = gate.pass();
                    occupy(seat, access, server, keys, ledger, this.work.who);
                    let end = Instant::now();
                    host::leave();
                    (begin, end)
                })
            };
            let threads: Vec<_> = seats.iter().enumerate().map(sit).collect();
            threads.into_iter().map(|thread| thread.join().expect("violations abort")).collect()
        });
        // SAFETY: all threads have ended.
        unsafe { self.table.settle(self.work.who, streams) };
        elapsed(&spans)
    }
}

/// Runs one thread until its own part is done, and for a worker until all items are done.
fn occupy<A: Access, L: Lock>(
    seat: Seat,
    mut access: A,
    mut server: Server<'_, L>,
    keys: &[u32],
    ledger: &Ledger,
    who: &str,
) {
    /// Handlers between two publications.
    const PUBLISHED: u64 = 256;
    let number = seat.producer.unwrap_or(0) as u32;
    let (mut produced, mut granted, mut unpublished) = (0, 0, 0);
    let mut idle = Idle::new();
    loop {
        let mut busy = false;
        if let Some(producer) = seat.producer
            && produced < keys.len()
        {
            if granted == 0 {
                granted = ledger.claim(producer, (keys.len() - produced) as u64);
            }
            let count = granted.min(CHUNK) as usize;
            if count > 0 {
                for (&key, sequence) in keys[produced..produced + count].iter().zip(produced as u32 + 1..) {
                    access.enqueue(u64::from(key), Item { producer: number, sequence });
                }
                access.flush();
                produced += count;
                granted -= count as u64;
                busy = true;
            }
        }
        if let Some(worker) = seat.worker {
            let mut served = 0;
            while served < CHUNK {
                match access.serve(&mut server) {
                    0 => break,
                    count => served += count as u64,
                }
            }
            unpublished += served;
            busy |= served > 0;
            if unpublished >= PUBLISHED || (!busy && unpublished > 0) {
                ledger.publish(worker, unpublished);
                unpublished = 0;
            }
            if !busy && produced == keys.len() && ledger.complete() {
                return;
            }
        } else if produced == keys.len() {
            return;
        }
        if busy {
            idle.reset();
        } else {
            idle.pause(who, ledger);
        }
    }
}
