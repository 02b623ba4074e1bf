//! Stands in for the library's `fences`: both are full fences. That is how a light and a heavy fence act on each
//! other, and all that `parker` asks of them; between two light ones, which have nothing to say to each other, it is more.

use crate::sync::{Ordering, fence, mutated};

#[derive(Clone, Copy)]
pub(crate) struct Fences;

impl Fences {
    pub(crate) fn light(self) {
        if !mutated!("light-left-out") {
            fence(Ordering::SeqCst);
        }
    }

    pub(crate) fn heavy(self) {
        if !mutated!("heavy-left-out") {
            fence(Ordering::SeqCst);
        }
    }
}
