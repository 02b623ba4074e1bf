//! A lock is held by one thread at a time, and every thread gets it in the end.
//!
//! Inside a lock a thread does work that needs exclusion: it reads words of shared memory that lie on different blocks,
//! dawdles, and writes them back one later. Each entry leaves its thread's tag in a log, at the place that the words
//! say; a lost or stale word makes two entries choose one place, or leaves the words different.

use protocols::stache::{self, Stache};
use protocols::sync::{LockRoom, Locks};
use tempest::outcome::Failure;
use tempest::{
    Array, Cells, Event, FinalState, Handler, Homes, Layout, Operations, Protocol, Report, Setup, Shape,
    Shared, Thread, handlers,
};

use crate::Setting;

/// Locks of the array.
const LOCKS: u32 = 3;

/// Entries of each thread to each lock.
const ENTRIES: u64 = 6;

/// A lock excludes: no other thread works inside at the same time, and each sees all earlier work inside.
pub fn locks_exclude(setting: &Setting<'_>) {
    for block in [16, 128] {
        let plan = Plan::new(setting, block, Work::Exclude);
        setting.verified::<Critical>("locks_exclude", plan, 2);
    }
}

/// If every thread goes on taking a lock until all have had it, all have it.
pub fn locks_starve_nobody(setting: &Setting<'_>) {
    let plan = Plan::new(setting, 64, Work::Starve);
    setting.verified::<Critical>("locks_starve_nobody", plan, 2);
}

/// A thread that asks for a lock it holds waits for ever, and the world detects that.
pub fn a_lock_taken_twice_is_a_deadlock(setting: &Setting<'_>) {
    let failure = setting.run::<Critical>(Plan::new(setting, 64, Work::TakeTwice), 2);
    let found_out = matches!(&failure, Err(Failure::Deadlock { blocked, .. })
        if matches!(&blocked[..], [one] if one.waits_for.contains("lock")));
    setting.demand("a_lock_taken_twice_is_a_deadlock", found_out, || {
        format!("expected one thread to wait for a lock, got {failure:?}")
    });
}

#[derive(Clone, Copy)]
enum Work {
    Exclude,
    Starve,
    TakeTwice,
}

struct Plan {
    stache: stache::Config,
    locks: LockRoom,
    /// By lock: two words that count its entries, and one with the tag of the thread inside. They share blocks with
    /// each other and with the words of other locks.
    words: Array<u64>,
    /// By lock and entry: the tag of its thread.
    log: Array<u64>,
    work: Work,
}

impl Plan {
    fn new(setting: &Setting<'_>, block: u32, work: Work) -> Self {
        let mut layout = Layout::new(setting.nodes, block).expect("a length of blocks");
        let locks = Locks::room(&mut layout, LOCKS).expect("three locks have room");
        let entries = Self::entries(setting.nodes * setting.threads_per_node(2));
        let words = layout.array("words", (LOCKS * 3) as usize, Homes::RoundRobin);
        let log = layout.array("log", LOCKS as usize * entries, Homes::RoundRobin);
        let (words, log) = (words.expect("they have room"), log.expect("it has room"));
        Self { stache: stache::Config::new(layout), locks, words, log, work }
    }

    /// Entries of `threads` threads to each lock.
    fn entries(threads: u32) -> usize {
        (u64::from(threads) * ENTRIES) as usize
    }
}

struct Critical {
    shape: Shape,
    work: Work,
    locks: Locks,
    words: Shared<u64>,
    log: Shared<u64>,
    /// By thread: the number of right entries, and of wrong ones.
    entries: [Cells<u64>; 2],
    /// By thread: how often it has stepped aside.
    aside: Vec<Event>,
}

impl Protocol for Critical {
    type Config = Plan;

    fn install(plan: &Plan, setup: &mut Setup<'_>) -> Self {
        let stache = setup.install::<Stache>(&plan.stache);
        let threads = setup.shape().threads as usize;
        Self {
            shape: setup.shape(),
            work: plan.work,
            locks: Locks::new(setup, stache.memory(), plan.locks),
            words: stache.bind(plan.words),
            log: stache.bind(plan.log),
            entries: [(); 2].map(|()| Cells::new(threads, 0)),
            aside: (0..threads).map(|_| Event::new("conformance.aside")).collect(),
        }
    }
}

impl Critical {
    fn threads(&self) -> u32 {
        self.shape.nodes * self.shape.threads
    }

    /// A thread's tag. 0 means that no thread is inside.
    fn tag(&self, thread: &Thread<'_>) -> u64 {
        u64::from(thread.node().0 * self.shape.threads + thread.index() + 1)
    }

    fn count(&self, thread: &Thread<'_>, right: bool) {
        let cells = &self.entries[usize::from(!right)];
        cells.add(thread, thread.index() as usize, 1);
    }

    /// Does the work that needs exclusion. Returns the number of the entry.
    fn enter(&self, thread: &Thread<'_>, lock: u32) -> u64 {
        let [first, second, inside] = [0, LOCKS, 2 * LOCKS].map(|word| (word + lock) as usize);
        let alone = thread.read(&self.words, inside) == 0;
        thread.write(&self.words, inside, self.tag(thread));
        let (entry, same) = (thread.read(&self.words, first), thread.read(&self.words, second));
        self.dawdle(thread, entry);
        thread.write(&self.words, second, same + 1);
        thread.write(&self.words, first, entry + 1);
        let still_alone = thread.read(&self.words, inside) == self.tag(thread);
        thread.write(&self.words, inside, 0);
        self.count(thread, alone && still_alone && same == entry);
        entry
    }

    /// Dawdles for a time that depends on the number of the entry.
    fn dawdle(&self, thread: &Thread<'_>, entry: u64) {
        thread.charge(Operations::NONE.flops((entry % 5) as u32 * 100));
        (0..entry % 3).for_each(|_| thread.poll());
        (0..entry % 2).for_each(|_| self.step_aside(thread));
    }

    /// Lets the other threads of this processor go first.
    fn step_aside(&self, thread: &Thread<'_>) {
        let aside = &self.aside[thread.index() as usize];
        let before = aside.count(thread);
        thread.send(thread.node(), Self::aside(thread.index().into()));
        thread.wait(aside, before + 1);
    }

    /// Enters each lock repeatedly, and leaves a tag each time; now and then it enters another one inside.
    fn exclude(&self, thread: &Thread<'_>) {
        let entries = Plan::entries(self.threads());
        let enter = |lock: u32| {
            let entry = self.enter(thread, lock) as usize;
            let place = lock as usize * entries + entry.min(entries - 1);
            self.count(thread, thread.read(&self.log, place) == 0);
            thread.write(&self.log, place, self.tag(thread));
        };
        for round in 0..ENTRIES {
            if round % 2 == 0 {
                (0..LOCKS).for_each(|lock| self.locks.with(thread, lock, || enter(lock)));
                continue;
            }
            self.locks.with(thread, 0, || enter(0));
            self.locks.with(thread, 1, || {
                enter(1);
                self.locks.with(thread, 2, || enter(2));
            });
        }
        self.expect_all_entries(thread);
    }

    /// Asserts that each thread's entries are in the log of each lock. The thread that was last everywhere sees them.
    fn expect_all_entries(&self, thread: &Thread<'_>) {
        let entries = Plan::entries(self.threads());
        let over = |lock: u32| {
            self.locks.with(thread, lock, || thread.read(&self.words, lock as usize) == entries as u64)
        };
        if !(0..LOCKS).all(over) {
            return;
        }
        for lock in 0..LOCKS as usize {
            let mut seen = vec![0; self.threads() as usize];
            for place in lock * entries..(lock + 1) * entries {
                let tag = thread.read(&self.log, place) as usize;
                tag.checked_sub(1)
                    .and_then(|thread| seen.get_mut(thread))
                    .into_iter()
                    .for_each(|seen| *seen += 1);
            }
            self.count(thread, seen.iter().all(|&seen| seen == ENTRIES));
        }
    }

    /// Takes the lock until every thread has had it: a thread that has had it and takes it again must not keep others
    /// from it.
    fn starve(&self, thread: &Thread<'_>) {
        let mut first = true;
        while self.locks.with(thread, 0, || {
            self.enter(thread, 0);
            let had = thread.read(&self.log, 0) + u64::from(first);
            first = false;
            thread.write(&self.log, 0, had);
            had < u64::from(self.threads())
        }) {}
    }

    fn take_twice(&self, thread: &Thread<'_>) {
        if self.tag(thread) == 1 {
            self.locks.with(thread, 1, || self.locks.with(thread, 1, || ()));
        }
        self.locks.with(thread, 0, || self.count(thread, true));
    }
}

#[handlers]
impl Critical {
    /// A thread's message to itself, for which it waits: others of its processor run meanwhile.
    #[message(class = System)]
    fn aside(&self, thread: u64, cx: &mut Handler<'_>) {
        cx.signal(&self.aside[thread as usize], 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        match self.work {
            Work::Exclude => self.exclude(thread),
            Work::Starve => self.starve(thread),
            Work::TakeTwice => self.take_twice(thread),
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let [right, wrong] = [0, 1].map(|kind| {
            (0..self.entries[kind].len()).map(|thread| self.entries[kind].get(end, thread)).sum::<u64>()
        });
        Report::checked(wrong == 0 && right > 0, || format!("{wrong} entries were not alone, {right} were"))
    }
}
