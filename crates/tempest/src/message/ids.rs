//! The numbers of the kinds of messages, by Rust type.
//!
//! This module must never know any other property of a kind.

use std::any::TypeId;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::plain::identity::MessageId;

/// Hash table from the Rust type of a message to its message number, with open addressing; at least half of the slots
/// are empty. The hash is the `TypeId` itself, which is known when a send is compiled.
#[derive(Clone, Default)]
pub(crate) struct Ids {
    slots: Arc<[Option<(TypeId, MessageId)>]>,
    count: usize,
}

impl Ids {
    /// Returns `others` if it has the same contents, otherwise this table. All nodes of a program number its messages
    /// alike, so a million nodes need only one table.
    pub(crate) fn shared_with(self, others: &Self) -> Self {
        if self.slots == others.slots { others.clone() } else { self }
    }

    /// Returns the message number of the type `kind`; `None` if the type is not registered.
    #[inline]
    pub(crate) fn get(&self, kind: TypeId) -> Option<MessageId> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = place(kind) & mask;
        while let Some(Some((other, id))) = self.slots.get(at) {
            if *other == kind {
                return Some(*id);
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// Registers the message number `id` of a type. Returns false, and changes nothing, if the type has a number
    /// already.
    pub(crate) fn insert(&mut self, kind: TypeId, id: MessageId) -> bool {
        if self.get(kind).is_some() {
            return false;
        }
        self.count += 1;
        if 2 * self.count > self.slots.len() {
            let all = std::mem::take(&mut self.slots);
            self.slots = vec![None; (2 * all.len()).max(16)].into();
            all.iter().flatten().for_each(|&(kind, id)| self.put(kind, id));
        }
        self.put(kind, id);
        true
    }

    fn put(&mut self, kind: TypeId, id: MessageId) {
        let mask = self.slots.len() - 1;
        let mut at = place(kind) & mask;
        while self.slots[at].is_some() {
            at = (at + 1) & mask;
        }
        let slots =
            Arc::get_mut(&mut self.slots).expect("a node shares its numbers when it knows all messages");
        slots[at] = Some((kind, id));
    }
}

/// A hash of a type. The search for the type begins at the slot with this number modulo the table's length.
#[inline]
fn place(kind: TypeId) -> usize {
    let mut words = Words(0);
    kind.hash(&mut words);
    words.0 as usize
}

/// A hasher for values that are hashes already: its result is the XOR of their words.
struct Words(u64);

impl Hasher for Words {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_ne_bytes(word));
        }
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 ^= word;
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_number_and_others_have_none() {
        let kinds = [
            TypeId::of::<u8>(),
            TypeId::of::<u16>(),
            TypeId::of::<u32>(),
            TypeId::of::<u64>(),
            TypeId::of::<i8>(),
            TypeId::of::<i16>(),
            TypeId::of::<i32>(),
            TypeId::of::<i64>(),
            TypeId::of::<f32>(),
            TypeId::of::<f64>(),
        ];
        let mut ids = Ids::default();
        assert_eq!(ids.get(kinds[0]), None);
        for (kind, id) in kinds.into_iter().zip(0..) {
            assert!(ids.insert(kind, MessageId(id)));
            assert!(!ids.insert(kind, MessageId(100)));
        }
        for (kind, id) in kinds.into_iter().zip(0..) {
            assert_eq!(ids.get(kind), Some(MessageId(id)));
        }
        assert_eq!(ids.get(TypeId::of::<char>()), None);
    }

    #[test]
    fn numbers_are_shared_among_nodes_that_agree() {
        let numbered = |kinds: [TypeId; 2]| {
            let mut ids = Ids::default();
            kinds.into_iter().zip(0..).for_each(|(kind, id)| assert!(ids.insert(kind, MessageId(id))));
            ids
        };
        let (first, second) = (TypeId::of::<u8>(), TypeId::of::<u16>());
        let one = numbered([first, second]);
        assert!(Arc::ptr_eq(&numbered([first, second]).shared_with(&one).slots, &one.slots));
        let other = numbered([second, first]).shared_with(&one);
        assert_eq!(other.get(second), Some(MessageId(0)));
    }
}
