//! Threads ask the next node and compute between two questions: which processor should answer?
//!
//! ```text
//! cargo run --release --example ask compare ask --machine native,paragon
//! ```

use std::hint::black_box;

use tradewind::prelude::*;

/// Threads ask the next node, and compute between two questions.
#[program]
struct Ask {
    /// questions of each node
    #[input(default = 2000, range = 1..=1_000_000)]
    questions: u32,
    /// steps that a thread computes after one answer in sixteen
    #[input(default = 2000, range = 0..=1_000_000)]
    between: u32,
    /// steps that a handler computes for an answer
    #[input(default = 10, range = 0..=1_000_000)]
    answer: u32,
    #[keyed(8)]
    asked: Keyed<u32>,
    #[cells(1)]
    sum: Cells<u64>,
    #[make((0..setup.shape().threads).map(|_| Event::new("replies")).collect())]
    replies: Vec<Event>,
}

/// The cost of a step on a modelled machine: a multiplication and an addition.
const STEP: Operations = Operations::NONE.integers(2);

/// Does as many steps. Each of them needs the result of the one before, and none is left out by the compiler.
fn steps(count: u32, from: u64) -> u64 {
    (0..count).fold(from, |x, _| black_box(x).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1))
}

#[handlers]
impl Ask {
    /// Asks for the answer to a number.
    #[message(key = number % 8)]
    fn question(&self, number: u64, thread: u32, cx: &mut Handler<'_>) {
        cx.charge(STEP.times(self.answer));
        cx.with(&self.asked, |asked, _| *asked += 1);
        let asker = cx.source();
        cx.send(asker, Self::reply(steps(self.answer, number), thread));
    }

    /// Brings an answer to the thread that asked.
    #[message]
    fn reply(&self, answer: u64, thread: u32, cx: &mut Handler<'_>) {
        self.sum.add(cx, 0, answer);
        cx.signal(&self.replies[thread as usize], 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.phase("ask");
        let replies = &self.replies[thread.index() as usize];
        let mut x = 0;
        for (asked, number) in (1..).zip(thread.share(0..self.questions)) {
            thread.send(thread.next_node(), Self::question(number, thread.index()));
            thread.wait(replies, asked);
            // One answer in sixteen sets the thread to work; which one differs between nodes.
            let chance = steps(3, number + 1000 * u64::from(thread.node().0)) >> 60;
            let turns = if chance == 0 { self.between } else { 0 };
            for _ in 0..turns {
                x = steps(1, x);
                thread.charge(STEP);
                thread.poll();
            }
        }
        black_box(x);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let due = (0..self.questions)
            .fold(0_u64, |sum, number| sum.wrapping_add(steps(self.answer, number.into())));
        let asked: u32 = end.entries(&self.asked).map(|(_, asked)| *asked).sum();
        let right = self.sum.get(end, 0) == due && asked == self.questions;
        Report::checked(right, || {
            format!("{asked} questions, and answers that add up to {}", self.sum.get(end, 0))
        })
    }
}

fn main() -> ExitCode {
    tradewind::main(&[Ask::ENTRY])
}
