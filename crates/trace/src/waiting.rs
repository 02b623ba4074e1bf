//! Events on their way to a file, kept as they are until there is time to write them.
//!
//! Writing an event takes many times as long as keeping it, and a run that waits for its trace measures the trace. The
//! room for waiting events is bounded, and is touched before the run: the first use of a page of memory takes the host
//! as long as many events.
//!
//! This module must never know how an event is written.

use units::Time;

use crate::Event;

/// The number of events that are handed over at once.
pub(crate) const CHUNK: usize = 1024;

/// Events in the order in which they happened to one processor.
pub(crate) type Chunk = Vec<(Time, Event)>;

/// Full chunks in the order in which they were handed over, and room for more.
#[derive(Default)]
pub(crate) struct Waiting {
    full: Vec<Chunk>,
    empty: Vec<Chunk>,
}

impl Waiting {
    /// Makes room for `bytes` of events.
    pub(crate) fn make_room(&mut self, bytes: usize) {
        let chunks = bytes / (CHUNK * size_of::<(Time, Event)>());
        self.empty.resize_with(chunks, || {
            let mut chunk = vec![(Time::ZERO, Event::Interrupt { node: 0, processor: 0 }); CHUNK];
            chunk.clear();
            chunk
        });
    }

    /// Takes a chunk, and gives an empty one for it. Where there is no room left, `write` is given all events that wait.
    pub(crate) fn exchange(&mut self, chunk: Chunk, write: impl FnMut(Time, Event)) -> Chunk {
        self.full.push(chunk);
        if self.empty.is_empty() {
            self.drain(write);
        }
        self.empty.pop().expect("what was full is empty now")
    }

    /// Gives away all events that wait.
    pub(crate) fn drain(&mut self, mut write: impl FnMut(Time, Event)) {
        for mut chunk in self.full.drain(..) {
            chunk.drain(..).for_each(|(at, event)| write(at, event));
            self.empty.push(chunk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(first: u32, len: u32) -> Chunk {
        (first..first + len).map(|index| (Time::ZERO, Event::Phase { index, name: "" })).collect()
    }

    #[test]
    fn what_waits_is_written_in_order_when_there_is_no_room_left() {
        let mut waiting = Waiting::default();
        waiting.make_room(2 * CHUNK * size_of::<(Time, Event)>());
        let mut written = Vec::new();
        for index in 0..6 {
            let empty = waiting.exchange(chunk(index, 1), |_, event| written.push(event));
            assert!(empty.is_empty() && empty.capacity() > 0);
            assert_eq!(written.len(), [0, 0, 3, 3, 3, 6][index as usize], "after chunk {index}");
        }
        waiting.drain(|_, event| written.push(event));
        let expected: Vec<_> = chunk(0, 6).into_iter().map(|(_, event)| event).collect();
        assert_eq!(written, expected);
    }

    #[test]
    fn without_room_each_chunk_is_written_at_once() {
        let mut waiting = Waiting::default();
        let mut written = 0;
        waiting.exchange(chunk(0, 3), |_, _| written += 1);
        assert_eq!(written, 3);
    }
}
