//! The workload of every contender: producers and workers, spread of keys, duration of handlers.
//!
//! Keys are drawn here, with a fixed seed, before anything is timed. It must never know the contenders.

use std::fmt;

/// Items that may be in flight at once, for all contenders alike.
pub(crate) const WINDOW: u64 = 8192;
/// Number of items, about, after which a thread that produces and serves changes between the two.
pub(crate) const CHUNK: u64 = 64;
/// Most items in one run, of all producers together.
pub(crate) const LONGEST: usize = 1 << 21;

/// Roles of the threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Topology {
    /// A thread that produces and another that serves.
    Split,
    /// Two threads, each of which produces and serves.
    Both,
    /// A single thread that produces and serves: a worker without contention.
    Alone,
}

/// The role of one thread: its number as a producer and as a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seat {
    pub(crate) producer: Option<usize>,
    pub(crate) worker: Option<usize>,
}

impl Topology {
    pub(crate) fn seats(self) -> &'static [Seat] {
        match self {
            Self::Split => {
                &[Seat { producer: Some(0), worker: None }, Seat { producer: None, worker: Some(0) }]
            }
            Self::Both => {
                &[Seat { producer: Some(0), worker: Some(0) }, Seat { producer: Some(1), worker: Some(1) }]
            }
            Self::Alone => &[Seat { producer: Some(0), worker: Some(0) }],
        }
    }

    pub(crate) fn workers(self) -> usize {
        self.seats().iter().filter(|seat| seat.worker.is_some()).count()
    }

    pub(crate) fn producers(self) -> usize {
        self.seats().iter().filter(|seat| seat.producer.is_some()).count()
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Split => "1 producer + 1 worker",
            Self::Both => "2 workers that produce",
            Self::Alone => "1 worker that produces",
        }
    }
}

/// Distribution of the keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keys {
    Uniform(usize),
    /// Zipf with exponent 0.99, as key-value stores are measured with.
    Zipf(usize),
    /// Half of the items have one key, the rest is uniform over this number of keys.
    Hot(usize),
}

pub(crate) const KEYS: [Keys; 6] = [
    Keys::Uniform(1),
    Keys::Uniform(16),
    Keys::Uniform(1024),
    Keys::Uniform(1 << 20),
    Keys::Zipf(1 << 16),
    Keys::Hot(1024),
];

impl Keys {
    /// Keys are below this.
    pub(crate) fn bound(self) -> usize {
        match self {
            Self::Uniform(keys) | Self::Zipf(keys) => keys,
            Self::Hot(others) => others + 1,
        }
    }

    pub(crate) fn skewed(self) -> bool {
        !matches!(self, Self::Uniform(_))
    }

    /// `count` keys for one producer.
    fn draw(self, seed: u64, count: usize) -> Vec<u32> {
        let mut random = Random(seed);
        let narrow = |key: usize| u32::try_from(key).expect("a million keys and fewer");
        match self {
            Self::Uniform(keys) => (0..count).map(|_| narrow(random.below(keys))).collect(),
            Self::Hot(others) => {
                // The hot key is one among the others by its number, too.
                let hot = others / 3;
                let pick = |random: &mut Random| match random.next() & 1 {
                    0 => hot,
                    _ => (hot + 1 + random.below(others)) % (others + 1),
                };
                (0..count).map(|_| narrow(pick(&mut random))).collect()
            }
            Self::Zipf(keys) => {
                assert!(keys.is_power_of_two(), "ranks are scattered by an odd factor");
                let mut sum = 0.0;
                let cumulative: Vec<f64> = (1..=keys)
                    .map(|rank| {
                        sum += (rank as f64).powf(-0.99);
                        sum
                    })
                    .collect();
                let pick = |random: &mut Random| {
                    let at = random.fraction() * sum;
                    let rank = cumulative.partition_point(|&upto| upto < at).min(keys - 1);
                    // Popular keys are not neighbours: they shall not share a cache line by their rank.
                    rank.wrapping_mul(0x9E37_79B1) & (keys - 1)
                };
                (0..count).map(|_| narrow(pick(&mut random))).collect()
            }
        }
    }
}

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Uniform(keys) if keys >= 1 << 20 => f.pad(&format!("{}M", keys >> 20)),
            Self::Uniform(keys) => f.pad(&keys.to_string()),
            Self::Zipf(keys) => f.pad(&format!("zipf {}K", keys >> 10)),
            Self::Hot(others) => f.pad(&format!("hot half+{others}")),
        }
    }
}

/// A line of the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    pub(crate) topology: Topology,
    pub(crate) keys: Keys,
    /// Nanoseconds of computation in each handler.
    pub(crate) handler: u32,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, keys {}, {} ns", self.topology.name(), self.keys, self.handler)
    }
}

/// The keys of both producers, as many as the longest run takes.
#[derive(Debug)]
pub(crate) struct Draws {
    keys: Keys,
    streams: [Vec<u32>; 2],
}

impl Draws {
    pub(crate) fn new(keys: Keys) -> Self {
        Self { keys, streams: [keys.draw(1, LONGEST), keys.draw(2, LONGEST / 2)] }
    }

    /// The first `items` of them, evenly from each producer.
    pub(crate) fn take(&self, topology: Topology, items: usize) -> Streams<'_> {
        let each = items / topology.producers();
        let streams = self.streams.iter().take(topology.producers()).map(|keys| &keys[..each]).collect();
        Streams { streams }
    }

    /// The largest share that one key has of the items.
    pub(crate) fn largest_share(&self) -> f64 {
        let mut counts = vec![0_u32; self.keys.bound()];
        let items = self.streams.iter().flatten().map(|&key| counts[key as usize] += 1).count();
        f64::from(counts.into_iter().max().unwrap_or(0)) / items as f64
    }
}

/// The keys of one run, by producer.
#[derive(Debug)]
pub(crate) struct Streams<'d> {
    streams: Vec<&'d [u32]>,
}

impl<'d> Streams<'d> {
    pub(crate) fn of(&self, producer: usize) -> &'d [u32] {
        self.streams[producer]
    }

    pub(crate) fn items(&self) -> u64 {
        self.streams.iter().map(|stream| stream.len() as u64).sum()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = u32> {
        self.streams.iter().flat_map(|stream| stream.iter().copied())
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        let scaled = u128::from(self.next()) * bound as u128;
        usize::try_from(scaled >> 64).expect("below a bound of that type")
    }

    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
