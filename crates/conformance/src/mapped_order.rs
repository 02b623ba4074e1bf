//! A put into mapped memory is visible to every thread that is told of it afterwards, by any means.
//!
//! In a world that maps nothing the program here does nothing.

use tempest::data::Clocked;
use tempest::{
    Cells, Event, FinalState, Handler, Mapped, NodeId, Protocol, Report, Rights, Segment, Setup, Shape,
    Thread, handlers,
};

use crate::Setting;
use crate::mapped::{is_mapped, map, number};

/// Words of a thread's area on each node.
const AREA: usize = 300;

/// Rounds of putting and telling.
const ROUNDS: usize = 8;

/// A thread's puts are visible to the handler of a message that it then sends, after a wait that its deposit ends, and
/// to a thread that atomically changes a word after it.
pub fn puts_precede_what_tells_of_them(setting: &Setting<'_>) {
    for notification in [Notification::Message, Notification::Deposit, Notification::Change] {
        setting.verified::<Telling>("puts_precede_what_tells_of_them", notification, 2);
    }
}

/// Notification by which a node learns of the puts into its memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Notification {
    Message,
    Deposit,
    Change,
}

/// Each thread fills areas of the next node, a new one each round, and tells.
struct Telling {
    notification: Notification,
    shape: Shape,
    /// By round and thread.
    areas: Segment<u64>,
    /// By round: a bit for each thread, or a word where it deposits.
    told: Segment<u64>,
    /// By thread: answers to its messages.
    answered: Box<[Event]>,
    found: Cells<u64>,
}

impl Protocol for Telling {
    type Config = Notification;

    fn install(&notification: &Notification, setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        let threads = (shape.nodes * shape.threads) as usize;
        let words = ROUNDS * threads * AREA;
        Self {
            notification,
            shape,
            areas: setup.segment_for(Rights::READ_WRITE, "conformance.filled", words, 0),
            told: setup.segment_for(Rights::ALL, "conformance.told", ROUNDS * threads, 0),
            answered: (0..shape.threads).map(|_| Event::new("conformance.answered")).collect(),
            found: Cells::new(1, 0),
        }
    }
}

/// The word that belongs at an offset of an area.
fn word(area: usize, offset: usize) -> u64 {
    (area << 32 | (offset + 1)) as u64
}

impl Telling {
    fn threads(&self) -> usize {
        (self.shape.nodes * self.shape.threads) as usize
    }

    fn area(&self, round: usize, owner: usize) -> usize {
        round * self.threads() + owner
    }

    /// Fills an area: its first half word by word, the other half as a block.
    fn fill(&self, there: &Mapped<'_, u64>, round: usize, owner: usize) {
        let area = self.area(round, owner);
        let words: Vec<u64> = (0..AREA).map(|offset| word(area, offset)).collect();
        let (single, block) = words.split_at(AREA / 2);
        (area * AREA..).zip(single).for_each(|(offset, word)| there.put(offset, *word));
        there.write(area * AREA + single.len(), block);
    }

    /// Asserts that an area of this node is filled.
    fn look(&self, on: &impl Clocked, round: usize, owner: usize) {
        let area = self.area(round, owner);
        let filled = |offset| self.areas.cells().get(on, area * AREA + offset) == word(area, offset);
        assert!((0..AREA).all(filled), "round {round} of thread {owner} is not all there");
        self.found.add(on, 0, 1);
    }

    fn tell(&self, thread: &Thread<'_>, to: NodeId, round: usize) {
        let answered = &self.answered[thread.index() as usize];
        thread.send(to, Self::filled(thread.index(), round as u32));
        thread.wait(answered, round as u64 + 1);
    }

    /// Waits until all threads of the previous node have deposited a word as often, and checks their puts.
    fn deposit(&self, thread: &Thread<'_>, to: NodeId, round: usize) {
        let Shape { nodes, threads } = self.shape;
        let owner = number(self.shape, thread.node(), thread.index());
        thread.deposit(to, self.told.place(self.area(round, owner) as u32), &[1]);
        // Deposits of other rounds count too: only the last count is certain.
        if round + 1 == ROUNDS && thread.index() == 0 {
            thread.wait(self.told.deposited(), u64::from(threads) * ROUNDS as u64);
            let before = NodeId((thread.node().0 + nodes - 1) % nodes);
            for round in 0..ROUNDS {
                (0..threads).for_each(|other| self.look(thread, round, number(self.shape, before, other)));
            }
        }
    }

    /// Sets the own bit of the round, if the word has a bit for each thread, and gets the puts of the threads whose
    /// bits were set.
    fn change(
        &self,
        thread: &Thread<'_>,
        told: &Mapped<'_, u64>,
        there: &Mapped<'_, u64>,
        round: usize,
        owner: usize,
    ) {
        let bit = |owner| 1_u64.checked_shl(owner as u32).unwrap_or(0);
        let before = told.fetch_add(round, bit(owner));
        for other in (0..self.threads()).filter(|other| before & bit(*other) != 0) {
            let area = self.area(round, other);
            let filled = |offset| there.get(area * AREA + offset) == word(area, offset);
            assert!((0..AREA).all(filled), "round {round} of thread {other} is not all there");
        }
        self.found.add(thread, 0, 1);
    }
}

#[handlers]
impl Telling {
    /// Handler: an area has been filled.
    #[message]
    fn filled(&self, thread: u32, round: u32, cx: &mut Handler<'_>) {
        let source = cx.source();
        self.look(cx, round as usize, number(self.shape, source, thread));
        cx.send(source, Self::seen(thread));
    }

    /// Handler: the area has been checked.
    #[message]
    fn seen(&self, thread: u32, cx: &mut Handler<'_>) {
        cx.signal(&self.answered[thread as usize], 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        if !is_mapped(thread, &self.areas) {
            return;
        }
        let owner = number(self.shape, thread.node(), thread.index());
        let next = NodeId((thread.node().0 + 1) % thread.nodes());
        let (filled, first) = (map(thread, &self.areas, next), map(thread, &self.areas, NodeId(0)));
        for round in 0..ROUNDS {
            match self.notification {
                Notification::Message | Notification::Deposit => self.fill(&filled, round, owner),
                Notification::Change => self.fill(&first, round, owner),
            }
            match self.notification {
                Notification::Message => self.tell(thread, next, round),
                Notification::Deposit => self.deposit(thread, next, round),
                Notification::Change => {
                    self.change(thread, &map(thread, &self.told, NodeId(0)), &first, round, owner)
                }
            }
            thread.poll();
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let expected = u64::from(self.shape.threads) * ROUNDS as u64;
        let found = self.found.get(end, 0);
        Report::checked([0, expected].contains(&found), || {
            format!("{found} areas were looked at: expected {expected}, or none where nothing is mapped")
        })
    }
}
