//! How protocols settle on a node: they register messages and make their tables.
//!
//! Every node runs the same installations in the same order, so message ids agree everywhere.

use std::any::{TypeId, type_name};
use std::marker::PhantomData;
use std::sync::Arc;

use pdq::DispatcherId;

use crate::key::{Group, Space};
use crate::kinds::{Entry, State};
use crate::node::FaultPacket;
use crate::{Block, Fault, Keyed, Layout, Memory, Message, MessageId, Node, NodeId, Rights, Segment, Word};

/// A protocol or program: one value of this type per node is its state there.
///
/// Handlers share it as `&Self`: what they change lives in [`Keyed`] tables, [`Cells`](crate::Cells) and
/// [`Event`](crate::Event)s.
pub trait Protocol: Handlers + Send + Sync + 'static {
    /// What every node is told at installation: the problem, the parameters.
    type Config: Send + Sync + 'static;

    /// Settles on a node: allocates tables, installs the protocols that this one builds on.
    fn install(config: &Self::Config, node: &mut Setup<'_>) -> Self;
}

/// The messages of a protocol. Every [`Protocol`] states them, and [`Setup::install`] registers them, so that none can be
/// forgotten.
///
/// `#[handlers]` writes this implementation. By hand it lists the message types:
///
/// ```ignore
/// impl Handlers for Histogram {
///     fn register(messages: &mut Messages<'_, Self>) {
///         messages.add::<Count>();
///     }
/// }
/// ```
///
/// Message numbers follow the order of this list. A protocol's own messages come before those of the protocols that its
/// [`install`](Protocol::install) installs.
pub trait Handlers: Sized + 'static {
    /// Adds each kind of message of the protocol.
    fn register(messages: &mut Messages<'_, Self>);
}

/// The list of messages to which [`Handlers::register`] adds those of protocol `P`.
pub struct Messages<'a, P> {
    node: &'a mut Node,
    /// Number of the protocol.
    protocol: usize,
    of: PhantomData<fn(P)>,
}

impl<P: Protocol> Messages<'_, P> {
    /// Adds a message of the protocol.
    ///
    /// # Panics
    /// If the message has been added before.
    pub fn add<M: Message<Protocol = P>>(&mut self) {
        register::<M>(self.node, self.protocol);
    }
}

/// Gives a message the next number of a node.
fn register<M: Message>(node: &mut Node, protocol: usize) {
    let id = MessageId(u16::try_from(node.entries.len()).expect("fewer than 65 536 kinds of messages"));
    let is_new = node.ids.insert(TypeId::of::<M>(), id);
    assert!(is_new, "{} is registered twice", type_name::<M>());
    node.entries.push(Entry::of::<M>(protocol));
}

/// How large the world is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Nodes of the machine, at least 1.
    pub nodes: u32,
    /// Program threads on each node, at least 1.
    pub threads: u32,
}

/// What a world lets a node have outstanding, and what it wants confirmed: the terms on which protocols talk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flow {
    /// Requests of a node that have not been answered, at most; at least 1.
    pub window: u32,
    /// Stores are acknowledged by a message once per so many, at least 1; `None` where the network needs none.
    pub acknowledge_every: Option<u32>,
}

/// A node being settled.
pub struct Setup<'a> {
    node: &'a mut Node,
    /// The protocol being installed, and its number.
    installing: Vec<(TypeId, usize)>,
}

impl<'a> Setup<'a> {
    pub(crate) fn of(node: &'a mut Node) -> Self {
        Self { node, installing: Vec::new() }
    }

    /// The node being settled.
    pub fn node(&self) -> NodeId {
        self.node.id
    }

    /// How many nodes, and threads on each, the world has.
    pub fn shape(&self) -> Shape {
        self.node.shape
    }

    /// The terms on which protocols talk in this world.
    pub fn flow(&self) -> Flow {
        self.node.flow
    }

    /// Installs a protocol, for the one being installed to build on.
    pub fn install<P: Protocol>(&mut self, config: &P::Config) -> Arc<P> {
        let place = self.node.protocols;
        self.node.protocols += 1;
        self.installing.push((TypeId::of::<P>(), place));
        P::register(&mut Messages { node: self.node, protocol: place, of: PhantomData });
        let state = Arc::new(P::install(config, self));
        self.installing.pop();
        self.node.bind(place, &(Arc::clone(&state) as State));
        state
    }

    /// Registers a message that only this installation of the protocol has, such as a generic one whose type parameter the
    /// configuration decides. All others are stated in [`Handlers::register`], which comes first.
    ///
    /// # Panics
    /// If the message belongs to another protocol, or was registered before.
    pub fn message<M: Message>(&mut self) {
        let place = match self.installing.last() {
            Some((protocol, place)) if *protocol == TypeId::of::<M::Protocol>() => *place,
            _ => panic!("{} is registered outside its protocol's `install`", type_name::<M>()),
        };
        register::<M>(self.node, place);
    }

    /// Lets a receiver with several messages waiting call `prefetch` for one of `M` a little before its handler runs. It may
    /// only ask for what the handler will touch, as by [`Keyed::prefetch`], and must not rely on being called, or on the
    /// message being handled next: where nothing waits, where several processors of a node handle, and in a model it never
    /// is.
    ///
    /// It helps where the state of all keys is larger than the caches, and costs a second look at each message: a protocol
    /// asks for it only if its tables are that large.
    ///
    /// # Panics
    /// If the message was not registered before.
    pub fn prefetch<M: Message>(&mut self, prefetch: fn(&M, &M::Protocol)) {
        let id = self.node.ids.get(TypeId::of::<M>());
        let id = id.unwrap_or_else(|| panic!("{} is not registered yet", type_name::<M>()));
        self.node.entries[usize::from(id.0)].foresee(prefetch);
        self.node.foresees = true;
    }

    /// Memory of this node that transfers and deposits of other nodes write: `len` words, each holding `value` at
    /// first. The name appears where a thread waits for deposits.
    ///
    /// Every node makes the same segments in the same order; how long they are is each node's own affair.
    pub fn segment<T: Word>(&mut self, name: &'static str, len: usize, value: T) -> Segment<T> {
        self.segment_for(Rights::WRITE, name, len, value)
    }

    /// As [`segment`](Self::segment), with what other nodes may do to this node's part of it.
    pub fn segment_for<T: Word>(
        &mut self,
        others: Rights,
        name: &'static str,
        len: usize,
        value: T,
    ) -> Segment<T> {
        self.node.segments.allocate(others, name, len, value)
    }

    /// This node's copy of a shared address space, kept coherent by the protocol being installed: an access that a tag forbids
    /// becomes a message `F`, handled on the node itself. Pages that live elsewhere have room here from the start if
    /// `premapped`; else the protocol gives it to them. A node has one space at most.
    ///
    /// # Panics
    /// If the node has one already, or the space is for another number of nodes.
    pub fn memory<F: Message + From<Fault>>(&mut self, layout: &Layout, premapped: bool) -> Arc<Memory> {
        assert!(self.node.memory.is_none(), "a second shared memory: a node has one");
        let nodes = self.node.shape.nodes;
        assert_eq!(layout.nodes(), nodes, "shared memory for another number of nodes");
        let memory = Arc::new(Memory::new(self.node.id, layout, premapped));
        let packet: FaultPacket = |node, fault| node.encode(node.id, &F::from(fault), &[]);
        self.node.memory = Some((Arc::clone(&memory), packet));
        memory
    }

    /// The keys of the protocol instance being installed: what its messages state as [`Key::User`](crate::Key::User). It keeps
    /// the space if it [holds](crate::Thread::hold) keys for its callers.
    ///
    /// # Panics
    /// If nothing is being installed.
    pub fn space(&self) -> Space {
        let (_, number) = self.installing.last().expect("a protocol asks while it is being installed");
        Space::of_protocol(*number)
    }

    /// The keys of a part of the protocol being installed that holds keys of its own, such as a set of locks: apart from those
    /// of the protocol and of its other parts.
    pub fn fresh_space(&mut self) -> Space {
        self.node.protocols += 1;
        Space::of_protocol(self.node.protocols - 1)
    }

    /// A table with an entry for each number in `0..len`, under that number's key.
    pub fn keyed<T>(&self, len: usize, init: impl FnMut(u64) -> T) -> Keyed<T> {
        Keyed::dense(self.dispatcher(), Group::of(self.space()), len, init)
    }

    /// A table with an entry for each block of a shared memory, under the block's key.
    pub fn keyed_blocks<T>(&self, memory: &Memory, mut init: impl FnMut(Block) -> T) -> Keyed<T> {
        let blocks = memory.layout().blocks() as usize;
        Keyed::dense(self.dispatcher(), Group::BLOCKS, blocks, |index| init(Block(index as u32)))
    }

    /// A table with an entry for every number, which comes into being when it is first reached.
    pub fn keyed_sparse<T>(&self, init: impl Fn(u64) -> T + Send + Sync + 'static) -> Keyed<T> {
        self.keyed_sparse_in(self.space(), init)
    }

    /// A table with an entry for every number of a [fresh space](Self::fresh_space), which comes into being when it is first
    /// reached.
    pub fn keyed_sparse_in<T>(
        &self,
        space: Space,
        init: impl Fn(u64) -> T + Send + Sync + 'static,
    ) -> Keyed<T> {
        Keyed::sparse(self.dispatcher(), space, init)
    }

    fn dispatcher(&self) -> DispatcherId {
        self.node.dispatcher
    }
}
