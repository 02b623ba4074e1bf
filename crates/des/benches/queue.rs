//! Host time of the queue beside the standard library's heap. `cargo bench -p tradewind-des` prints nanoseconds for a
//! pop and the push that follows it, with a constant number of 16-byte events pending: the life of an engine.
#![expect(clippy::print_stdout, reason = "a benchmark is there to be read")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use tradewind_bench::least;
use tradewind_des::{Choice, EventQueue};
use units::Time;

const ROUNDS: usize = 5;
const PASSES: u32 = 2_000_000;

type Event = (u64, u64);

/// Operations of both heaps.
trait Queue {
    fn push(&mut self, at: Time, tie: u32, event: Event);
    fn pop(&mut self) -> Option<(Time, Event)>;
}

impl Queue for EventQueue<Event> {
    fn push(&mut self, at: Time, tie: u32, event: Event) {
        self.push(at, tie, event);
    }
    fn pop(&mut self) -> Option<(Time, Event)> {
        self.pop()
    }
}

/// The standard library's heap over the same order: time, tie, sequence.
#[derive(Default)]
struct Standard {
    heap: BinaryHeap<Reverse<(Time, u64, Event)>>,
    sequence: u64,
}

impl Queue for Standard {
    fn push(&mut self, at: Time, tie: u32, event: Event) {
        self.sequence += 1;
        self.heap.push(Reverse((at, u64::from(tie) << 32 | self.sequence, event)));
    }
    fn pop(&mut self) -> Option<(Time, Event)> {
        self.heap.pop().map(|Reverse((at, _, event))| (at, event))
    }
}

fn main() {
    println!("pending  EventQueue  BinaryHeap");
    for pending in [1, 16, 64, 256, 1024, 4096, 16384] {
        let (ours, our_answer) = least(ROUNDS, || measure(pending, EventQueue::new()));
        let (standard, answer) = least(ROUNDS, || measure(pending, Standard::default()));
        assert_eq!(our_answer, answer);
        println!("{pending:7}  {ours:7.1} ns  {standard:7.1} ns");
    }
}

/// Each event pushes its successor: a quarter at the same time, the others up to a microsecond later.
fn measure(pending: u32, mut queue: impl Queue) -> (f64, u64) {
    // A permutation of 32-bit numbers: as good as draws, and the same for both queues.
    let choice = Choice::new(1);
    for actor in 0..pending {
        queue.push(
            Time::from_femtoseconds(u64::from(choice.tie(actor)) >> 2),
            actor % 8,
            (u64::from(actor), 0),
        );
    }
    let mut answer = 0_u64;
    let start = Instant::now();
    for pass in 0..PASSES {
        let (at, (actor, count)) = queue.pop().expect("each pop is followed by a push");
        answer = answer.wrapping_mul(31).wrapping_add(at.as_femtoseconds() ^ actor);
        let drawn = u64::from(choice.tie(pending + pass));
        let delay = Time::from_femtoseconds((drawn >> 2) * u64::from(drawn & 3 != 0));
        queue.push(at + delay, actor as u32 % 8, (actor, count + 1));
    }
    (start.elapsed().as_secs_f64() * 1e9 / f64::from(PASSES), answer)
}
