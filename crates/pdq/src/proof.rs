//! Identity of dispatchers, and the tokens by which holding a key can be proved to the compiler.
//!
//! The argument on which [`Keyed`](crate::Keyed) rests, in three steps. An [`Identity`] is minted once and consumed
//! by one dispatcher, so no two dispatchers have one [`DispatcherId`]. A dispatcher mints a [`Held`] (or, for
//! [`Serial`](crate::Serial), a [`Proof`]) only while no conflicting token of its own is outstanding. A `Held` can be
//! neither copied nor forged, and lends out one `Proof` at a time: of its own key, or of any key if it holds the
//! sequential one, which conflicts with all others. A seizure of a queue ([`Seizure`](crate::Seizure)) holds the
//! sequential key until another server has broken in. From then on it holds only the key of which it has lent out a
//! proof: the server that breaks in takes that key on behalf of the seizure before it frees the sequential one. Hence
//! two live proofs of one dispatcher never conflict. Forgetting a `Held` keeps its key held for ever, which stalls
//! but breaks nothing.
//!
//! This module must never know in which order a dispatcher serves its items, nor which resources the keys protect.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Key;

/// Identifier of a dispatcher (a queue, device or serial server that hands out items), unique in this process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DispatcherId(u64);

impl DispatcherId {
    /// Makes the identity of a new dispatcher, different from every other identity of this process.
    pub fn fresh() -> Identity {
        // The one global of the crate. Only uniqueness matters, so no ordering is needed.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Identity(Self(NEXT.fetch_add(1, Ordering::Relaxed)))
    }
}

/// Right to make the one dispatcher with a certain identifier. The dispatcher's constructor consumes it, so it is not `Clone`.
///
/// ```compile_fail,E0382
/// # use tradewind_pdq::{DispatcherId, Serial};
/// let identity = DispatcherId::fresh();
/// let one = Serial::new(identity);
/// let two = Serial::new(identity); // would mint a second proof for every key
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Identity(DispatcherId);

impl Identity {
    /// Returns the identifier of the dispatcher to be made. [`Keyed`](crate::Keyed) tables can be made with it beforehand.
    pub fn id(&self) -> DispatcherId {
        self.0
    }
}

/// Token for a held key. Until its owner gives the token back to the dispatcher, no item with a conflicting key runs.
///
/// Give it back with the dispatcher's `complete`. A token that is dropped or forgotten keeps its key held for ever:
/// items that conflict with it will never run, but nothing unsound follows.
///
/// Only a dispatcher makes a token, and a token cannot be copied:
///
/// ```compile_fail,E0451
/// # use tradewind_pdq::{DispatcherId, Held, Key};
/// let forged = Held { key: Key::User(1), dispatcher: DispatcherId::fresh().id(), place: 0 };
/// ```
///
/// ```compile_fail,E0599
/// # use tradewind_pdq::Held;
/// fn twice(held: Held) -> (Held, Held) {
///     (held.clone(), held)
/// }
/// ```
#[must_use = "dropping the token keeps its key held for ever: give it back with `complete`"]
#[derive(Debug)]
pub struct Held<K = u64> {
    key: Key<K>,
    dispatcher: DispatcherId,
    /// Location of the item's bookkeeping in the dispatcher: a ticket, or the index of a lane.
    place: u64,
}

impl<K: Copy> Held<K> {
    /// Makes a token. The caller is the dispatcher and has made sure that no conflicting token is outstanding.
    pub(crate) fn new(key: Key<K>, dispatcher: DispatcherId, place: u64) -> Self {
        Self { key, dispatcher, place }
    }

    /// The key that this token holds.
    pub fn key(&self) -> Key<K> {
        self.key
    }

    /// Identifier of the dispatcher that made this token.
    pub fn dispatcher(&self) -> DispatcherId {
        self.dispatcher
    }

    /// Lends out the proof that this token's key is held.
    pub fn proof(&mut self) -> Proof<'_, K> {
        Proof::new(self.key, self.dispatcher)
    }

    /// Lends out the proof that `key` is held: the token's own key, or any key if the token's is [`Key::Sequential`],
    /// which excludes all other holders.
    ///
    /// # Panics
    ///
    /// If the token holds neither `key` nor [`Key::Sequential`].
    #[inline]
    pub fn proof_of(&mut self, key: Key<K>) -> Proof<'_, K>
    where
        K: Eq + Debug,
    {
        assert!(
            self.key == Key::Sequential || self.key == key,
            "key {key} is not held with key {}",
            self.key
        );
        Proof::new(key, self.dispatcher)
    }

    /// Consumes the token and returns its `place`. `dispatcher` is the dispatcher to which the owner gives the token back.
    ///
    /// # Panics
    ///
    /// If another dispatcher made the token.
    #[inline]
    pub(crate) fn redeem(self, dispatcher: DispatcherId) -> u64 {
        assert!(
            self.dispatcher == dispatcher,
            "a key held at {:?} cannot be given back to {dispatcher:?}",
            self.dispatcher,
        );
        self.place
    }
}

/// Short-lived proof that a key is held, borrowed exclusively from the holder's token.
///
/// While a proof lives, no other live proof of the same dispatcher has a conflicting key. It cannot be copied:
///
/// ```compile_fail,E0599
/// # use tradewind_pdq::Proof;
/// fn twice(proof: Proof<'static>) -> (Proof<'static>, Proof<'static>) {
///     (proof.clone(), proof)
/// }
/// ```
///
/// and two cannot be borrowed from one token at a time:
///
/// ```compile_fail,E0499
/// # use tradewind_pdq::Held;
/// fn twice(held: &mut Held) {
///     let one = held.proof();
///     let two = held.proof();
///     assert_eq!(one.key(), two.key());
/// }
/// ```
#[derive(Debug)]
pub struct Proof<'a, K = u64> {
    key: Key<K>,
    dispatcher: DispatcherId,
    holder: PhantomData<&'a mut Held<K>>,
}

impl<K: Copy> Proof<'_, K> {
    /// Makes a proof. The caller chooses its lifetime, and ties it to an exclusive borrow of the key's holder.
    pub(crate) fn new(key: Key<K>, dispatcher: DispatcherId) -> Self {
        Self { key, dispatcher, holder: PhantomData }
    }

    /// The key that this proof shows to be held.
    pub fn key(&self) -> Key<K> {
        self.key
    }

    /// Identifier of the dispatcher at which the key is held.
    pub fn dispatcher(&self) -> DispatcherId {
        self.dispatcher
    }

    /// Lends this proof out by value for a shorter time, in which this proof cannot be used.
    pub fn reborrow(&mut self) -> Proof<'_, K> {
        Proof::new(self.key, self.dispatcher)
    }
}
