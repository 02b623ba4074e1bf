//! Segments: memory of a node that other nodes reach without running a handler.
//!
//! Every node makes the same segments in the same order, so that a segment has the same number on every node; the
//! lengths of the nodes' parts may differ. Memory of another node is never accessed by a pointer, but by a node, a
//! segment and an offset. All three, and the right to the access ([`Rights`]), are checked before any word is accessed.
//!
//! Words are relaxed atomics of 1, 2, 4 or 8 bytes, like the words of [`Cells`]. Transfers and deposits move 8 bytes at
//! a time: one word of 8 bytes, two of 4, four of 2 or eight of 1 ([`Word::packed`]). A thread is sure to see the words
//! that another node has written after any of three events: the handler at the end of a
//! [transfer](crate::Thread::transfer) has run, the count of [deposited](crate::Thread::deposit) words has included
//! them, or the rules of [mapped](crate::Mapped) memory order the accesses. This module must never know which part of a
//! world moves the words.

use std::any::Any;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

use ::segment::{AtomicWord, Form, MemorySource, SharedFile, Width, Words};

use crate::data::Word;
use crate::data::address::{AddressRange, PAGE};
use crate::data::event::Tally;
use crate::data::exports::ExportedSegment;
use crate::data::full_count::FullCount;
use crate::sync::{tally_words, tally_words_of_peer};
use crate::{Cells, Event, NodeId};

/// The number of a segment, from 0 in order of allocation. A segment has the same number on every node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SegmentId(pub u16);

/// The address of a word within a node's segments: a segment and an offset. A place does not say which node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The segment in which the word lies.
    pub segment: SegmentId,
    /// The index of the word in the segment, from 0. It counts words of the segment's type: 1, 2, 4 or 8 bytes each.
    pub offset: u32,
}

/// Consecutive words of a segment, from which a transfer reads or into which it writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The address of the piece's first word.
    pub place: Place,
    /// The number of units of 8 bytes: a unit is one word of 8 bytes, or two words of 4, four of 2, eight of 1.
    pub words: u32,
}

/// The operations that other nodes may perform on a node's part of a segment. The node itself may perform all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rights {
    read: bool,
    write: bool,
    change: bool,
}

impl Rights {
    /// No right: other nodes may not access the segment at all.
    pub const NOTHING: Self = Self { read: false, write: false, change: false };
    /// The right of other nodes to read words of the segment where it is [mapped](crate::Thread::map).
    pub const READ: Self = Self { read: true, ..Self::NOTHING };
    /// The right of other nodes to write words of the segment: by transfers, by deposits, and by stores where it is
    /// mapped.
    pub const WRITE: Self = Self { write: true, ..Self::NOTHING };
    /// The rights of other nodes to read and to write words of the segment.
    pub const READ_WRITE: Self = Self { read: true, ..Self::WRITE };
    /// The rights of other nodes to read words of the segment, to write them, and to change them atomically where the
    /// segment is mapped.
    pub const ALL: Self = Self { change: true, ..Self::READ_WRITE };

    pub(crate) fn allow(self, access: RemoteAccess) -> bool {
        match access {
            RemoteAccess::Read => self.read,
            RemoteAccess::Write => self.write,
            RemoteAccess::Change => self.change,
        }
    }
}

/// A kind of access by another node to words of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RemoteAccess {
    Read,
    Write,
    /// An atomic read-modify-write.
    Change,
}

/// This node's part of a segment: words that other nodes can reach without running a handler. A clone refers to the
/// same memory.
#[derive(Debug)]
pub struct Segment<T: Word> {
    id: SegmentId,
    /// The modelled address of the first word of the part.
    first: u64,
    cells: Cells<T>,
    deposited: Arc<Event>,
}

impl<T: Word> Clone for Segment<T> {
    fn clone(&self) -> Self {
        Self {
            id: self.id,
            first: self.first,
            cells: self.cells.same(),
            deposited: Arc::clone(&self.deposited),
        }
    }
}

impl<T: Word> Segment<T> {
    /// Returns the address of word `offset` of the segment. The address is the same on every node.
    pub fn place(&self, offset: u32) -> Place {
        Place { segment: self.id, offset }
    }

    /// Returns the piece of `words` units of 8 bytes that begins at word `offset` of the segment, for a transfer.
    pub fn piece(&self, offset: u32, words: u32) -> Piece {
        Piece { place: self.place(offset), words }
    }

    /// The segment's number.
    pub(crate) fn id(&self) -> SegmentId {
        self.id
    }

    /// Returns the words of this node's part of the segment as [`Cells`]. Each access names the thread or handler that
    /// makes it, and takes place at its time. Where [events](Event) order the accesses,
    /// [`Thread::words`](crate::Thread::words) is cheaper.
    #[inline]
    pub fn cells(&self) -> &Cells<T> {
        &self.cells
    }

    /// The modelled address of the first word of this node's part.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    /// The event that counts the units of 8 bytes that deposits have written into this node's part of the segment. A
    /// thread that has waited for a count sees all counted words.
    pub fn deposited(&self) -> &Event {
        &self.deposited
    }

    /// A handle of the same event for the node.
    pub(crate) fn deposits(&self) -> Arc<Event> {
        Arc::clone(&self.deposited)
    }
}

/// The size of the unit that transfers and deposits move, in bytes.
const PACKED: usize = 8;

/// The error of an access to words that do not exist, or that the accessing node has no right to. It displays as a
/// sentence that names the accessing and the owning node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadPlace {
    /// The number of words of the access.
    pub words: usize,
    /// The address of the first word of the access.
    pub place: Place,
    /// The node that owns the accessed words.
    pub node: NodeId,
    /// The accessing node, and its kind of access; `None` if the node accesses its own part.
    by: Option<(NodeId, RemoteAccess)>,
    /// The reason why the access is refused.
    pub why: BadAccess,
}

/// The reason why an access to words of a segment is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadAccess {
    /// The node has no such segment.
    NoSegment,
    /// The access reaches beyond the node's part of the segment, which has this number of words.
    Beyond(usize),
    /// The segment's [`Rights`] do not allow other nodes this kind of access.
    Closed,
}

impl fmt::Display for BadPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { words, place: Place { segment, offset }, node, by, why } = self;
        write!(f, "{words} words ")?;
        match by {
            Some((by, RemoteAccess::Read)) => write!(f, "for {by} ")?,
            Some((by, RemoteAccess::Write)) => write!(f, "from {by} ")?,
            Some((by, RemoteAccess::Change)) => write!(f, "changed by {by} ")?,
            None => {}
        }
        write!(f, "at offset {offset} of segment {} of {node}, which ", segment.0)?;
        match (why, by) {
            (BadAccess::NoSegment, _) => f.write_str("does not exist"),
            (BadAccess::Beyond(room), _) => write!(f, "has {room}"),
            (BadAccess::Closed, Some((_, RemoteAccess::Write))) => f.write_str("no other node may write"),
            (BadAccess::Closed, Some((_, RemoteAccess::Change))) => {
                f.write_str("no other node may change in one step")
            }
            (BadAccess::Closed, _) => f.write_str("no other node may read"),
        }
    }
}

impl std::error::Error for BadPlace {}

/// A node's part of a segment, with words of any type. A clone shows the same words.
#[derive(Clone)]
pub(crate) struct Part {
    words: AnyWords,
    /// The modelled address of the part's first word.
    first: u64,
    rights: Rights,
    name: &'static str,
    /// Counts the units of 8 bytes that deposits have written into the part.
    deposited: Tally,
}

/// The words of a part, all of the same size: 1, 2, 4 or 8 bytes.
#[derive(Clone)]
enum AnyWords {
    One(Words<AtomicU8>),
    Two(Words<AtomicU16>),
    Four(Words<AtomicU32>),
    Eight(Words<AtomicU64>),
}

/// Evaluates the expression `$does` with `$of` bound to the words of `$words`, for each of the four widths.
macro_rules! each_width {
    ($words:expr, $of:ident => $does:expr) => {
        match $words {
            AnyWords::One($of) => $does,
            AnyWords::Two($of) => $does,
            AnyWords::Four($of) => $does,
            AnyWords::Eight($of) => $does,
        }
    };
}

impl AnyWords {
    fn new<A: AtomicWord>(words: Words<A>) -> Self {
        let words: &dyn Any = &words;
        let widths = [
            words.downcast_ref().map(|words: &Words<_>| Self::Eight(words.clone())),
            words.downcast_ref().map(|words: &Words<_>| Self::Four(words.clone())),
            words.downcast_ref().map(|words: &Words<_>| Self::Two(words.clone())),
            words.downcast_ref().map(|words: &Words<_>| Self::One(words.clone())),
        ];
        widths.into_iter().flatten().next().expect("an atomic word has one of four widths")
    }

    /// Returns the words if each has the size of an `A`, otherwise `None`.
    fn of<A: AtomicWord>(&self) -> Option<&[A]> {
        each_width!(self, words => (words as &dyn Any).downcast_ref::<Words<A>>().map(|words| &**words))
    }

    fn len(&self) -> usize {
        each_width!(self, words => words.len())
    }

    /// The size of a word in bytes.
    fn width(&self) -> usize {
        each_width!(self, words => width_of(words))
    }

    /// Whether the part has `words` units of 8 bytes from the word `offset` on.
    #[inline]
    fn packs(&self, offset: usize, words: usize) -> bool {
        let each = PACKED / self.width();
        words
            .checked_mul(each)
            .and_then(|words| range(offset, words))
            .is_some_and(|range| range.end <= self.len())
    }
}

const fn width_of<A>(_: &Words<A>) -> usize {
    size_of::<A>()
}

/// Maps the words of another node that `exported` places in its file. They have the width of `own`, words of this node.
fn words_of_peer<A: AtomicWord>(
    own: &Words<A>,
    file: &SharedFile,
    exported: &ExportedSegment,
) -> io::Result<AnyWords> {
    let bytes = exported.len.saturating_mul(width_of(own) as u64);
    // A file has no room for more bytes than can be addressed.
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    let mapping = Arc::new(file.map(exported.words, [(Form::elements(Width::of::<A>()), bytes)])?);
    Ok(AnyWords::new(mapping.words::<A>(0).expect("the mapping is of words of this width")))
}

impl Part {
    /// Returns the words on which node `by` may perform `access`: all words of the part, or none. `node` owns the part.
    ///
    /// # Panics
    /// If a word has another size than an `A`.
    pub(crate) fn open<A: AtomicWord>(&self, (by, node): (NodeId, NodeId), access: RemoteAccess) -> &[A] {
        let words = self.words.of().unwrap_or_else(|| {
            panic!(
                "segment `{}` of {node} has words of {} bytes, and is used for words of {}",
                self.name,
                self.words.width(),
                size_of::<A>()
            )
        });
        if self.is_open((by, node), access) { words } else { &[] }
    }

    fn is_open(&self, (by, node): (NodeId, NodeId), access: RemoteAccess) -> bool {
        by == node || self.rights.allow(access)
    }

    /// The modelled address of the word at `offset`.
    fn address(&self, offset: u32) -> u64 {
        self.first + u64::from(offset) * self.words.width() as u64
    }

    /// Another node's part of the segment of which this is a part. `first` is the modelled address of its first word, and
    /// `exported` places its words in that node's file.
    fn of_peer(&self, file: &SharedFile, exported: &ExportedSegment, first: u64) -> io::Result<Self> {
        let words = each_width!(&self.words, words => words_of_peer(words, file, exported))?;
        let deposited = Tally::new(tally_words_of_peer(file, exported.count)?);
        Ok(Self { words, first, deposited, ..*self })
    }

    /// The modelled address of the first page behind this part. The node's part of the next segment begins there.
    fn next_page(&self) -> u64 {
        self.first + ((self.words.len() * self.words.width()) as u64).next_multiple_of(PAGE)
    }
}

/// A node's parts of all segments, by segment number. [`Messages::mapped`](crate::world::Messages::mapped) shows
/// them to threads of other nodes. A clone shows the same words.
#[derive(Clone, Default)]
pub struct Segments {
    parts: Vec<Part>,
    /// The place that gives the parts of this node their memory.
    source: MemorySource,
    /// The places of the parts in the file of this node, if their memory lies in a file.
    exported: Vec<ExportedSegment>,
}

/// The largest number of segments: a segment's number has 16 bits.
const MOST_SEGMENTS: usize = 1 << 16;

/// Returns the number of the next segment, called `name`, on a node that has `others` segments.
///
/// # Panics
/// If the node has the largest number of segments already.
fn next_id(others: usize, name: &str) -> SegmentId {
    assert!(
        others < MOST_SEGMENTS,
        "segment `{name}` is one too many: a node has at most {MOST_SEGMENTS}; expected one segment of more words"
    );
    SegmentId(others as u16)
}

/// The modelled address of the part behind these, which begins at a page.
fn next_address(parts: &[Part]) -> u64 {
    parts.last().map_or(AddressRange::Segments.first() + PAGE, Part::next_page)
}

impl Segments {
    /// Makes no segments yet, whose memory will come from `source`.
    pub(crate) fn within(source: MemorySource) -> Self {
        Self { source, ..Self::default() }
    }

    /// The place that gives this node the memory which other nodes access.
    pub(crate) fn source(&self) -> &MemorySource {
        &self.source
    }

    pub(crate) fn allocate<T: Word>(
        &mut self,
        rights: Rights,
        name: &'static str,
        len: usize,
        value: T,
    ) -> Segment<T> {
        let id = next_id(self.parts.len(), name);
        let (cells, counts) = (Cells::within(&self.source, len, value), tally_words(&self.source));
        let places = cells.words().mapping().place_in_file().zip(counts.mapping().place_in_file());
        let exported = places.map(|(words, count)| ExportedSegment { words, len: len as u64, count });
        self.exported.extend(exported);
        let tally = Tally::new(counts);
        let deposited = Arc::new(Event::open(name, tally.clone()));
        let first = next_address(&self.parts);
        let words = AnyWords::new(cells.words());
        self.parts.push(Part { words, first, rights, name, deposited: tally });
        Segment { id, first, cells, deposited }
    }

    /// The places of the segments in the file of this node, by segment number; `None` if their memory is private.
    pub fn exports(&self) -> Option<Vec<ExportedSegment>> {
        matches!(self.source, MemorySource::Shared(_)).then(|| self.exported.clone())
    }

    /// Maps the segments of another node, on which the same program is installed. `exported` places them in that node's
    /// `file`. Names, widths and rights are this node's own.
    ///
    /// # Errors
    /// If the other node has another number of segments, or a segment does not lie in the file.
    pub fn of_peer(&self, file: &SharedFile, exported: &[ExportedSegment]) -> io::Result<Self> {
        if exported.len() != self.parts.len() {
            let (there, here) = (exported.len(), self.parts.len());
            let text = format!("another node has {there} segments: expected {here}, as on this node");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let mut parts = Vec::with_capacity(exported.len());
        for (own, exported) in self.parts.iter().zip(exported) {
            let part = own.of_peer(file, exported, next_address(&parts));
            parts.push(part.map_err(|error| {
                io::Error::new(error.kind(), format!("segment `{}` of another node: {error}", own.name))
            })?);
        }
        Ok(Self { parts, ..Self::default() })
    }

    /// The name, the width of the words in bytes, and the rights of other nodes, of each segment.
    pub(crate) fn identities(&self) -> impl Iterator<Item = (&'static str, usize, Rights)> {
        self.parts.iter().map(|part| (part.name, part.words.width(), part.rights))
    }

    /// The name of the segment with the number `number`; `None` if there is no such segment.
    pub(crate) fn name(&self, number: usize) -> Option<&'static str> {
        self.parts.get(number).map(|part| part.name)
    }

    pub(crate) fn count(&self) -> usize {
        self.parts.len()
    }

    /// This node's part of a segment; `None` if there is no such segment.
    #[inline]
    pub(crate) fn part(&self, segment: SegmentId) -> Option<&Part> {
        self.parts.get(usize::from(segment.0))
    }

    /// Writes `words`, in units of 8 bytes, to consecutive words of a segment from `place` on. `nodes` are the sending node and
    /// the node that owns these segments.
    ///
    /// # Errors
    /// [`BadPlace`] if there are no such words or the sending node has no right to write them. Nothing is written then.
    #[inline]
    pub fn write(&self, nodes: (NodeId, NodeId), place: Place, words: &[u64]) -> Result<(), BadPlace> {
        let part = self.part(place.segment).filter(|part| part.is_open(nodes, RemoteAccess::Write));
        let Some(part) = part else {
            return Err(self.refuse(nodes, RemoteAccess::Write, place, words.len()));
        };
        let AnyWords::Eight(room) = &part.words else { return self.write_short(part, nodes, place, words) };
        match range(place.offset as usize, words.len()).and_then(|range| room.get(range)) {
            Some(room) => {
                bulk::store(room, words);
                Ok(())
            }
            None => Err(self.refuse(nodes, RemoteAccess::Write, place, words.len())),
        }
    }

    /// Checks that [`write`](Self::write) would accept `words` units of 8 bytes from `place` on. `nodes` are the sending node and
    /// the node that owns these segments.
    pub(crate) fn check_write(
        &self,
        nodes: (NodeId, NodeId),
        place: Place,
        words: usize,
    ) -> Result<(), BadPlace> {
        let takes = |part: &&Part| {
            part.is_open(nodes, RemoteAccess::Write) && part.words.packs(place.offset as usize, words)
        };
        let part = self.part(place.segment).filter(takes);
        part.map(|_| ()).ok_or_else(|| self.refuse(nodes, RemoteAccess::Write, place, words))
    }

    /// Writes `words`, in units of 8 bytes, into a part whose words have fewer than 8 bytes. The caller has checked the sender's
    /// right.
    #[inline(never)]
    fn write_short(
        &self,
        part: &Part,
        nodes: (NodeId, NodeId),
        place: Place,
        words: &[u64],
    ) -> Result<(), BadPlace> {
        let offset = place.offset as usize;
        if !part.words.packs(offset, words.len()) {
            return Err(self.refuse(nodes, RemoteAccess::Write, place, words.len()));
        }
        each_width!(&part.words, room => {
            let values = bytemuck::cast_slice(words);
            bulk::store(&room[offset..][..values.len()], values);
        });
        Ok(())
    }

    /// Reads `words` units of 8 bytes from `place` on, for `node`, which owns these segments.
    pub(crate) fn read(&self, node: NodeId, place: Place, words: usize) -> Result<Vec<u64>, BadPlace> {
        let part = self.find(node, place, words)?;
        let mut packed = vec![0; words];
        each_width!(&part.words, room => {
            let values = bytemuck::cast_slice_mut(&mut packed);
            bulk::load(&room[place.offset as usize..][..values.len()], values);
        });
        Ok(packed)
    }

    /// The modelled address of the word at `place`. `node`, which owns these segments, must have `words` units of 8 bytes from
    /// there on.
    pub(crate) fn address(&self, node: NodeId, place: Place, words: usize) -> Result<u64, BadPlace> {
        self.find(node, place, words).map(|part| part.address(place.offset))
    }

    /// The modelled address of the word at `place`, and the size of a word in bytes. `node`, which owns these segments, must have
    /// `len` words of this size from there on.
    pub(crate) fn elements(&self, node: NodeId, place: Place, len: usize) -> Result<(u64, u64), BadPlace> {
        let part = self.part(place.segment);
        let has = |part: &&Part| {
            range(place.offset as usize, len).is_some_and(|range| range.end <= part.words.len())
        };
        match part.filter(has) {
            Some(part) => Ok((part.address(place.offset), part.words.width() as u64)),
            None => Err(BadPlace { words: len, place, node, by: None, why: self.room(place) }),
        }
    }

    /// Finds the part that holds `words` units of 8 bytes from `place` on, for an access of `node`, which owns these
    /// segments.
    fn find(&self, node: NodeId, place: Place, words: usize) -> Result<&Part, BadPlace> {
        let has = |part: &&Part| part.words.packs(place.offset as usize, words);
        let found = self.part(place.segment).filter(has);
        found.ok_or_else(|| BadPlace { words, place, node, by: None, why: self.room(place) })
    }

    /// Makes the error which says why node `by` may not perform `access` on words of `node`, which owns these segments.
    #[cold]
    pub(crate) fn refuse(
        &self,
        (by, node): (NodeId, NodeId),
        access: RemoteAccess,
        place: Place,
        words: usize,
    ) -> BadPlace {
        let closed = self.part(place.segment).is_some_and(|part| by != node && !part.rights.allow(access));
        let why = if closed { BadAccess::Closed } else { self.room(place) };
        BadPlace { words, place, node, by: Some((by, access)), why }
    }

    /// The reason why words at `place` do not exist: the node has no such segment, or its part of the segment ends before these
    /// words.
    fn room(&self, place: Place) -> BadAccess {
        self.part(place.segment).map_or(BadAccess::NoSegment, |part| BadAccess::Beyond(part.words.len()))
    }

    /// Adds `words`, the number of units of 8 bytes that a deposit has written, to the count of the segment of `place`. Returns
    /// whether a thread of the owner may wait for the new count: the owner must then look for it.
    ///
    /// # Errors
    /// [`FullCount`] if the count would exceed 64 bits: words that other processes can write may have any value.
    #[inline]
    pub fn count_deposit(&self, place: Place, words: usize) -> Result<bool, FullCount> {
        let Some(part) = self.part(place.segment) else { return Ok(false) };
        let words = words as u64;
        part.deposited.add(words).map_err(|before| FullCount { segment: part.name, before, words })
    }
}

/// The range of the `words` words from `from` on; `None` if its end overflows.
#[inline]
pub(crate) fn range(from: usize, words: usize) -> Option<Range<usize>> {
    from.checked_add(words).map(|end| from..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic = "segment `late` is one too many: a node has at most 65536"]
    fn segments_have_an_end() {
        assert_eq!(next_id(MOST_SEGMENTS - 1, "last"), SegmentId(u16::MAX));
        next_id(MOST_SEGMENTS, "late");
    }
}
