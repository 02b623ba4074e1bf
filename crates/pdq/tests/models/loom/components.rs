//! Parts of the queue alone.

use super::latch::Latch;
use crate::explore;
use crate::sync::Arc;

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
