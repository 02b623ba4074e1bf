//! The degenerate dispatcher: one server that runs items one after the other, in the order they come.
//!
//! It has no queue, no lock and no atomic: the exclusive borrow of `hold` makes it a dispatcher. It must never know
//! where items come from.

use std::marker::PhantomData;

use crate::{DispatcherId, Identity, Key, Proof};

/// A dispatcher with one server in serial order: it mints the same proofs as a queue and costs nothing.
///
/// ```
/// use tradewind_pdq::{DispatcherId, Key, Keyed, Serial};
///
/// let mut serial = Serial::new(DispatcherId::fresh());
/// let counts = Keyed::sparse(serial.id(), |_| 0_u32);
/// *counts.get(&mut serial.hold(Key::User(7))) += 1;
/// assert_eq!(counts.into_entries(), [(7, 1)]);
/// ```
///
/// Two proofs at a time do not compile:
///
/// ```compile_fail,E0499
/// # use tradewind_pdq::{Key, Serial};
/// fn two(serial: &mut Serial) {
///     let one = serial.hold(Key::User(1));
///     let two = serial.hold(Key::User(1));
///     assert_eq!(one.key(), two.key());
/// }
/// ```
#[derive(Debug)]
pub struct Serial<K = u64> {
    identity: Identity,
    /// Binds the type of the keys. No key is stored.
    keys: PhantomData<fn(K)>,
}

impl Serial {
    /// Makes the serial dispatcher with this identity, whose keys are numbers.
    pub fn new(identity: Identity) -> Self {
        Self::with_keys(identity)
    }
}

impl<K: Copy> Serial<K> {
    /// Makes the serial dispatcher with this identity, whose keys have type `K`.
    pub fn with_keys(identity: Identity) -> Self {
        Self { identity, keys: PhantomData }
    }

    /// Returns this dispatcher's identifier, with which [`Keyed`](crate::Keyed) tables are made.
    pub fn id(&self) -> DispatcherId {
        self.identity.id()
    }

    /// Holds `key` while the returned proof lives. Never waits: the exclusive borrow guarantees that no handler runs.
    pub fn hold(&mut self, key: Key<K>) -> Proof<'_, K> {
        Proof::new(key, self.id())
    }
}
