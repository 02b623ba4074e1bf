//! The items of a seizure, and a taker of the rest of the holding while an item runs.
//!
//! Loads return any value that the memory model allows. The rest of the holding is a cell that `loom` watches: the
//! holder writes it while it runs an item, and before; a thread that has taken it writes it, too.

use super::steps::Steps;
use crate::explore;
use crate::sync::{Arc, Fences, UnsafeCell};

/// The holding, and the protocol that names its holder.
#[derive(Default)]
struct Held {
    steps: Steps,
    beside: UnsafeCell<u32>,
}

// SAFETY: `loom` watches all accesses to the cell.
unsafe impl Sync for Held {}
// SAFETY: as above.
unsafe impl Send for Held {}

impl Held {
    fn write_beside(&self) {
        // SAFETY: the caller holds it, or else `loom` says so.
        unsafe { *self.beside.get() += 1 };
    }

    /// Runs up to `items` items, until another thread takes the rest of the holding; returns the number run.
    fn run(&self, items: u64) -> u64 {
        let mut run = 0;
        for _ in 0..items {
            self.write_beside();
            let item = self.steps.begin();
            loom::thread::yield_now();
            run += 1;
            if !self.steps.end(item, Fences) {
                break;
            }
        }
        run
    }

    /// As a server that finds an item late. Whether it has taken the rest.
    fn take(&self) -> bool {
        let takes = self.steps.running().is_some_and(|item| self.steps.take(item, Fences));
        if takes {
            self.write_beside();
        }
        takes
    }
}

/// A holder runs items, and another thread takes the rest beside any of them, or comes too late.
#[test]
fn one_of_two_has_the_rest() {
    explore(3, || {
        let held = Arc::new(Held::default());
        let other = held.clone();
        let taker = loom::thread::spawn(move || other.take());
        let run = held.run(3);
        let taken = taker.join().expect("nothing panics here");
        assert!(taken || run == 3, "the holder stops only where somebody has taken the rest");
        if !taken {
            held.write_beside();
        }
    });
}

/// Two takers, of which one may be late by an item.
#[test]
fn one_of_three_has_the_rest() {
    explore(1, || {
        let held = Arc::new(Held::default());
        let takers = [(); 2].map(|()| {
            let other = held.clone();
            loom::thread::spawn(move || other.take())
        });
        let run = held.run(2);
        let taken = takers.map(|taker| taker.join().expect("nothing panics here"));
        assert!(taken != [true; 2], "once");
        assert!(taken.contains(&true) || run == 2);
    });
}
