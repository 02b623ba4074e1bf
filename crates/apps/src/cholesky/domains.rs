//! Domains: subtrees of the elimination tree that one thread factors whole, and the division of all other columns into panels.
//!
//! Subtrees are cut from the roots downwards until none has more work than a thread's share, divided by [`PIECES`];
//! each goes to the thread with the least work at that point, the largest first (A. Pothen and C. Sun, *A mapping
//! algorithm for parallel sparse Cholesky factorization*, SIAM Journal on Scientific Computing 14, 1993).
//!
//! This module must never know blocks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::structure::Structure;
use super::tree::NONE;

/// The number of domains that a thread would have if all work were in domains of the greatest size. Ours.
const PIECES: u64 = 2;

/// A subtree of supernodes that one thread factors.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Domain {
    /// The supernodes of the subtree, of which the last is its root.
    pub(super) supernodes: Range<usize>,
    /// The number of the thread among all threads.
    pub(super) owner: u32,
}

/// Divides the tree of supernodes among `threads` threads. Domains come in the order of their columns.
pub(super) fn domains(structure: &Structure, threads: u32) -> Vec<Domain> {
    let greatest = structure.flops() / (PIECES * u64::from(threads));
    let (work, sizes) = subtrees(structure);
    let is_whole = |supernode: usize| threads == 1 || work[supernode] <= greatest;
    let is_root = |supernode: usize| match structure.supernodes[supernode].parent {
        NONE => true,
        parent => !is_whole(parent as usize),
    };
    let roots = (0..sizes.len()).filter(|&supernode| is_whole(supernode) && is_root(supernode));
    let mut domains: Vec<_> =
        roots.map(|root| Domain { supernodes: root + 1 - sizes[root]..root + 1, owner: 0 }).collect();
    let mut largest_first: Vec<_> = domains.iter_mut().collect();
    largest_first.sort_by_key(|domain| Reverse(work[domain.supernodes.end - 1]));
    let mut loads: BinaryHeap<_> = (0..threads).map(|thread| Reverse((0, thread))).collect();
    for domain in largest_first {
        let Reverse((load, thread)) = loads.pop().expect("a run has threads");
        domain.owner = thread;
        loads.push(Reverse((load + work[domain.supernodes.end - 1], thread)));
    }
    domains
}

/// The work, and the number of supernodes, of the subtree under each supernode.
fn subtrees(structure: &Structure) -> (Vec<u64>, Vec<usize>) {
    let count = structure.supernodes.len();
    let mut work: Vec<_> = (0..count).map(|supernode| structure.work(supernode)).collect();
    let mut sizes = vec![1; count];
    for supernode in 0..count {
        let parent = structure.supernodes[supernode].parent;
        if parent != NONE {
            work[parent as usize] += work[supernode];
            sizes[parent as usize] += sizes[supernode];
        }
    }
    (work, sizes)
}

/// Divides the supernodes that are in no domain into panels of at most `width` columns, as equal as possible. A panel is the number
/// of its supernode and its columns.
pub(super) fn panels(structure: &Structure, domains: &[Domain], width: u32) -> Vec<(usize, Range<u32>)> {
    let mut panels = Vec::new();
    let mut domains = domains.iter().peekable();
    let mut supernode = 0;
    while supernode < structure.supernodes.len() {
        if let Some(domain) = domains.next_if(|domain| domain.supernodes.start == supernode) {
            supernode = domain.supernodes.end;
            continue;
        }
        let columns = structure.supernodes[supernode].columns.clone();
        let count = (columns.len() as u32).div_ceil(width);
        let at = |panel: u32| columns.start + panel * columns.len() as u32 / count;
        panels.extend((0..count).map(|panel| (supernode, at(panel)..at(panel + 1))));
        supernode += 1;
    }
    panels
}
