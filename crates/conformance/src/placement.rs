//! Transfers and deposits put every word in its place before any thread is told of it.
//!
//! Every thread has an area of its own in the segment of every node, and fills it there. The words are chosen to show
//! if a word is in a wrong place, or missing.

use tempest::data::Clocked;
use tempest::{
    Event, FinalState, Handler, MAX_WORDS, NodeId, Protocol, Report, Segment, Setup, Shape, Thread, handlers,
};

use crate::Setting;

/// Lengths of blocks: none, one, about a message's, and much more than that.
const BLOCKS: [usize; 6] = [0, 1, MAX_WORDS - 1, MAX_WORDS + 1, 200, 1000];

/// Words of an area.
const AREA: usize = 1000;

/// The word that stands first in memory of the sender, where a list of pieces is sent.
const TURNED: usize = 300;

/// A block of any length is all there when its handler runs.
pub fn transfers_of_every_length(setting: &Setting<'_>) {
    let promise = "transfers_of_every_length";
    let outcome = setting.verified::<Placement>(promise, FillMethod::Transfer, 2);
    // Each is a message that is answered by one.
    let expected = outcome.counters.messages / 2;
    setting.demand(promise, outcome.counters.transfers == expected, || {
        format!("{} transfers were counted: expected {expected}", outcome.counters.transfers)
    });
}

/// Words gathered from a list of pieces are scattered into another list, cut elsewhere, by one transfer.
pub fn transfers_gather_and_scatter(setting: &Setting<'_>) {
    let promise = "transfers_gather_and_scatter";
    let outcome = setting.verified::<Placement>(promise, FillMethod::Pieces, 2);
    let expected = outcome.counters.messages / 2;
    setting.demand(promise, outcome.counters.transfers == expected, || {
        format!("{} transfers were counted: expected {expected}", outcome.counters.transfers)
    });
}

/// A block of any length that a handler transfers is all there when its message is handled.
pub fn handlers_transfer_without_waiting(setting: &Setting<'_>) {
    let promise = "handlers_transfer_without_waiting";
    let outcome = setting.verified::<Placement>(promise, FillMethod::Ask, 2);
    // A question, a transfer, and the answer to it.
    let expected = outcome.counters.messages / 3;
    setting.demand(promise, outcome.counters.transfers == expected, || {
        format!("{} transfers were counted: expected {expected}", outcome.counters.transfers)
    });
}

/// A wait for deposited words ends when they are in place.
pub fn deposits_are_counted(setting: &Setting<'_>) {
    let outcome = setting.verified::<Placement>("deposits_are_counted", FillMethod::Deposit, 2);
    setting.demand("deposits_are_counted", outcome.counters.deposits > 0, || "none was counted".to_owned());
}

/// Words that a thread deposited or transferred before it sent a message are in place when the message is handled.
pub fn placement_precedes_messages(setting: &Setting<'_>) {
    setting.verified::<Placement>("placement_precedes_messages", FillMethod::DepositAndTell, 2);
    setting.verified::<Placement>("placement_precedes_messages", FillMethod::TransferAndTell, 2);
}

/// Means by which an area is filled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FillMethod {
    /// Block after block, each over the one before, whose handler has been run.
    Transfer,
    /// By one transfer from a list of pieces to a list of pieces.
    Pieces,
    /// Each node asks every node, all blocks at once, to have its handler transfer them.
    Ask,
    /// By deposits of every length, waited for by their count.
    Deposit,
    /// By deposits, and then a message.
    DepositAndTell,
    /// By one transfer, whose own handler looks at nothing, and then a message.
    TransferAndTell,
}

struct Placement {
    method: FillMethod,
    shape: Shape,
    areas: Segment<u64>,
    /// The words of each thread of the node, those from [`TURNED`] on first.
    origins: Segment<u64>,
    /// Handlers that found all words in place.
    found: Event,
    /// By thread of the node: how often its words were found elsewhere.
    told: Box<[Event]>,
}

/// The word of an area that belongs at an offset, of a thread numbered across the nodes.
fn word(owner: usize, offset: usize) -> u64 {
    (((owner + 1) << 32 | (offset + 1)) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn words(owner: usize, count: usize) -> Vec<u64> {
    (0..count).map(|offset| word(owner, offset)).collect()
}

impl Protocol for Placement {
    type Config = FillMethod;

    fn install(&method: &FillMethod, setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        let threads = (shape.nodes * shape.threads) as usize;
        let origins = setup.segment("conformance.origins", shape.threads as usize * AREA, 0);
        for thread in 0..shape.threads as usize {
            let owner = setup.node().0 as usize * shape.threads as usize + thread;
            for offset in 0..AREA {
                let turned = (offset + AREA - TURNED) % AREA;
                origins.cells().set(setup, thread * AREA + turned, word(owner, offset));
            }
        }
        Self {
            method,
            shape,
            areas: setup.segment("conformance.areas", threads * AREA, 0),
            origins,
            found: Event::new("conformance.found"),
            told: (0..shape.threads).map(|_| Event::new("conformance.told")).collect(),
        }
    }
}

impl Placement {
    fn number(&self, node: NodeId, thread: u32) -> usize {
        (node.0 * self.shape.threads + thread) as usize
    }

    fn expect_words(&self, on: &impl Clocked, owner: usize, count: usize) {
        for offset in 0..count {
            let found = self.areas.cells().get(on, owner * AREA + offset);
            assert_eq!(found, word(owner, offset), "word {offset} of {count} of thread {owner}");
        }
    }

    fn transfer_blocks(&self, thread: &Thread<'_>, owner: usize, to: NodeId) {
        let told = &self.told[thread.index() as usize];
        for length in BLOCKS {
            let before = told.count(thread);
            let place = self.areas.place((owner * AREA) as u32);
            let filled = Self::filled(thread.index(), length as u32);
            thread.transfer(to, place, &words(owner, length), filled);
            thread.wait(told, before + 1);
        }
    }

    /// The lists begin with word [`TURNED`], and no cut of one but that before word 0 is a cut of the other.
    fn transfer_pieces(&self, thread: &Thread<'_>, owner: usize, to: NodeId) {
        let of = |segment: &Segment<u64>, first: usize| {
            let segment = segment.clone();
            move |offset: usize, words: usize| segment.piece((first + offset) as u32, words as u32)
        };
        let origin = of(&self.origins, thread.index() as usize * AREA);
        let area = of(&self.areas, owner * AREA);
        let behind = AREA - TURNED;
        let from = [origin(0, 7), origin(7, 0), origin(7, behind - 7), origin(behind, TURNED)];
        let into = [area(TURNED, 477), area(TURNED + 477, behind - 477), area(0, 1), area(1, TURNED - 1)];
        thread.transfer(to, &into, &from, Self::filled(thread.index(), AREA as u32));
    }

    /// Shorter ones first, so that none finds its last words there already.
    fn ask(&self, thread: &Thread<'_>, to: NodeId) {
        for length in BLOCKS {
            thread.send(to, Self::wanted(thread.index(), length as u32));
        }
    }

    fn deposit_area(&self, thread: &Thread<'_>, owner: usize, to: NodeId) {
        let area = words(owner, AREA);
        let mut offset = 0;
        for length in (0..=MAX_WORDS).cycle() {
            let end = AREA.min(offset + length);
            thread.deposit(to, self.areas.place((owner * AREA + offset) as u32), &area[offset..end]);
            offset = end;
            if offset == AREA {
                return;
            }
        }
    }

    fn tell(&self, thread: &Thread<'_>, to: NodeId) {
        thread.send(to, Self::filled(thread.index(), AREA as u32));
    }
}

#[handlers]
impl Placement {
    /// Handler: `words` words of the sender's area are in place.
    #[message]
    fn filled(&self, thread: u32, words: u32, cx: &mut Handler<'_>) {
        let owner = self.number(cx.source(), thread);
        self.expect_words(cx, owner, words as usize);
        cx.signal(&self.found, 1);
        let source = cx.source();
        cx.send(source, Self::found(thread));
    }

    /// Handler: the words were found in place.
    #[message]
    fn found(&self, thread: u32, cx: &mut Handler<'_>) {
        cx.signal(&self.told[thread as usize], 1);
    }

    /// Handler: asks the destination to fill its thread's area on the asker's node with `count` words.
    #[message]
    fn wanted(&self, thread: u32, count: u32, cx: &mut Handler<'_>) {
        let (owner, source) = (self.number(cx.node(), thread), cx.source());
        let place = self.areas.place((owner * AREA) as u32);
        cx.transfer(source, place, &words(owner, count as usize), Self::filled(thread, count));
    }

    fn main(&self, thread: &Thread<'_>) {
        let owner = self.number(thread.node(), thread.index());
        let owners = (self.shape.nodes * self.shape.threads) as usize;
        for to in (0..thread.nodes()).map(NodeId) {
            match self.method {
                FillMethod::Transfer => self.transfer_blocks(thread, owner, to),
                FillMethod::Pieces => self.transfer_pieces(thread, owner, to),
                FillMethod::Ask => self.ask(thread, to),
                FillMethod::Deposit => self.deposit_area(thread, owner, to),
                FillMethod::DepositAndTell => {
                    self.deposit_area(thread, owner, to);
                    self.tell(thread, to);
                }
                FillMethod::TransferAndTell => {
                    let place = self.areas.place((owner * AREA) as u32);
                    thread.transfer(to, place, &words(owner, AREA), Self::filled(thread.index(), 0));
                    self.tell(thread, to);
                }
            }
        }
        match self.method {
            FillMethod::Deposit => {
                thread.wait(self.areas.deposited(), (owners * AREA) as u64);
                (0..owners).for_each(|owner| self.expect_words(thread, owner, AREA));
            }
            FillMethod::DepositAndTell => {
                thread.wait(&self.told[thread.index() as usize], thread.nodes().into())
            }
            FillMethod::Transfer | FillMethod::Pieces | FillMethod::Ask | FillMethod::TransferAndTell => {}
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let each = match self.method {
            FillMethod::Transfer | FillMethod::Ask => BLOCKS.len(),
            FillMethod::Deposit => 0,
            FillMethod::Pieces | FillMethod::DepositAndTell => 1,
            FillMethod::TransferAndTell => 2,
        };
        let expected = u64::from(self.shape.nodes * self.shape.threads) * each as u64;
        let found = self.found.count(end);
        Report::checked(found == expected, || format!("{found} blocks were found: expected {expected}"))
    }
}
