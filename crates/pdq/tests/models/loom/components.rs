//! Parts of the queue alone.
//!
//! They are small enough for any value that the memory model lets a relaxed load return, and for more preemptions.

use super::idle::Idle;
use super::inbox::Inbox;
use super::lane::Lane;
use super::latch::Latch;
use super::room::Room;
use crate::sync::{Arc, AtomicBool, Ordering};
use crate::{Key, explore};

#[test]
fn latch() {
    explore(3, || {
        let latch = Arc::new(Latch::new(0));
        let other = latch.clone();
        let thread = loom::thread::spawn(move || {
            *other.lock() += 1;
            if let Some(mut content) = other.try_lock() {
                *content += 10;
            }
        });
        *latch.lock() += 1;
        thread.join().unwrap();
        assert!([2, 12].contains(&*latch.lock()));
    });
}

/// A thread writes while another reads, over three blocks, of which the first is used again: all items come once and
/// in order, and no slot is written while it may be read.
#[test]
fn inbox() {
    explore(3, || {
        let (inbox, mut reader) = Inbox::new();
        let inbox = Arc::new(inbox);
        let other = inbox.clone();
        let writer = loom::thread::spawn(move || {
            for item in 0..5 {
                other.push(&mut other.lock(), Key::User(item), item);
            }
        });
        let mut read = Vec::new();
        for _ in 0..4 {
            let there = inbox.pushed() - reader.taken();
            if there > 1 {
                let mut span = reader.claim(&inbox, there, 2, false);
                let keys: Vec<_> = reader.claimed_keys().collect();
                let items: Vec<_> = std::iter::from_fn(|| span.next()).collect();
                assert!(keys.iter().eq(items.iter().map(|(key, _)| key)));
                reader.finish(&inbox, span);
                read.extend(items);
            } else if there > 0 {
                read.push(reader.take(&inbox));
            }
        }
        writer.join().unwrap();
        while reader.taken() < inbox.pushed() {
            read.push(reader.take(&inbox));
        }
        assert!(read.into_iter().eq((0..5).map(|item| (Key::User(item), item))));
        reader.dispose(&inbox);
    });
}

/// Something is made ready under a latch while a server falls asleep.
#[test]
fn idle() {
    explore(3, || {
        let idle = Arc::new(Idle::new(false));
        let work = Arc::new(Latch::new(0));
        let (its, lane) = (idle.clone(), work.clone());
        let sleeper = loom::thread::spawn(move || {
            its.search();
            for _ in 0..2 {
                while *lane.lock() == 0 {
                    let registration = its.register();
                    if *lane.lock() > 0 {
                        its.deregister(&registration);
                    } else {
                        its.sleep(&registration);
                    }
                }
                *lane.lock() -= 1;
            }
            assert!(!its.stop_search());
        });
        for _ in 0..2 {
            *work.lock() += 1;
            idle.tell();
        }
        sleeper.join().unwrap();
    });
}

/// Two producers wait for the same room; a closed flag makes one give up.
#[test]
fn room() {
    explore(2, || {
        let room = Arc::new(Room::new(Some(1)));
        let closed = Arc::new(AtomicBool::new(false));
        room.spill(1);
        let (its, end) = (room.clone(), closed.clone());
        let producer = loom::thread::spawn(move || its.enter(|| end.load(Ordering::Acquire)));
        let (its, end) = (room.clone(), closed.clone());
        let taker = loom::thread::spawn(move || {
            its.leave(1);
            end.store(true, Ordering::Release);
            its.tell_producers();
        });
        let entered = room.try_enter();
        taker.join().unwrap();
        let waited = producer.join().unwrap();
        assert!(!(waited && entered), "there is room for one");
    });
}

/// A completion makes an item ready while the last searcher stops to search: one of the two must wake the sleeper.
#[test]
fn completion_and_last_finder() {
    explore(2, || {
        let (idle, lane) = (Arc::new(Idle::new(false)), Arc::new(Lane::new(false)));
        assert!(lane.serve().hold(Key::User(0)));
        lane.push(&mut lane.write(), Key::User(0), ());
        assert!(!lane.serve().search().0, "its key is held");
        idle.search();
        let registration = idle.register();
        idle.search();
        let (its, at) = (idle.clone(), lane.clone());
        let finder = loom::thread::spawn(move || {
            // As a worker does.
            if its.stop_search() && at.shows_work_in_order() {
                its.wake(1);
            }
        });
        let mut serving = lane.serve();
        serving.complete(Key::User(0));
        assert!(serving.leave().ready);
        idle.tell();
        finder.join().unwrap();
        idle.sleep(&registration);
    });
}
