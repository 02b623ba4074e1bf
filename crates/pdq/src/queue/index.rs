//! Index of items by key: items that are ready, and items that wait behind another of their key.
//!
//! Every operation costs at most a hash look-up. An item in here is in exactly one place:
//!
//! * *ready*: no unfinished older item has its key. Its strand counts it as ahead.
//! * in the *strand* of its user key: behind an unfinished item of that key. The strand exists while such an item
//!   does.
//!
//! Items that are being run have left the index and are only counted in their strand. This module must never know
//! threads, inboxes, or the sequential key.

use std::collections::HashMap;

use crate::spread::Buckets;
use crate::{Key, UserKey};

#[derive(Debug)]
pub(super) struct Index<T, K> {
    strands: HashMap<K, Strand, Buckets>,
    nodes: Vec<Node<T, K>>,
    /// Nodes that contain no item, to be used again.
    free: List,
    ready: List,
    /// Number of items in the list `ready`.
    ready_len: usize,
    /// Number of items that wait in strands.
    blocked: usize,
}

/// The unfinished items of one user key.
#[derive(Debug)]
struct Strand {
    /// Number of unfinished items ahead of `waiting`: ready, or being run. 1 unless a claim has several items of the key.
    ahead: usize,
    waiting: List,
}

#[derive(Debug)]
struct Node<T, K> {
    key: Key<K>,
    item: Option<T>,
    next: usize,
}

/// A linked list of nodes, by their indices; `first` is `NONE` if it is empty.
#[derive(Clone, Copy, Debug)]
struct List {
    first: usize,
    last: usize,
}

const NONE: usize = usize::MAX;
const EMPTY: List = List { first: NONE, last: NONE };

impl<T, K: UserKey> Index<T, K> {
    pub(super) fn new() -> Self {
        Self {
            strands: HashMap::default(),
            nodes: Vec::new(),
            free: EMPTY,
            ready: EMPTY,
            ready_len: 0,
            blocked: 0,
        }
    }

    /// Whether no key is held and no item is ready.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.strands.is_empty() && self.ready_len == 0
    }

    /// Number of items that can be run now.
    #[inline]
    pub(super) fn ready(&self) -> usize {
        self.ready_len
    }

    /// Number of waiting items, ready ones included.
    pub(super) fn waiting(&self) -> usize {
        self.ready_len + self.blocked
    }

    /// Holds `key` if it is free. Returns whether it was free.
    #[inline]
    pub(super) fn hold(&mut self, key: K) -> bool {
        let mut fresh = false;
        self.strands.entry(key).or_insert_with(|| {
            fresh = true;
            Strand { ahead: 1, waiting: EMPTY }
        });
        fresh
    }

    /// Counts one more running item of the key, even if others wait: for a claim that was made before the index was
    /// in use.
    pub(super) fn hold_again(&mut self, key: K) {
        self.strands.entry(key).or_insert(Strand { ahead: 0, waiting: EMPTY }).ahead += 1;
    }

    /// Adds an item behind the unfinished items of its key, of which there is at least one.
    pub(super) fn wait(&mut self, key: K, item: T) {
        let node = self.make(Key::User(key), item);
        let strand = self.strands.get_mut(&key).expect("an item waits behind another of its key");
        strand.waiting.push_back(node, &mut self.nodes);
        self.blocked += 1;
    }

    /// Adds an item: ready if its key is free, else behind the unfinished items of its key. Returns whether it is ready.
    pub(super) fn admit(&mut self, key: Key<K>, item: T) -> bool {
        if let Key::User(user) = key
            && !self.hold(user)
        {
            self.wait(user, item);
            return false;
        }
        self.make_ready(key, item);
        true
    }

    /// Adds a continuation, ahead of all other items. Its key is held.
    pub(super) fn make_first(&mut self, key: Key<K>, item: T) {
        let node = self.make(key, item);
        self.ready.push_front(node, &mut self.nodes);
        self.ready_len += 1;
    }

    fn make_ready(&mut self, key: Key<K>, item: T) {
        let node = self.make(key, item);
        self.ready.push_back(node, &mut self.nodes);
        self.ready_len += 1;
    }

    /// Takes the item that has been ready longest, with its key.
    pub(super) fn take(&mut self) -> Option<(Key<K>, T)> {
        let node = self.ready.pop_front(&self.nodes)?;
        self.ready_len -= 1;
        Some(self.unmake(node))
    }

    /// Takes the next item that waits for `key`, for a server that has taken `own` items of this key already. `None` if no item
    /// waits, or if more than `own` items of the key are ahead: another server then has some of them.
    pub(super) fn take_next_of(&mut self, key: K, own: usize) -> Option<T> {
        let strand = self.strands.get_mut(&key)?;
        if strand.ahead > own {
            return None;
        }
        let node = strand.waiting.pop_front(&self.nodes)?;
        strand.ahead += 1;
        self.blocked -= 1;
        Some(self.unmake(node).1)
    }

    /// Returns a taken item to the index, in front of all items that wait for `key`. It still counts as ahead in its strand too,
    /// until `complete` is called for it.
    pub(super) fn put_back(&mut self, key: K, item: T) {
        let node = self.make(Key::User(key), item);
        let strand = self.strands.get_mut(&key).expect("a taken item is ahead in its strand");
        strand.waiting.push_front(node, &mut self.nodes);
        self.blocked += 1;
    }

    /// Ends an item of `key`, which no longer counts as ahead. The next item that waits for `key` becomes ready.
    #[inline]
    pub(super) fn complete(&mut self, key: K) {
        let strand = self.strands.get_mut(&key).expect("an unfinished item is ahead in its strand");
        strand.ahead -= 1;
        if strand.ahead > 0 {
            return;
        }
        match strand.waiting.pop_front(&self.nodes) {
            Some(node) => {
                strand.ahead = 1;
                self.blocked -= 1;
                self.ready.push_back(node, &mut self.nodes);
                self.ready_len += 1;
            }
            None => {
                self.strands.remove(&key);
            }
        }
    }

    /// Moves all waiting items into `out`: ready ones first, each followed by the items that wait for its key, then all others.
    pub(super) fn drain(&mut self, out: &mut Vec<(Key<K>, T)>) {
        while let Some((key, item)) = self.take() {
            out.push((key, item));
            let Key::User(user) = key else { continue };
            let strand = self.strands.get_mut(&user).expect("a ready item is ahead in its strand");
            strand.ahead -= 1;
            while let Some(item) = self.pop_waiting(user) {
                out.push((key, item));
            }
        }
        let held: Vec<_> = self.strands.keys().copied().collect();
        for user in held {
            while let Some(item) = self.pop_waiting(user) {
                out.push((Key::User(user), item));
            }
        }
        self.strands.retain(|_, strand| strand.ahead > 0);
    }

    fn pop_waiting(&mut self, key: K) -> Option<T> {
        let node = self.strands.get_mut(&key)?.waiting.pop_front(&self.nodes)?;
        self.blocked -= 1;
        Some(self.unmake(node).1)
    }

    fn make(&mut self, key: Key<K>, item: T) -> usize {
        let node = Node { key, item: Some(item), next: NONE };
        match self.free.pop_front(&self.nodes) {
            Some(at) => {
                self.nodes[at] = node;
                at
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        }
    }

    fn unmake(&mut self, at: usize) -> (Key<K>, T) {
        let node = &mut self.nodes[at];
        let taken = (node.key, node.item.take().expect("a node in a list has an item"));
        self.free.push_front(at, &mut self.nodes);
        taken
    }
}

impl List {
    fn push_back<T, K>(&mut self, at: usize, nodes: &mut [Node<T, K>]) {
        nodes[at].next = NONE;
        match self.first {
            NONE => self.first = at,
            _ => nodes[self.last].next = at,
        }
        self.last = at;
    }

    fn push_front<T, K>(&mut self, at: usize, nodes: &mut [Node<T, K>]) {
        nodes[at].next = self.first;
        if self.first == NONE {
            self.last = at;
        }
        self.first = at;
    }

    fn pop_front<T, K>(&mut self, nodes: &[Node<T, K>]) -> Option<usize> {
        let at = self.first;
        if at == NONE {
            return None;
        }
        self.first = nodes[at].next;
        Some(at)
    }
}
