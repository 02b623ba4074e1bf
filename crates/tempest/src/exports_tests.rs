//! Tests of `exports`: a node in a shared file, and a second node, which maps its memory as another process does. The
//! fingerprints of programs.

use std::sync::Arc;

use ::segment::{MemorySource, SharedFile};
use pdq::DispatcherId;

use crate::data::exports::{ExportedSegment, Exports};
use crate::memory::{Fault, Homes};
use crate::plain::Flow;
use crate::world::{Node, SegmentId};
use crate::{Block, FinalState, Handler, Job, Layout, NodeId, Place, Protocol, Report, Rights, Setup, Shape};

const OWNER: NodeId = NodeId(1);
const OTHER: NodeId = NodeId(0);

/// A program with two segments and shared memory.
struct Exporting;

/// The properties of the program that may differ.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Made {
    /// The number of words of the first segment.
    len: usize,
    name: &'static str,
    rights: Rights,
    /// Whether the words of the second segment have 4 bytes; 8 otherwise.
    short: bool,
    /// The number of elements of the shared array.
    elements: usize,
    homes: Homes,
}

const MADE: Made = Made {
    len: 513,
    name: "first",
    rights: Rights::WRITE,
    short: true,
    elements: 600,
    homes: Homes::At(OTHER),
};

impl Protocol for Exporting {
    type Config = Made;
    fn install(made: &Made, setup: &mut Setup<'_>) -> Self {
        setup.segment_for(made.rights, made.name, made.len, 5_u64);
        if made.short {
            setup.segment("second", 8, 0_u32);
        } else {
            setup.segment("second", 8, 0_u64);
        }
        let mut layout = Layout::new(setup.shape().nodes, 64).expect("blocks of 64 bytes");
        layout.array::<u64>("array", made.elements, made.homes).expect("there is room");
        setup.memory::<Faulted>(&layout, true);
        Self
    }
}

#[crate::handlers]
impl Exporting {
    #[message]
    fn faulted(&self, block: u32, _: &mut Handler<'_>) {
        panic!("nothing accesses block {block}");
    }

    fn main(&self, _: &crate::Thread<'_>) {}
    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

impl From<Fault> for Faulted {
    fn from(fault: Fault) -> Self {
        Exporting::faulted(fault.block.0)
    }
}

fn settled(node: NodeId, memory: &MemorySource, made: Made) -> Arc<Node> {
    let (shape, flow) = (Shape { nodes: 2, threads: 1 }, Flow { window: 1, acknowledge_every: None });
    let (job, dispatcher) = (Job::new::<Exporting>(made), DispatcherId::fresh());
    let resident = job.settle(node, shape, flow, dispatcher.id(), memory, None);
    resident.expect("nothing is refused").node
}

fn place(segment: u16, offset: u32) -> Place {
    Place { segment: SegmentId(segment), offset }
}

/// A node whose memory other processes map, and the same program on a node of another process, with its own length of the
/// first segment.
struct Two {
    owner: Arc<Node>,
    other: Arc<Node>,
    exports: Exports,
    /// The file of the owner, as the other process has it.
    file: SharedFile,
}

impl Two {
    fn new() -> Self {
        let file = Arc::new(SharedFile::new().expect("Linux has memory files"));
        let owner = settled(OWNER, &MemorySource::Shared(Arc::clone(&file)), MADE);
        let other = settled(OTHER, &MemorySource::Private, Made { len: 1, ..MADE });
        file.seal().expect("the owner may seal its file");
        let descriptor = file.descriptor().try_clone_to_owned().expect("a descriptor can be duplicated");
        let exports = owner.exports().expect("the memory of the owner lies in a file");
        Self { owner, other, exports, file: SharedFile::adopt(descriptor).expect("the file is sealed") }
    }

    /// The error of the other node for bad places of the segments.
    fn refusal(&self, exported: &[ExportedSegment]) -> String {
        let refused = self.other.segments().of_peer(&self.file, exported);
        refused.map(|_| ()).expect_err("the places are bad").to_string()
    }
}

#[test]
fn private_memory_has_no_places() {
    let node = settled(OWNER, &MemorySource::Private, MADE);
    assert_eq!((node.exports(), node.segments().exports()), (None, None));
}

#[test]
fn words_of_segments_are_seen_both_ways() {
    let Two { owner, other, exports, file } = Two::new();
    let there = other.segments().of_peer(&file, &exports.segments).expect("the places are right");
    assert_eq!(exports.segments.iter().map(|segment| segment.len).collect::<Vec<_>>(), [513, 8]);
    assert_eq!(there.read(OWNER, place(0, 512), 1), Ok(vec![5]));
    assert_eq!(there.write((OTHER, OWNER), place(0, 511), &[7, 8]), Ok(()));
    assert_eq!(owner.read(place(0, 510), 3), Ok(vec![5, 7, 8]));
    assert_eq!(owner.write(OTHER, place(1, 6), &[9]), Ok(()));
    assert_eq!(there.read(OWNER, place(1, 6), 1), Ok(vec![9]));
    let error = there.write((OTHER, OWNER), place(0, 512), &[1, 2]).unwrap_err().to_string();
    assert_eq!(error, "2 words from node 0 at offset 512 of segment 0 of node 1, which has 513");
    // The first part of the owner takes two pages, that of the other node one.
    let address = |segments: &crate::world::Segments| segments.address(OWNER, place(1, 0), 1);
    assert_eq!(address(&there), address(owner.segments()));
    assert_ne!(address(&there), address(other.segments()));
    assert!(there.exports().is_none(), "the words are those of another node");
}

#[test]
fn rights_are_those_of_this_node() {
    let Two { exports, file, .. } = Two::new();
    let closed = settled(OTHER, &MemorySource::Private, Made { rights: Rights::READ, ..MADE });
    let there = closed.segments().of_peer(&file, &exports.segments).expect("the places are right");
    let error = there.write((OTHER, OWNER), place(0, 0), &[1]).unwrap_err().to_string();
    assert!(error.ends_with("which no other node may write"), "{error}");
}

#[test]
fn deposits_of_another_process_reach_the_waiting_thread() {
    let Two { owner, other, exports, file } = Two::new();
    let there = other.segments().of_peer(&file, &exports.segments).expect("the places are right");
    assert_eq!(there.count_deposit(place(1, 0), 3), Ok(false), "nobody waits");
    assert_eq!((owner.deposits[0].counted(), owner.deposits[1].counted()), (0, 3));
    let waiter = crate::Waiter { thread: 4, generation: 2 };
    assert!(owner.deposits[1].enlist(OWNER, 5, waiter));
    assert_eq!(there.count_deposit(place(1, 0), 2), Ok(true), "the owner must look for the thread");
    let mut resumed = Vec::new();
    owner.end_waits_for(SegmentId(1), |waiter| resumed.push(waiter.thread));
    assert_eq!(resumed, [4]);
}

#[test]
fn words_of_blocks_are_seen_and_given_back() {
    let Two { owner, other, exports, file } = Two::new();
    let (memory, theirs) = (owner.memory().expect("it has some"), other.memory().expect("it has some"));
    let at = exports.blocks.expect("the memory lies in a file");
    let there = theirs.blocks().of_peer(&file, at).expect("the place is right");
    let words = [1, 2, 3, 4, 5, 6, 7, 8];
    for block in [Block(70), Block(3)] {
        there.place(block, &words);
        assert_eq!(*memory.contents(block), words);
    }
    memory.forget(0);
    assert_eq!((&*memory.contents(Block(3)), &*memory.contents(Block(70))), (&[0; 8][..], &words[..]));
    there.place(Block(3), &words);
    assert_eq!(*memory.contents(Block(3)), words);
    let error = theirs.blocks().of_peer(&file, at + 4096).unwrap_err().to_string();
    assert!(error.starts_with("shared memory of another node: a piece of 8192 bytes at byte "), "{error}");
}

#[test]
fn bad_places_are_refused() {
    let two = Two::new();
    let good = &two.exports.segments;
    assert_eq!(two.refusal(&good[..1]), "another node has 1 segments: expected 2, as on this node");
    assert_eq!(two.refusal(&[]), "another node has 0 segments: expected 2, as on this node");
    let [first, second] = good[..] else { panic!("{good:?}") };
    let end = two.file.len();
    for bad in [
        ExportedSegment { len: end, ..first },
        ExportedSegment { len: u64::MAX, ..first },
        ExportedSegment { words: first.words + 8, ..first },
        ExportedSegment { words: end, ..first },
        ExportedSegment { count: end, ..first },
        ExportedSegment { count: u64::MAX, ..first },
    ] {
        let says = two.refusal(&[bad, second]);
        assert!(says.starts_with("segment `first` of another node: a piece of "), "{says}");
        assert!(two.refusal(&[first, bad]).starts_with("segment `second` of another node: "));
    }
}

#[test]
fn fingerprints_tell_programs_apart() {
    let of = |made| settled(OWNER, &MemorySource::Private, made).fingerprint();
    let fingerprint = of(MADE);
    assert_eq!(settled(OTHER, &MemorySource::Private, MADE).fingerprint(), fingerprint);
    assert_eq!(of(Made { len: 1, ..MADE }), fingerprint, "a node chooses the length of its part");
    let others = [
        Made { name: "other", ..MADE },
        Made { rights: Rights::ALL, ..MADE },
        Made { short: false, ..MADE },
        Made { elements: 513, ..MADE },
        Made { elements: 1100, ..MADE },
        Made { homes: Homes::RoundRobin, ..MADE },
    ];
    for (at, made) in others.iter().enumerate() {
        let found = of(*made);
        assert_ne!(found, fingerprint, "{made:?}");
        assert!(others[..at].iter().all(|other| of(*other) != found), "{made:?}");
    }
}
