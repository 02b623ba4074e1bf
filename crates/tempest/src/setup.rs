//! The installation of protocols on a node: they register messages and make their tables.
//!
//! Every node runs the same installations in the same order, so message numbers agree everywhere. This module
//! must never know which world the node is part of.

use std::any::{Any, TypeId, type_name};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

use pdq::DispatcherId;

use crate::charge::{Charge, Charger};
use crate::clocked::Sealed;
use crate::identity::MessageId;
use crate::key::{Group, Space};
use crate::kinds::State;
use crate::node::FaultPacket;
use crate::node::Node;
use crate::{
    Block, Clocked, Fault, Keyed, Layout, Memory, Message, NodeId, Primitive, Refusal, Rights, Segment, Word,
};

/// A protocol, or a program, which is a protocol with threads. One value of this type is its state on one node.
///
/// Handlers and threads share the value as `&Self`. State that changes lives in [`Keyed`] tables,
/// [`Cells`](crate::Cells) and [`Event`](crate::Event)s.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no protocol",
    label = "neither a program nor a protocol",
    note = "write `#[program]` before `struct {Self}`, or `impl Protocol for {Self}`"
)]
pub trait Protocol: Handlers + Send + Sync + 'static {
    /// The configuration, which is the same on every node: the problem, the parameters.
    type Config: Send + Sync + 'static;

    /// Installs the protocol on a node: allocates tables, and installs the protocols that this one builds on.
    fn install(config: &Self::Config, node: &mut Setup<'_>) -> Self;
}

/// The messages of a protocol. Every [`Protocol`] states them, and [`Setup::install`] registers them, so that none can be
/// forgotten.
///
/// [`#[handlers]`](crate::handlers) writes this implementation. By hand, a protocol and its message are:
///
/// ```
/// use tradewind_tempest::*;
///
/// struct Histogram {
///     bins: Keyed<u64>,
/// }
///
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct Count {
///     bin: u64,
/// }
///
/// impl Message for Count {
///     type Protocol = Histogram;
///     fn key(&self) -> Key {
///         Key::User(self.bin)
///     }
///     fn handle(self, histogram: &Histogram, _payload: &[u64], cx: &mut Handler<'_>) {
///         cx.with(&histogram.bins, |count, _| *count += 1);
///     }
/// }
///
/// impl Handlers for Histogram {
///     fn register(messages: &mut Messages<'_, Self>) {
///         messages.add::<Count>();
///     }
/// }
///
/// impl Protocol for Histogram {
///     type Config = ();
///     fn install(_: &(), setup: &mut Setup<'_>) -> Self {
///         Histogram { bins: setup.keyed(64, |_| 0) }
///     }
/// }
/// ```
///
/// Message numbers follow the order of this list. A protocol's own messages come before the messages of the protocols
/// that its [`install`](Protocol::install) installs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not state its messages",
    label = "no list of messages",
    note = "write `#[handlers]` before `impl {Self} {{ … }}`; with no `#[message]` in it the list is empty"
)]
pub trait Handlers: Sized + 'static {
    /// Adds each kind of message of the protocol.
    fn register(messages: &mut Messages<'_, Self>);
}

/// The list of messages to which [`Handlers::register`] adds the messages of protocol `P`.
pub struct Messages<'a, P> {
    node: &'a mut Node,
    /// The number of the protocol.
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

/// Registers a kind of message under the next number of a node.
fn register<M: Message>(node: &mut Node, protocol: usize) {
    let others = node.kinds.all().len();
    let id = MessageId(u16::try_from(others).unwrap_or_else(|_| {
        panic!("message {} is one too many: a program has at most 65536 kinds", type_name::<M>())
    }));
    let is_new = node.ids.insert(TypeId::of::<M>(), id);
    assert!(is_new, "{} is registered twice", type_name::<M>());
    node.kinds.add::<M>(protocol);
}

/// The size of the world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The number of nodes, at least 1.
    pub nodes: u32,
    /// The number of program threads on each node, at least 1.
    pub threads: u32,
}

/// The flow control that a world asks of protocols: how many requests may be outstanding, and which stores
/// are acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flow {
    /// The largest number of unanswered requests of a node, at least 1.
    pub window: u32,
    /// The number of stores, at least 1, that one acknowledging message covers; `None` where the network
    /// needs no acknowledgement.
    pub acknowledge_every: Option<u32>,
}

/// A node on which protocols are being installed.
pub struct Setup<'a> {
    node: &'a mut Node,
    /// The protocol being installed, and its number.
    installing: Vec<(TypeId, usize)>,
    /// The protocols that have been installed for others to build on.
    installed: Vec<Instance>,
}

/// A protocol that has been installed.
struct Instance {
    protocol: TypeId,
    state: State,
    config: Box<dyn Any>,
}

impl Instance {
    /// This instance, if it is of an equal configuration. The protocol is `P`.
    fn reuse<P: Protocol>(&self, config: &P::Config) -> Arc<P>
    where
        P::Config: PartialEq + Debug,
    {
        let first: &P::Config = self.config.downcast_ref().expect("a configuration is filed by its protocol");
        if first != config {
            let (first, second) = (format!("{first:?}"), format!("{config:?}"));
            let refusal = Refusal::Configurations { protocol: type_name::<P>(), first, second };
            // Unwinds to `Job::settle` without a word on the error stream: nothing is broken.
            std::panic::resume_unwind(Box::new(refusal));
        }
        Arc::clone(&self.state).downcast().expect("a state is filed by its protocol")
    }
}

impl Clocked for Setup<'_> {}

/// Nothing happens yet.
impl Sealed for Setup<'_> {
    #[inline]
    fn settle(&self) {}
}

impl<'a> Setup<'a> {
    pub(crate) fn of(node: &'a mut Node) -> Self {
        Self { node, installing: Vec::new(), installed: Vec::new() }
    }

    /// The node's number.
    pub fn node(&self) -> NodeId {
        self.node.id
    }

    /// The number of nodes of the world, and of threads on each.
    pub fn shape(&self) -> Shape {
        self.node.shape
    }

    /// The flow control that this world asks of protocols.
    pub fn flow(&self) -> Flow {
        self.node.flow
    }

    /// Installs another protocol that the one being installed builds on, and returns it.
    ///
    /// Protocols that build on the same one need not know of each other, because a node has one instance of a protocol. If
    /// the node has one already, with an equal configuration, that instance is returned. A protocol that offers several
    /// objects, such as locks, tells them apart by indices inside its one instance.
    ///
    /// # Panics
    /// If the node has an instance of the protocol with another configuration. The world catches this and refuses the run
    /// with [`Refusal::Configurations`](crate::Refusal::Configurations). Also if the installation of the protocol is still
    /// under way.
    pub fn install<P: Protocol>(&mut self, config: &P::Config) -> Arc<P>
    where
        P::Config: Clone + PartialEq + Debug,
    {
        let protocol = TypeId::of::<P>();
        assert!(
            self.installing.iter().all(|(installing, _)| *installing != protocol),
            "{} builds on itself",
            type_name::<P>()
        );
        if let Some(there) = self.installed.iter().find(|there| there.protocol == protocol) {
            return there.reuse(config);
        }
        let state = self.install_new::<P>(config);
        let instance =
            Instance { protocol, state: Arc::clone(&state) as State, config: Box::new(config.clone()) };
        self.installed.push(instance);
        state
    }

    /// Installs a protocol that is not there yet.
    pub(crate) fn install_new<P: Protocol>(&mut self, config: &P::Config) -> Arc<P> {
        let place = self.node.protocols;
        self.node.protocols += 1;
        self.installing.push((TypeId::of::<P>(), place));
        P::register(&mut Messages { node: self.node, protocol: place, of: PhantomData });
        let state = Arc::new(P::install(config, self));
        self.installing.pop();
        self.node.bind(place, Arc::clone(&state) as State);
        state
    }

    /// Registers a message that only this installation of the protocol has, such as a generic one whose type
    /// parameter the configuration decides. All other messages are listed in [`Handlers::register`], which
    /// runs first.
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

    /// States primitives that threads of the protocol being installed, or its handlers of a class, may charge. A
    /// world that charges time refuses a run whose machine lacks a price of a stated primitive, before anything runs.
    pub fn charges(&mut self, by: Charger, primitives: &[Primitive]) {
        for &primitive in primitives {
            let charge = Charge { primitive, by };
            if !self.node.charges.contains(&charge) {
                self.node.charges.push(charge);
            }
        }
    }

    /// States that the protocol being installed sends messages under every mechanism. A world whose policy leaves no
    /// processor to handle them refuses the run before anything runs.
    pub fn needs_handlers(&mut self) {
        self.node.needs_handlers = true;
    }

    /// Registers a prefetch hint: a receiver with several waiting messages calls `prefetch` for a message `M`
    /// a little before its handler runs. The hint may only ask for cache lines that the handler will touch,
    /// as by [`Keyed::prefetch`]. It must not rely on being called, or on the message being handled next: it
    /// is never called where no message waits, where several processors of a node run handlers, or in a
    /// model.
    ///
    /// The hint helps where the state of all keys is larger than the caches. It costs a second look at each
    /// message, so a protocol registers one only if its tables are that large.
    ///
    /// # Panics
    /// If the message was not registered before.
    pub fn prefetch<M: Message>(&mut self, prefetch: fn(&M, &M::Protocol)) {
        let id = self.node.ids.get(TypeId::of::<M>());
        let id = id.unwrap_or_else(|| panic!("{} is not registered yet", type_name::<M>()));
        self.node.kinds.foresee(usize::from(id.0), prefetch);
        self.node.foresees = true;
    }

    /// Makes a segment: `len` words of this node, each holding `value` at first, that transfers and deposits
    /// of other nodes write. The name appears where a thread waits for deposits.
    ///
    /// Every node makes the same segments in the same order; each node chooses the length of its own part.
    pub fn segment<T: Word>(&mut self, name: &'static str, len: usize, value: T) -> Segment<T> {
        self.segment_for(Rights::WRITE, name, len, value)
    }

    /// Makes a segment of `len` words, each holding `value` at first. `others` is the rights of other nodes to this
    /// node's part of it. The name appears where a thread waits for deposits.
    pub fn segment_for<T: Word>(
        &mut self,
        others: Rights,
        name: &'static str,
        len: usize,
        value: T,
    ) -> Segment<T> {
        self.node.segments.allocate(others, name, len, value)
    }

    /// Makes this node's copy of a shared address space, kept coherent by the protocol that is being
    /// installed. An access that a tag forbids becomes a message `F`, handled on the node itself. Pages of
    /// other nodes have room here from the start if `premapped`; otherwise the protocol gives them room. A
    /// node has at most one space.
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

    /// The space of the protocol instance that is being installed: its messages state keys of this space as
    /// [`Key::User`](crate::Key::User). A protocol keeps the space if it [holds](crate::Thread::hold) keys
    /// for its callers.
    ///
    /// # Panics
    /// If nothing is being installed.
    pub fn space(&self) -> Space {
        let (_, number) = self.installing.last().expect("a protocol asks while it is being installed");
        Space::of_protocol(*number)
    }

    /// Makes a space for a part of the protocol that is being installed, such as a set of locks. Its keys
    /// differ from those of the protocol and of its other parts.
    pub fn fresh_space(&mut self) -> Space {
        self.node.protocols += 1;
        Space::of_protocol(self.node.protocols - 1)
    }

    /// States the size, in bytes, of the entries of the table that is made next, as the modelled machine has them. A size that is
    /// not stated is that of the entry's type on this host, in whole words. Natively it means nothing.
    ///
    /// # Panics
    /// If the size is 0.
    pub fn entry_bytes(&mut self, bytes: u32) -> &mut Self {
        self.node.tables.state_entry(bytes);
        self
    }

    /// Makes a table with an entry for each number in `0..len`, under that number's key.
    pub fn keyed<T>(&mut self, len: usize, init: impl FnMut(u64) -> T) -> Keyed<T> {
        let group = Group::of(self.space());
        Keyed::dense(self.dispatcher(), group, (len, self.node.tables.add::<T>(len)), init)
    }

    /// Makes a table with an entry for each block of a shared memory, under the block's key.
    pub fn keyed_blocks<T>(&mut self, memory: &Memory, mut init: impl FnMut(Block) -> T) -> Keyed<T> {
        let blocks = memory.layout().blocks() as usize;
        let room = self.node.tables.add::<T>(blocks);
        Keyed::dense(self.dispatcher(), Group::BLOCKS, (blocks, room), |index| init(Block(index as u32)))
    }

    /// Makes a table with an entry for each block whose page is mapped on this node now. Handlers make and drop the
    /// entries of other pages ([`Handler::open_page`](crate::Handler::open_page)), so that pages without room need no
    /// entries.
    pub fn keyed_pages<T>(
        &mut self,
        memory: &Memory,
        init: impl Fn(Block) -> T + Send + Sync + 'static,
    ) -> Keyed<T> {
        let layout = memory.layout();
        let (blocks, each) = (layout.blocks() as usize, layout.page_blocks() as usize);
        let init = move |index| init(Block(index as u32));
        let is_mapped = |index| memory.is_mapped(layout.page_of(Block(index as u32)));
        let room = self.node.tables.add::<T>(blocks);
        Keyed::grouped(self.dispatcher(), Group::BLOCKS, (blocks, room), each, init, is_mapped)
    }

    /// Makes a table with an entry for every number. An entry comes into being when it is first reached.
    pub fn keyed_sparse<T>(&mut self, init: impl Fn(u64) -> T + Send + Sync + 'static) -> Keyed<T> {
        self.keyed_sparse_in(self.space(), init)
    }

    /// Makes a table with an entry for every number of a [fresh space](Self::fresh_space). An entry comes
    /// into being when it is first reached.
    pub fn keyed_sparse_in<T>(
        &mut self,
        space: Space,
        init: impl Fn(u64) -> T + Send + Sync + 'static,
    ) -> Keyed<T> {
        Keyed::sparse(self.dispatcher(), (space, self.node.tables.add_sparse::<T>()), init)
    }

    fn dispatcher(&self) -> DispatcherId {
        self.node.dispatcher
    }
}
