//! Handlers of equal keys never overlap; a sequential handler runs alone; a hold is an event like any other.
//!
//! Every handler counts itself in and out of cells, with a send in the middle during which a world might be tempted to
//! run another, and asserts that only permitted handlers are inside with it. Entries of a keyed table are changed
//! without any atomics: their final values show that one handler happens before the next.

use tempest::data::Clocked;
use tempest::message::Space;
use tempest::{
    Cells, Event, FinalState, Handler, Key, Keyed, NodeId, Operations, Protocol, Report, Setup, Shape,
    Thread, handlers,
};

use crate::Setting;

/// User keys.
const KEYS: u32 = 3;
/// The cell in which handlers without a key count themselves.
const NO_SYNC: u32 = KEYS;
/// The cell in which sequential handlers count themselves.
const SEQUENTIAL: u32 = KEYS + 1;
const SLOTS: u32 = KEYS + 2;

/// Number of times that each thread goes round all slots.
const ROUNDS: u32 = 20;

/// Length of a handler: instructions that a model charges, and pauses that a host makes.
const STAY: u32 = 40;

/// Handlers of one user key run one at a time.
pub fn equal_keys_exclude(setting: &Setting<'_>) {
    setting.verified::<Exclusion>("equal_keys_exclude", Visits { slots: KEYS, holds: false }, 2);
}

/// A sequential handler overlaps with no other, not even with a handler that needs no protection, and reaches every
/// entry.
pub fn sequential_runs_alone(setting: &Setting<'_>) {
    setting.verified::<Exclusion>("sequential_runs_alone", Visits { slots: SLOTS, holds: false }, 2);
}

/// Holds of every kind of key exclude handlers, and each other, as handlers do.
pub fn holds_exclude_handlers(setting: &Setting<'_>) {
    setting.verified::<Exclusion>("holds_exclude_handlers", Visits { slots: SLOTS, holds: true }, 2);
}

/// The slots in use, and whether holds visit them too.
#[derive(Clone, Copy)]
struct Visits {
    slots: u32,
    holds: bool,
}

struct Exclusion {
    visits: Visits,
    shape: Shape,
    /// The space of the program's keys.
    space: Space,
    /// By slot: handlers that are between entry and exit.
    inside: Cells<u64>,
    /// By user key: how many handlers there were.
    count: Keyed<u64>,
    /// By user key: the final value of the table's entry.
    total: Cells<u64>,
    /// By thread: the visits that were acknowledged.
    left: Box<[Event]>,
}

fn key(slot: u32) -> Key {
    match slot {
        NO_SYNC => Key::NoSync,
        SEQUENTIAL => Key::Sequential,
        user => Key::User(u64::from(user)),
    }
}

impl Protocol for Exclusion {
    type Config = Visits;

    fn install(&visits: &Visits, setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        Self {
            visits,
            shape,
            space: setup.space(),
            inside: Cells::new(SLOTS as usize, 0),
            count: setup.keyed(KEYS as usize, |_| 0),
            total: Cells::new(KEYS as usize, 0),
            left: (0..shape.threads).map(|_| Event::new("conformance.left")).collect(),
        }
    }
}

impl Exclusion {
    /// The key of a slot, a number with its space.
    fn whole_key(&self, slot: u32) -> Key {
        match key(slot) {
            Key::User(number) => self.space.key(number),
            other => other,
        }
    }

    /// Body of every handler and hold.
    fn visit(&self, slot: u32, thread: u32, cx: &mut Handler<'_>) {
        assert_eq!(cx.key(), self.whole_key(slot), "a handler holds another key than its message's");
        let others = self.inside.add(cx, slot as usize, 1);
        assert!(slot == NO_SYNC || others == 0, "{others} others under {} were met", cx.key());
        self.expect_company(cx, slot);
        if slot < KEYS {
            cx.with(&self.count, |count, cx| {
                let before = *count;
                cx.charge(Operations::NONE.integers(STAY));
                (0..STAY).for_each(|_| std::hint::spin_loop());
                cx.send(cx.source(), Self::left(thread.into()));
                *count = before + 1;
            });
        } else {
            cx.charge(Operations::NONE.integers(STAY));
            let source = cx.source();
            cx.send(source, Self::left(thread.into()));
        }
        self.expect_company(cx, slot);
        self.inside.add(cx, slot as usize, u64::MAX); // minus one
    }

    /// Asserts that no handler is inside that this slot excludes.
    fn expect_company(&self, on: &impl Clocked, slot: u32) {
        if slot == SEQUENTIAL {
            let inside: u64 = (0..SLOTS as usize).map(|slot| self.inside.get(on, slot)).sum();
            assert_eq!(inside, 1, "handlers inside with a sequential one, itself included");
        } else {
            self.expect_nobody_alone(on);
        }
    }

    fn expect_nobody_alone(&self, on: &impl Clocked) {
        assert_eq!(self.inside.get(on, SEQUENTIAL as usize), 0, "sequential handlers that another one met");
    }

    fn round(&self, thread: &Thread<'_>) {
        for slot in 0..self.visits.slots {
            for node in 0..thread.nodes() {
                thread.send(NodeId(node), Self::arrive(slot, thread.index()));
            }
            if self.visits.holds {
                let held = thread.hold(key(slot), |cx| {
                    self.visit(slot, thread.index(), cx);
                    cx.key()
                });
                assert_eq!(held, self.whole_key(slot), "what a hold returned");
            }
            thread.poll();
        }
    }

    /// Visits that a thread makes to one slot in one round.
    fn visits_per_slot(&self) -> u64 {
        u64::from(self.shape.nodes) + u64::from(self.visits.holds)
    }

    fn read_table(&self, cx: &mut Handler<'_>) {
        for slot in 0..u64::from(KEYS) {
            let count = cx.with_any(&self.count, slot, |count, _| *count);
            self.total.set(cx, slot as usize, count);
        }
    }
}

#[handlers]
impl Exclusion {
    #[message(name = Visit, key = key(slot))]
    fn arrive(&self, slot: u32, thread: u32, cx: &mut Handler<'_>) {
        self.visit(slot, thread, cx);
    }

    #[message]
    fn left(&self, thread: u64, cx: &mut Handler<'_>) {
        // The reply is no visit, but must not run beside a sequential handler either.
        self.expect_nobody_alone(cx);
        cx.signal(&self.left[thread as usize], 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        let left = &self.left[thread.index() as usize];
        for round in 1..=u64::from(ROUNDS) {
            self.round(thread);
            // Two rounds in flight at most, so that threads of all nodes keep meeting.
            let two_ago = (round - 1) * u64::from(self.visits.slots) * self.visits_per_slot();
            thread.wait(left, two_ago);
        }
        thread.wait(left, u64::from(ROUNDS * self.visits.slots) * self.visits_per_slot());
        thread.phase("end");
        if thread.index() == 0 {
            thread.hold(Key::Sequential, |cx| self.read_table(cx));
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let Shape { nodes, threads } = self.shape;
        let per_round = u64::from(threads) * (u64::from(nodes) + u64::from(self.visits.holds));
        let expected = per_round * u64::from(ROUNDS);
        let mut report = Report::default();
        let counts: Vec<_> = end.entries(&self.count).map(|(slot, count)| (slot, *count)).collect();
        for (slot, count) in counts {
            let total = self.total.get(end, slot as usize);
            report.merge(Report::checked(total == expected && count == expected, || {
                format!(
                    "key {slot} counted {total} handlers, and {count} when the world was quiet: expected {expected}"
                )
            }));
        }
        report
    }
}
