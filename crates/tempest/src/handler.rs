//! What a running handler sees.
//!
//! [`Actions`] is what may be done at any moment: send, transfer, resume, signal, charge. [`Handler`] adds the key held,
//! and with it the way to keyed state. A handler must never block; nothing here can.

use pdq::{Key, Keyed, Proof};

use crate::{Event, Message, Node, NodeId, Place, Processor, Waiter, Work};

/// What a handler may do while it borrows an entry: everything but reach another one.
pub struct Actions<'a> {
    pub(crate) node: &'a Node,
    source: NodeId,
    processor: &'a dyn Processor,
    accounts: bool,
}

impl Actions<'_> {
    /// The node the handler runs on.
    pub fn node(&self) -> NodeId {
        self.node.id()
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.node.shape().nodes
    }

    /// The node the message came from.
    pub fn source(&self) -> NodeId {
        self.source
    }

    /// Sends a message. Never fails, never waits; messages to one node under one key arrive in this order.
    ///
    /// # Panics
    /// If the message was not registered, is longer than a message may be, or the node does not exist.
    #[inline]
    pub fn send<M: Message>(&mut self, to: NodeId, message: M, payload: &[u64]) {
        self.processor.post(to, &self.node.encode(to, &message, payload));
    }

    /// Moves a block of words to a [segment](crate::Segment) of another node, whatever its length, and has the message
    /// handled there when all of it is in place: [`Thread::transfer`](crate::Thread::transfer) for handlers. As
    /// [`send`](Self::send), it never fails and never waits.
    ///
    /// # Panics
    /// As [`send`](Self::send). Data that does not fit there ends the run with an error.
    pub fn transfer<M: Message>(&mut self, to: NodeId, place: Place, data: &[u64], message: M) {
        self.processor.post_transfer(to, place, data, &self.node.encode(to, &message, &[]));
    }

    /// Resumes a waiting thread of this node; false if it no longer waits for this.
    pub fn resume(&mut self, waiter: Waiter) -> bool {
        self.processor.resume(waiter)
    }

    /// Adds to an event's count and resumes the threads this satisfies.
    #[inline]
    pub fn signal(&mut self, event: &Event, amount: u64) {
        if self.accounts {
            self.processor.synchronize();
        }
        event.add(amount, |waiter| {
            self.processor.resume(waiter);
        });
    }

    /// Accounts for work done: free natively, time in a model.
    #[inline]
    pub fn charge(&mut self, work: impl Into<Work>) {
        if self.accounts {
            self.processor.charge(work.into());
        }
    }
}

/// A running handler: its [`Actions`] and the key it holds.
pub struct Handler<'a> {
    actions: Actions<'a>,
    proof: Proof<'a>,
}

impl<'a> Handler<'a> {
    /// For worlds: a handler on `node` for an event from `source`, running on `processor` under `proof`.
    pub fn new(node: &'a Node, source: NodeId, proof: Proof<'a>, processor: &'a dyn Processor) -> Self {
        Self { actions: Actions { node, source, processor, accounts: processor.accounts() }, proof }
    }

    /// The key held while this handler runs.
    pub fn key(&self) -> Key {
        self.proof.key()
    }

    /// Reaches the entry of `table` that the held key names. Inside, one may act, but not reach another entry.
    ///
    /// # Panics
    /// If the key held is not a user key with an entry in the table, or the table belongs to another node.
    #[inline]
    pub fn with<T, R>(&mut self, table: &Keyed<T>, f: impl FnOnce(&mut T, &mut Actions<'_>) -> R) -> R {
        f(table.get(&mut self.proof), &mut self.actions)
    }

    /// Reaches the entry of any key from a [`Key::Sequential`] handler, which runs alone on its node.
    ///
    /// # Panics
    /// If the key held is not sequential, or the table has no such entry or belongs to another node.
    pub fn with_any<T, R>(
        &mut self,
        table: &Keyed<T>,
        key: u64,
        f: impl FnOnce(&mut T, &mut Actions<'_>) -> R,
    ) -> R {
        f(table.get_any(&mut self.proof, key), &mut self.actions)
    }
}

impl<'a> std::ops::Deref for Handler<'a> {
    type Target = Actions<'a>;
    fn deref(&self) -> &Actions<'a> {
        &self.actions
    }
}

impl std::ops::DerefMut for Handler<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.actions
    }
}
