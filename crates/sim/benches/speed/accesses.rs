//! Host time per access of a private array: a hit, element by element and through views, and a miss. The bound beside
//! it is a loop over an array of tags, the least work of a direct-mapped cache.

use std::hint::black_box;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use machine::Machine;
use tempest::world::{Launch, World};
use tempest::{FinalState, Job, Protocol, Report, Setup, Thread, handlers};

use tradewind_bench::table::{Aim, TableRow, Unit, paired};

/// The lines of the cache of Hurricane-1, and the words of a line.
const LINES: usize = 8192;
const WORDS: usize = 4;

/// The accesses of a measurement.
const ACCESSES: usize = 1 << 21;

/// The way in which the thread goes through its array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// Element by element of an array that fits the cache.
    Hit,
    /// By views of 256 elements of an array that fits the cache.
    View,
    /// Accesses to one element of each line of an array twice as large as the cache.
    Miss,
}

/// A way, and the nanoseconds and the misses of an access.
struct Series {
    way: Way,
    took: OnceLock<f64>,
}

struct Walk(Arc<Series>);

impl Protocol for Walk {
    type Config = Arc<Series>;
    fn install(asked: &Arc<Series>, _: &mut Setup<'_>) -> Self {
        Self(Arc::clone(asked))
    }
}

#[handlers]
impl Walk {
    fn main(&self, thread: &Thread<'_>) {
        let Series { way, took } = &*self.0;
        let (len, step) = if *way == Way::Miss { (2 * LINES * WORDS, WORDS) } else { (LINES * WORDS / 2, 1) };
        let array = thread.private::<u64>("walked", len);
        let walk = || match way {
            Way::View => {
                for at in (0..len).step_by(256) {
                    black_box(array.view(thread, at..at + 256));
                }
            }
            _ => {
                for index in (0..len).step_by(step) {
                    black_box(array.get(thread, index));
                }
            }
        };
        walk();
        let (before, start) = (thread.memory_events(), Instant::now());
        let accesses = len / step;
        (0..ACCESSES / accesses).for_each(|_| walk());
        took.set(start.elapsed().as_secs_f64() * 1e9 / ACCESSES as f64).expect("one thread walks");
        let misses = thread.memory_events().since(before).misses;
        assert_eq!(misses, if *way == Way::Miss { ACCESSES as u64 } else { 0 }, "{way:?}");
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

/// The rows, on a machine whose cache has [`LINES`] lines of [`WORDS`] words.
pub(crate) fn rows(machine: &Machine) -> Vec<TableRow> {
    let row = |what: &str, way, aim| {
        let figures = paired(|| ours(machine, way), || bare(way));
        TableRow::new(what, Unit::Nanoseconds, figures, "array of tags", aim)
    };
    vec![
        row("private array, an element that hits", Way::Hit, Aim::Value(10.0, 20.0)),
        row("private array, an element of a view that hits", Way::View, Aim::Value(5.0, 10.0)),
        row("private array, an element that misses", Way::Miss, Aim::Value(100.0, 200.0)),
    ]
}

fn ours(machine: &Machine, way: Way) -> f64 {
    let asked = Arc::new(Series { way, took: OnceLock::new() });
    let job = Job::new::<Walk>(Arc::clone(&asked));
    let launch =
        Launch { nodes: 1, processors: 1, ..Launch::new(job, "floating".parse().expect("a policy")) };
    tradewind_sim::Model::new(machine.clone()).run(&launch).expect("the run ends well");
    *asked.took.get().expect("the thread timed its accesses")
}

fn bare(way: Way) -> f64 {
    let mut tags = vec![usize::MAX; LINES];
    let (len, step) = if way == Way::Miss { (2 * LINES * WORDS, WORDS) } else { (LINES * WORDS / 2, 1) };
    let start = Instant::now();
    let mut missed = 0;
    for access in 0..ACCESSES {
        let line = black_box(access * step % len / WORDS);
        missed += usize::from(std::mem::replace(&mut tags[line % LINES], line) != line);
    }
    black_box(missed);
    start.elapsed().as_secs_f64() * 1e9 / ACCESSES as f64
}
