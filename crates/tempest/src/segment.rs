//! Segments: memory of a node that other nodes write without a handler of its own to do it.
//!
//! Every node makes the same segments in the same order, so that one number names the counterpart on every node;
//! their lengths may differ. Memory elsewhere is never a pointer: it is a node, a segment and an offset, and the world
//! of the receiving node checks all three before it writes.
//!
//! Words are relaxed atomics, as in [`Cells`]: what has been written is ordered by the handler that a
//! [transfer](crate::Thread::transfer) ends with, or by the count of words that [deposits](crate::Thread::deposit)
//! have placed.

use std::fmt;
use std::sync::Arc;

use crate::{Cells, Event, NodeId, Waiter, Word};

/// A segment: dense, in order of allocation, equal on every node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SegmentId(pub u16);

/// A word of a segment, on whichever node it is used with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The segment.
    pub segment: SegmentId,
    /// Its word, from 0.
    pub offset: u32,
}

/// This node's part of a segment. A clone is the same memory.
#[derive(Clone, Debug)]
pub struct Segment<T> {
    id: SegmentId,
    memory: Arc<Memory<T>>,
}

/// The words of a segment on one node, and how many of them deposits have placed.
#[derive(Debug)]
struct Memory<T> {
    cells: Cells<T>,
    deposited: Event,
}

impl<T: Word> Segment<T> {
    pub(crate) fn new(id: SegmentId, name: &'static str, len: usize, value: T) -> Self {
        Self { id, memory: Arc::new(Memory { cells: Cells::new(len, value), deposited: Event::new(name) }) }
    }

    /// Where its word `offset` is, on any node.
    pub fn place(&self, offset: u32) -> Place {
        Place { segment: self.id, offset }
    }

    /// The words of this node.
    pub fn cells(&self) -> &Cells<T> {
        &self.memory.cells
    }

    /// Counts the words that deposits have placed in this node's part. What a deposit placed happens before a wait
    /// that its count ends.
    pub fn deposited(&self) -> &Event {
        &self.memory.deposited
    }
}

/// A segment of a node, its type forgotten: what worlds write to.
pub(crate) trait Writable: Send + Sync {
    fn len(&self) -> usize;
    fn write(&self, offset: usize, words: &[u64]);
    fn read(&self, offset: usize, words: usize) -> Vec<u64>;
    fn deposited(&self) -> &Event;
}

impl<T: Word> Writable for Segment<T> {
    fn len(&self) -> usize {
        self.memory.cells.len()
    }
    fn write(&self, offset: usize, words: &[u64]) {
        for (cell, word) in (offset..).zip(words) {
            self.memory.cells.set(cell, T::from_bits(*word));
        }
    }
    fn read(&self, offset: usize, words: usize) -> Vec<u64> {
        (offset..offset + words).map(|cell| self.memory.cells.get(cell).to_bits()).collect()
    }
    fn deposited(&self) -> &Event {
        &self.memory.deposited
    }
}

/// Modelled segments begin at multiples of so many bytes; the first page holds none, so that no address is 0.
const PAGE: u64 = 4096;

/// Modelled bytes of a word.
const WORD_BYTES: u64 = 8;

/// Words for a place that is not there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadPlace(String);

impl fmt::Display for BadPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// All segments of a node, by number.
#[derive(Default)]
pub(crate) struct Segments(Vec<Arc<dyn Writable>>);

impl Segments {
    pub(crate) fn allocate<T: Word>(&mut self, name: &'static str, len: usize, value: T) -> Segment<T> {
        let id = SegmentId(u16::try_from(self.0.len()).expect("fewer than 65 536 segments"));
        let segment = Segment::new(id, name, len, value);
        self.0.push(Arc::new(segment.clone()));
        segment
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Writes words that came from `source` to a place on `node`, which these segments are of.
    pub(crate) fn write(
        &self,
        (source, node): (NodeId, NodeId),
        place: Place,
        words: &[u64],
    ) -> Result<(), BadPlace> {
        let Place { segment, offset } = place;
        let known = self.0.get(usize::from(segment.0));
        let room = known.map_or(0, |known| known.len());
        match known {
            Some(known) if (offset as usize).checked_add(words.len()).is_some_and(|end| end <= room) => {
                known.write(offset as usize, words);
                Ok(())
            }
            _ => Err(BadPlace(format!(
                "{} words from {source} at offset {offset} of segment {} of {node}, which {}",
                words.len(),
                segment.0,
                if known.is_some() { format!("has {room}") } else { "does not exist".to_owned() },
            ))),
        }
    }

    /// The bits of words of `node`, which these segments are of.
    pub(crate) fn read(&self, node: NodeId, place: Place, words: usize) -> Result<Vec<u64>, BadPlace> {
        Ok(self.find(node, place, words)?.read(place.offset as usize, words))
    }

    /// The modelled address of words of `node`.
    pub(crate) fn address(&self, node: NodeId, place: Place, words: usize) -> Result<u64, BadPlace> {
        self.find(node, place, words)?;
        let pages = |segment: &Arc<dyn Writable>| (segment.len() as u64 * WORD_BYTES).div_ceil(PAGE);
        let before: u64 = self.0[..usize::from(place.segment.0)].iter().map(pages).sum();
        Ok((1 + before) * PAGE + u64::from(place.offset) * WORD_BYTES)
    }

    /// The segment of words of the own node.
    fn find(&self, node: NodeId, place: Place, words: usize) -> Result<&Arc<dyn Writable>, BadPlace> {
        let Place { segment, offset } = place;
        let known = self.0.get(usize::from(segment.0));
        let room = known.map_or(0, |known| known.len());
        let fits = (offset as usize).checked_add(words).is_some_and(|end| end <= room);
        known.filter(|_| fits).ok_or_else(|| {
            let has = if known.is_some() { format!("has {room}") } else { "does not exist".to_owned() };
            BadPlace(format!(
                "{words} words at offset {offset} of segment {} of {node}, which {has}",
                segment.0
            ))
        })
    }

    /// Counts words that were deposited, and gives the threads that waited for them to `resume`.
    pub(crate) fn count_deposit(&self, place: Place, words: usize, resume: impl FnMut(Waiter)) {
        if let Some(segment) = self.0.get(usize::from(place.segment.0)) {
            segment.deposited().add(words as u64, resume);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_where_they_were_sent_or_nowhere() {
        let mut segments = Segments::default();
        let first = segments.allocate("first", 4, 0_u64);
        let second = segments.allocate("second", 2, 0.0);
        let nodes = (NodeId(1), NodeId(0));
        assert_eq!(segments.write(nodes, first.place(2), &[7, 8]), Ok(()));
        assert_eq!(segments.write(nodes, second.place(1), &[1.5_f64.to_bits()]), Ok(()));
        assert_eq!((first.cells().get(2), first.cells().get(3), second.cells().get(1)), (7, 8, 1.5));
        for (place, says) in [
            (first.place(3), "2 words from node 1 at offset 3 of segment 0 of node 0, which has 4"),
            (first.place(u32::MAX), "offset 4294967295 of segment 0 of node 0, which has 4"),
            (Place { segment: SegmentId(2), offset: 0 }, "segment 2 of node 0, which does not exist"),
        ] {
            let error = segments.write(nodes, place, &[1, 2]).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        assert_eq!(first.cells().get(3), 8, "a write that does not fit writes nothing");
    }

    #[test]
    fn segments_are_read_and_have_addresses_that_begin_pages() {
        let mut segments = Segments::default();
        let first = segments.allocate("first", 513, 0_u64);
        let second = segments.allocate("second", 2, 1.5);
        let node = NodeId(3);
        assert_eq!(segments.read(node, second.place(0), 2), Ok(vec![1.5_f64.to_bits(); 2]));
        // 513 words of 8 bytes take two pages.
        assert_eq!(segments.address(node, first.place(2), 1), Ok(4096 + 16));
        assert_eq!(segments.address(node, second.place(1), 1), Ok(3 * 4096 + 8));
        let error = segments.address(node, second.place(1), 2).unwrap_err().to_string();
        assert_eq!(error, "2 words at offset 1 of segment 1 of node 3, which has 2");
    }

    #[test]
    fn deposits_are_counted_in_words() {
        let mut segments = Segments::default();
        let segment = segments.allocate("words", 4, 0_u64);
        segments.count_deposit(segment.place(0), 3, |_| unreachable!("nobody waits"));
        assert_eq!(segment.deposited().count(), 3);
    }
}
