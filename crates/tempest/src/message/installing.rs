//! The steps of an installation that name a protocol or a message: each message gets its number, its handler and its state.
//!
//! This module must never know which world the node is part of.

use std::any::{TypeId, type_name};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

use super::node::Node;
use super::parts::FaultPacket;
use super::protocol::{Message, Messages, Protocol};
use super::setup::{Instance, Setup};
use crate::memory::Fault;
use crate::outcome::Refusal;
use crate::outcome::disposal::State;
use crate::plain::identity::MessageId;
use crate::{Layout, Memory};

impl<P: Protocol> Messages<'_, P> {
    /// Registers the message type `M` of the protocol.
    ///
    /// # Panics
    /// If the message type has been added before.
    pub fn add<M: Message<Protocol = P>>(&mut self) {
        register::<M>(self.node, self.protocol);
    }
}

/// Registers message `M` of the protocol with number `protocol` under the next message number of a node.
///
/// # Panics
/// If the node has the message already, or has 65,536 kinds of messages.
fn register<M: Message>(node: &mut Node, protocol: usize) {
    let others = node.kinds.all().len();
    let id = MessageId(u16::try_from(others).unwrap_or_else(|_| {
        panic!("message {} is one too many: a program has at most 65536 kinds", type_name::<M>())
    }));
    let is_new = node.parts.ids.insert(TypeId::of::<M>(), id);
    assert!(is_new, "{} is registered twice", type_name::<M>());
    node.kinds.add::<M>(protocol);
}

impl Setup<'_> {
    /// Installs another protocol `P`, which the protocol being installed uses, and returns its state on this node.
    ///
    /// A node has one instance of a protocol, so several protocols may build on one instance without knowing of each
    /// other. If the node has an instance already, with an equal configuration, the call returns its state. A protocol
    /// that offers several objects, such as locks, tells them apart by indices inside its one instance.
    ///
    /// # Panics
    /// If the node has an instance of the protocol with another configuration: the world catches this panic and refuses
    /// the run with [`Refusal::Configurations`](crate::outcome::Refusal::Configurations). Also if `P` is still being
    /// installed.
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

    /// Installs a protocol of which the node has no instance yet.
    pub(crate) fn install_new<P: Protocol>(&mut self, config: &P::Config) -> Arc<P> {
        let place = self.node.protocols;
        self.node.parts.protocols += 1;
        self.installing.push((TypeId::of::<P>(), place));
        P::register(&mut Messages { node: self.node, protocol: place, of: PhantomData });
        let state = Arc::new(P::install(config, self));
        self.installing.pop();
        self.node.bind(place, Arc::clone(&state) as State);
        state
    }

    /// Registers a message that only this installation of the protocol has, such as a generic message whose type
    /// parameter follows from the configuration. [`Handlers::register`](crate::message::Handlers::register), which runs
    /// first, lists all other messages.
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

    /// Registers a prefetch hint: a receiver with several waiting messages calls `prefetch` for a message `M` a little
    /// before its handler runs. The hint may only prefetch cache lines that the handler will access, such as with
    /// [`Keyed::prefetch`](crate::Keyed::prefetch). It must not rely on being called, or on the message being handled
    /// next. A receiver never calls it where no message waits, where several processors of a node run handlers, or in a
    /// simulation.
    ///
    /// The hint helps where the state of all keys is larger than the caches. It costs a second look at each
    /// message, so a protocol registers one only if its tables are that large.
    ///
    /// # Panics
    /// If the message was not registered before.
    pub fn prefetch<M: Message>(&mut self, prefetch: fn(&M, &M::Protocol)) {
        let id = self.node.ids.get(TypeId::of::<M>());
        let id = id.unwrap_or_else(|| panic!("{} is not registered yet", type_name::<M>()));
        self.node.kinds.hint(usize::from(id.0), prefetch);
        self.node.has_prefetch_hints = true;
    }

    /// Makes this node's copy of a shared address space, which the protocol being installed keeps coherent. An access
    /// without the needed right becomes a message `F` to the node itself. If `premapped`, this node has room for pages
    /// of other nodes from the start; otherwise the protocol makes room. A node has at most one such space.
    ///
    /// # Panics
    /// If the node has an address space already, or the space is for another number of nodes.
    pub fn memory<F: Message + From<Fault>>(&mut self, layout: &Layout, premapped: bool) -> Arc<Memory> {
        assert!(self.node.memory.is_none(), "a second shared memory: a node has one");
        let nodes = self.node.shape.nodes;
        assert_eq!(layout.nodes(), nodes, "shared memory for another number of nodes");
        let memory = Arc::new(Memory::new(self.node.id, layout, premapped, self.node.segments.source()));
        let packet: FaultPacket = |node, fault| node.encode(node.id, &F::from(fault), &[]);
        self.node.parts.memory = Some((Arc::clone(&memory), packet));
        memory
    }
}

impl Instance {
    /// Returns this instance's state if its configuration equals `config`; otherwise unwinds with a refusal. The
    /// instance must be of protocol `P`.
    fn reuse<P: Protocol>(&self, config: &P::Config) -> Arc<P>
    where
        P::Config: PartialEq + Debug,
    {
        let first: &P::Config = self.config.downcast_ref().expect("a configuration is filed by its protocol");
        if first != config {
            let (first, second) = (format!("{first:?}"), format!("{config:?}"));
            let refusal = Refusal::Configurations { protocol: type_name::<P>(), first, second };
            // Unwinds to `Job::settle` without calling the panic hook, which would print to the error stream.
            std::panic::resume_unwind(Box::new(refusal));
        }
        Arc::clone(&self.state).downcast().expect("a state is filed by its protocol")
    }
}
