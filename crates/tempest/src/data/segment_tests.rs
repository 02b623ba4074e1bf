//! Tests of `segment`: accesses to words that exist, and refusals of others.

use std::sync::atomic::AtomicU64;

use crate::data::Word;
use crate::data::segment::{RemoteAccess, SegmentId, Segments};
use crate::{NodeId, Place, Rights};

#[test]
fn words_stand_where_they_were_sent_or_nowhere() {
    let mut segments = Segments::default();
    let first = segments.allocate(Rights::WRITE, "first", 4, 0_u64);
    let second = segments.allocate(Rights::WRITE, "second", 2, 0.0);
    let nodes = (NodeId(1), NodeId(0));
    assert_eq!(segments.write(nodes, first.place(2), &[7, 8]), Ok(()));
    assert_eq!(segments.write(nodes, second.place(1), &[1.5_f64.to_bits()]), Ok(()));
    assert_eq!((first.cells().held(2), first.cells().held(3), second.cells().held(1)), (7, 8, 1.5));
    for (place, says) in [
        (first.place(3), "2 words from node 1 at offset 3 of segment 0 of node 0, which has 4"),
        (first.place(u32::MAX), "offset 4294967295 of segment 0 of node 0, which has 4"),
        (Place { segment: SegmentId(2), offset: 0 }, "segment 2 of node 0, which does not exist"),
    ] {
        let refused = segments.write(nodes, place, &[1, 2]);
        let error = refused.unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert_eq!(segments.check_write(nodes, place, 2), refused);
    }
    assert_eq!(first.cells().held(3), 8, "a write that does not fit writes nothing");
}

#[test]
fn words_of_others_go_where_others_may_write() {
    let mut segments = Segments::default();
    let closed = segments.allocate(Rights::READ, "closed", 4, 0_u64);
    let refused = segments.write((NodeId(1), NodeId(0)), closed.place(0), &[7]);
    assert_eq!(segments.check_write((NodeId(1), NodeId(0)), closed.place(0), 1), refused);
    assert_eq!(segments.check_write((NodeId(0), NodeId(0)), closed.place(3), 1), Ok(()));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "1 words from node 1 at offset 0 of segment 0 of node 0, which no other node may write"
    );
    assert_eq!(segments.write((NodeId(0), NodeId(0)), closed.place(0), &[8]), Ok(()), "its own node may");
    assert_eq!(closed.cells().held(0), 8);
}

#[test]
fn segments_are_read_and_have_addresses_that_begin_pages() {
    let mut segments = Segments::default();
    let first = segments.allocate(Rights::WRITE, "first", 513, 0_u64);
    let second = segments.allocate(Rights::WRITE, "second", 2, 1.5);
    let node = NodeId(3);
    assert_eq!(segments.read(node, second.place(0), 2), Ok(vec![1.5_f64.to_bits(); 2]));
    // 513 words of 8 bytes take two pages.
    assert_eq!(segments.address(node, first.place(2), 1), Ok(4096 + 16));
    assert_eq!(segments.address(node, second.place(1), 1), Ok(3 * 4096 + 8));
    let error = segments.address(node, second.place(1), 2).unwrap_err().to_string();
    assert_eq!(error, "2 words at offset 1 of segment 1 of node 3, which has 2");
}

/// The first segment has words of 2 bytes in one page, the second words of 4. Code reads and writes 8 bytes at a time, from
/// any word on.
#[test]
fn words_of_fewer_bytes_are_packed_and_stand_closer() {
    let mut segments = Segments::default();
    let halves = segments.allocate(Rights::WRITE, "halves", 2049, 0_u16);
    let words = segments.allocate(Rights::WRITE, "words", 6, 0_i32);
    let (nodes, node) = ((NodeId(1), NodeId(0)), NodeId(0));
    let packed = i32::packed(&[-1, 2, 3, 4]);
    assert_eq!(segments.write(nodes, words.place(1), &packed), Ok(()));
    assert_eq!([0, 1, 2, 4, 5].map(|at| words.cells().held(at)), [0, -1, 2, 4, 0]);
    assert_eq!(segments.read(node, words.place(1), 2), Ok(packed.to_vec()));
    let error = segments.write(nodes, words.place(3), &packed).unwrap_err().to_string();
    assert_eq!(error, "2 words from node 1 at offset 3 of segment 1 of node 0, which has 6");
    // 2049 halves take two pages.
    assert_eq!(segments.address(node, halves.place(3), 1), Ok(4096 + 6));
    assert_eq!(segments.elements(node, words.place(5), 1), Ok((3 * 4096 + 20, 4)));
    assert!(
        segments.address(node, words.place(5), 1).is_err()
            && segments.elements(node, words.place(5), 2).is_err()
    );
}

#[test]
#[should_panic(expected = "segment `words` of node 0 has words of 4 bytes, and is used for words of 8")]
fn words_are_seen_in_their_width_alone() {
    let mut segments = Segments::default();
    segments.allocate(Rights::WRITE, "words", 6, 0_i32);
    segments
        .part(SegmentId(0))
        .expect("it is there")
        .open::<AtomicU64>((NodeId(1), NodeId(0)), RemoteAccess::Write);
}

#[test]
fn deposits_are_counted_in_words() {
    let mut segments = Segments::default();
    let segment = segments.allocate(Rights::WRITE, "words", 4, 0_u64);
    assert_eq!(segments.count_deposit(segment.place(0), 3), Ok(false), "nobody waits");
    assert_eq!(segment.deposited().counted(), 3);
}
