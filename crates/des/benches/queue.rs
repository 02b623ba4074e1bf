//! Host time of a timetable's queue beside the standard library's heap. `cargo bench -p tradewind-des` prints nanoseconds for a pop and
//! the push that follows it, with a constant number of 16-byte events of one actor pending.
#![expect(clippy::print_stdout, reason = "a benchmark is there to be read")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use tradewind_bench::least;
use tradewind_des::{Choice, Order, Timetable};
use units::Time;

const ROUNDS: usize = 5;
const PASSES: u32 = 2_000_000;

type Event = (u64, u64);

/// Operations of both queues.
trait Queue {
    fn push(&mut self, order: Order, event: Event);
    fn pop(&mut self) -> Option<(Time, Event)>;
}

impl Queue for Timetable<Event> {
    fn push(&mut self, order: Order, event: Event) {
        self.push(0, order, event);
    }
    fn pop(&mut self) -> Option<(Time, Event)> {
        self.pop().map(|(order, event)| (order.at, event))
    }
}

impl Queue for BinaryHeap<Reverse<(Order, Event)>> {
    fn push(&mut self, order: Order, event: Event) {
        self.push(Reverse((order, event)));
    }
    fn pop(&mut self) -> Option<(Time, Event)> {
        self.pop().map(|Reverse((order, event))| (order.at, event))
    }
}

fn main() {
    println!("pending   Timetable  BinaryHeap");
    for pending in [1, 16, 64, 256, 1024, 4096, 16384] {
        let (ours, our_answer) = least(ROUNDS, || measure(pending, Timetable::new([0].into())));
        let (standard, answer) = least(ROUNDS, || measure(pending, BinaryHeap::new()));
        assert_eq!(our_answer, answer);
        println!("{pending:7}  {ours:7.1} ns  {standard:7.1} ns");
    }
}

/// Each event pushes its successor: a quarter at the same time, the others up to a microsecond later.
fn measure(pending: u32, mut queue: impl Queue) -> (f64, u64) {
    // A permutation of 32-bit numbers: as good as draws, and the same for both queues.
    let choice = Choice::new(1);
    let mut pushed = 0;
    let mut order = |at, actor: u64| {
        pushed += 1;
        Order { at, major: actor % 8, minor: pushed }
    };
    for actor in 0..u64::from(pending) {
        let at = Time::from_femtoseconds(u64::from(choice.tie(actor as u32)) >> 2);
        queue.push(order(at, actor), (actor, 0));
    }
    let mut answer = 0_u64;
    let start = Instant::now();
    for pass in 0..PASSES {
        let (at, (actor, count)) = queue.pop().expect("each pop is followed by a push");
        answer = answer.wrapping_mul(31).wrapping_add(at.as_femtoseconds() ^ actor);
        let drawn = u64::from(choice.tie(pending + pass));
        let delay = Time::from_femtoseconds((drawn >> 2) * u64::from(drawn & 3 != 0));
        queue.push(order(at + delay, actor), (actor, count + 1));
    }
    (start.elapsed().as_secs_f64() * 1e9 / f64::from(PASSES), answer)
}
