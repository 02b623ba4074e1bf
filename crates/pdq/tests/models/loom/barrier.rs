//! The gate, the fences that it sets, and the lanes behind them.
//!
//! Loads return any value that the memory model allows, also acquiring ones: a server may see an old fence, an old
//! count of ready items, or a gate that is still shut. `loom` watches the writes of handlers.

use super::gate::Gate;
use super::lane::{Lane, Left};
use crate::sync::{Arc, UnsafeCell};
use crate::{Key, explore};

/// Lanes behind one gate, each served by one thread.
struct Barred<const LANES: usize> {
    gate: Gate<u32>,
    lanes: [Lane<u32, u64>; LANES],
    /// The items that have run in each lane. A sequential item adds itself to all.
    runs: [UnsafeCell<Vec<u32>>; LANES],
}

// SAFETY: `loom` watches all accesses to the record of runs.
unsafe impl<const LANES: usize> Sync for Barred<LANES> {}

const SEQUENTIAL: u32 = 9;

impl<const LANES: usize> Barred<LANES> {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            gate: Gate::new(),
            lanes: std::array::from_fn(|_| Lane::new(false)),
            runs: std::array::from_fn(|_| UnsafeCell::default()),
        })
    }

    fn push(&self, at: usize, item: u32) {
        self.lanes[at].push(&mut self.lanes[at].write(), Key::User(0), item);
    }

    fn bar(&self, item: u32) {
        self.gate.arrive(&self.lanes, item, || false).expect("nothing refuses it");
    }

    fn run(&self, at: usize, item: u32) {
        // SAFETY: the pointer is used at once; `loom` sees whether that is right.
        unsafe { &mut *self.runs[at].get() }.push(item);
    }

    /// Runs the items seen in a lane and at the gate; returns whether there were any.
    fn serve(&self, at: usize) -> bool {
        let lane = &self.lanes[at];
        let taken = if lane.shows_work() { lane.serve().take() } else { None };
        if let Some((key, item)) = taken {
            self.run(at, item);
            let mut serving = lane.serve();
            serving.complete(key);
            if serving.leave().drained {
                self.gate.drained();
            }
        }
        let alone = self.gate.take();
        if let Some(item) = alone {
            (0..LANES).for_each(|at| self.run(at, item));
            self.gate.complete(&self.lanes);
        }
        taken.is_some() || alone.is_some()
    }

    /// Serves the remaining items, and returns the items that have run in each lane.
    fn end(self: Arc<Self>) -> Vec<Vec<u32>> {
        while (0..LANES).any(|at| self.serve(at)) {}
        let world = Arc::into_inner(self).expect("all threads have ended");
        world.runs.into_iter().map(UnsafeCell::into_inner).collect()
    }
}

/// Two threads end the last items of two lanes before a sequential one, and one of the threads runs it.
#[test]
fn two_lanes_drain() {
    explore(3, || {
        let world = Barred::<2>::new();
        [(0, 1), (1, 2)].into_iter().for_each(|(at, item)| world.push(at, item));
        world.bar(SEQUENTIAL);
        world.push(0, 3);
        let its = world.clone();
        let server = loom::thread::spawn(move || {
            its.serve(0);
        });
        world.serve(1);
        server.join().expect("it does not panic");
        assert_eq!(world.end(), [vec![1, SEQUENTIAL, 3], vec![2, SEQUENTIAL]]);
    });
}

/// A sequential item arrives while another thread serves; one item comes before it, one behind.
#[test]
fn arrival_and_service() {
    explore(3, || {
        let world = Barred::<1>::new();
        world.push(0, 1);
        let its = world.clone();
        let server = loom::thread::spawn(move || {
            its.serve(0);
            its.serve(0);
        });
        world.bar(SEQUENTIAL);
        world.push(0, 2);
        server.join().expect("it does not panic");
        assert_eq!(world.end(), [[1, SEQUENTIAL, 2]]);
    });
}

/// A sequential item is done, and the next stands: items between them may pass, and see the writes of the first.
#[test]
fn one_barrier_behind_another() {
    explore(3, || {
        let world = Barred::<1>::new();
        world.bar(SEQUENTIAL);
        world.push(0, 1);
        world.bar(SEQUENTIAL + 1);
        world.push(0, 2);
        let its = world.clone();
        let server = loom::thread::spawn(move || {
            its.serve(0);
        });
        world.serve(0);
        server.join().expect("it does not panic");
        assert_eq!(world.end(), [[SEQUENTIAL, 1, SEQUENTIAL + 1, 2]]);
    });
}

/// A lane with two items of different keys. Its claims are shared if `shares`.
fn lane_of_two(shares: bool) -> Arc<Lane<(), u64>> {
    let lane = Arc::new(Lane::new(shares));
    for key in [1, 2] {
        lane.push(&mut lane.write(), Key::User(key), ());
    }
    lane
}

/// A thread that knows of an item sees it in the inbox, or as ready, also while another thread moves it from one to
/// the other.
#[test]
fn what_is_known_is_seen() {
    explore(3, || {
        let lane = lane_of_two(false);
        let its = lane.clone();
        let server = loom::thread::spawn(move || its.serve().pick(1, &mut Vec::new()));
        assert!(lane.shows_work(), "the second is there all the time");
        server.join().expect("it does not panic");
        assert!(lane.shows_work(), "it is there still");
    });
}

/// A thread that knows of an item of a shared claim sees it as claimed, or as ready, also while another thread takes it back.
#[test]
fn what_is_taken_back_is_seen() {
    explore(3, || {
        let lane = lane_of_two(true);
        let mut span = lane.serve().claim(2).expect("both wait");
        assert!(span.next().is_some(), "the first begins, and takes long");
        let its = lane.clone();
        let splitter = loom::thread::spawn(move || assert!(its.serve().search().0));
        assert!(lane.shows_more(), "nobody has begun the second");
        splitter.join().expect("it does not panic");
        assert!(lane.shows_more(), "it is there still");
        assert!(span.next().is_none(), "it has been taken back");
        let mut left = Left { kept: Vec::new(), returned: Vec::new() };
        lane.serve().finish(span, &mut left);
    });
}
