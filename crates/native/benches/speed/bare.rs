//! Bounds for messages on this host: rings between two OS threads pinned to the cores of our processors. There are no handlers, no lengths,
//! no counters.
//!
//! The first is our own layout with nothing dispatched: half a cache line a message, a stamp and three words, written once and read once;
//! credit returns every 128 lines. The second is a ring that others keep, `rtrb`, with messages of two words.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tradewind_bench::pin;

/// Halves of the lines of our own rings, and so of these.
const HALVES: usize = 2 * 4096;

/// Halves after which the consumer returns credit.
const RETURN: u64 = 2 * 128;

/// Pauses between two looks at a half that has not arrived: the number that makes streams fastest on the hosts tried.
const PAUSES: u32 = 8;

/// Requests sent, and replies received, in a row.
const BUNCH: u64 = 16;

/// Half a cache line.
#[derive(Default)]
#[repr(align(32))]
struct Half([AtomicU64; 4]);

#[derive(Default)]
#[repr(align(128))]
struct Apart(AtomicU64);

struct Bare {
    halves: Vec<Half>,
    taken: Apart,
}

/// The producer's end: the next half, and the number of taken halves that it last read.
struct Producer<'r> {
    ring: &'r Bare,
    next: u64,
    taken: u64,
}

/// The consumer's end: the next half, and the number of taken halves that it last published.
struct Consumer<'r> {
    ring: &'r Bare,
    next: u64,
    said: u64,
}

impl Bare {
    fn new() -> Self {
        Self { halves: (0..HALVES).map(|_| Half::default()).collect(), taken: Apart::default() }
    }

    fn ends(&self) -> (Producer<'_>, Consumer<'_>) {
        (Producer { ring: self, next: 0, taken: 0 }, Consumer { ring: self, next: 0, said: 0 })
    }

    fn half(&self, number: u64) -> &[AtomicU64; 4] {
        &self.halves[number as usize % HALVES].0
    }
}

impl Producer<'_> {
    #[inline]
    fn push(&mut self, words: [u64; 2]) {
        while self.next - self.taken >= HALVES as u64 {
            self.taken = self.ring.taken.0.load(Ordering::Acquire);
            spin_loop();
        }
        let half = self.ring.half(self.next);
        half[1].store(words[0], Ordering::Relaxed);
        half[2].store(words[1], Ordering::Relaxed);
        self.next += 1;
        half[0].store(self.next, Ordering::Release);
    }
}

impl Consumer<'_> {
    #[inline]
    fn pop(&mut self) -> Option<[u64; 2]> {
        let half = self.ring.half(self.next);
        let came = half[0].load(Ordering::Acquire) == self.next + 1;
        let words = came.then(|| [half[1].load(Ordering::Relaxed), half[2].load(Ordering::Relaxed)]);
        self.next += u64::from(came);
        if self.next - self.said >= if came { RETURN } else { 1 } {
            self.said = self.next;
            self.ring.taken.0.store(self.next, Ordering::Release);
        }
        words
    }

    #[inline]
    fn wait(&mut self) -> [u64; 2] {
        loop {
            if let Some(words) = self.pop() {
                return words;
            }
            // Looking again at once would take the line away from the producer that fills it.
            (0..PAUSES).for_each(|_| spin_loop());
        }
    }
}

/// Runs one function on each of the first two cores. Returns the time of the first.
fn on_two_cores(first: impl FnOnce() + Send, second: impl FnOnce() + Send) -> Duration {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pin(1);
            second();
        });
        let timed = scope.spawn(|| {
            pin(0);
            let start = Instant::now();
            first();
            start.elapsed()
        });
        timed.join().expect("the first thread ends")
    })
}

/// Messages per second, in millions, through a ring of `rtrb` in one direction.
pub(crate) fn kept_stream(messages: u64) -> f64 {
    let (mut producer, mut consumer) = rtrb::RingBuffer::new(HALVES);
    let time = on_two_cores(
        || {
            let mut sum = 0;
            for _ in 0..messages {
                let [number, _]: [u64; 2] = loop {
                    match consumer.pop() {
                        Ok(words) => break words,
                        Err(_) => spin_loop(),
                    }
                };
                sum += number;
            }
            assert_eq!(sum, messages * (messages - 1) / 2);
        },
        || {
            for number in 0..messages {
                while producer.push([number, black_box(1)]).is_err() {
                    spin_loop();
                }
            }
        },
    );
    messages as f64 / time.as_nanos() as f64 * 1e3
}

/// Messages per second, in millions, through a bare ring in one direction.
pub(crate) fn stream(messages: u64) -> f64 {
    let ring = Bare::new();
    let (mut producer, mut consumer) = ring.ends();
    let time = on_two_cores(
        || {
            let sum: u64 = (0..messages).map(|_| consumer.wait()[0]).sum();
            assert_eq!(sum, messages * (messages - 1) / 2);
        },
        || (0..messages).for_each(|number| producer.push([number, black_box(1)])),
    );
    messages as f64 / time.as_nanos() as f64 * 1e3
}

/// Requests per second, in millions, answered through a bare ring each way, with `window` in flight. Both sides receive and send in
/// batches, as programs that maximize rates do.
pub(crate) fn requests(requests: u64, window: u64) -> f64 {
    let (there, back) = (Bare::new(), Bare::new());
    let (mut ask, mut asked) = there.ends();
    let (mut answer, mut answered) = back.ends();
    let bunches = requests / BUNCH;
    let time = on_two_cores(
        || {
            let (mut sum, ahead) = (0, window / BUNCH);
            for bunch in 0..bunches + ahead {
                if bunch >= ahead {
                    sum += (0..BUNCH).map(|_| answered.wait()[0]).sum::<u64>();
                }
                if bunch < bunches {
                    (0..BUNCH).for_each(|number| ask.push([bunch * BUNCH + number, 1]));
                }
            }
            let all = bunches * BUNCH;
            assert_eq!(sum, all * (all - 1) / 2);
        },
        || {
            for _ in 0..bunches {
                let bunch: [_; BUNCH as usize] = std::array::from_fn(|_| asked.wait());
                bunch.into_iter().for_each(|words| answer.push(words));
            }
        },
    );
    (bunches * BUNCH) as f64 / time.as_nanos() as f64 * 1e3
}
