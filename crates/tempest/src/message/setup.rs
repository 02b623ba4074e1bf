//! The installation of protocols on a node: they register messages and make their tables.
//!
//! Every node runs the same installations in the same order, so message numbers agree everywhere. This module
//! must never know which world the node is part of.

use std::any::{Any, TypeId};
use std::borrow::Cow;

use pdq::DispatcherId;

use super::charge::{Charge, Charger};
use super::node::Node;
use crate::data::clocked::Sealed;
use crate::data::{Clocked, Word};
use crate::outcome::disposal::State;
use crate::plain::Flow;
use crate::plain::key::{Group, Space};
use crate::plain::names::lasting;
use crate::{Block, Keyed, Memory, NodeId, Primitive, Rights, Segment, Shape};

/// A node on which protocols are being installed.
pub struct Setup<'a> {
    pub(super) node: &'a mut Node,
    /// The protocols being installed, each with its number: the innermost installation is the last.
    pub(super) installing: Vec<(TypeId, usize)>,
    /// The protocols whose installation is complete, for others to build on.
    pub(super) installed: Vec<Instance>,
}

/// A protocol whose installation on the node is complete.
pub(super) struct Instance {
    pub(super) protocol: TypeId,
    pub(super) state: State,
    pub(super) config: Box<dyn Any>,
}

impl Clocked for Setup<'_> {}

/// Does nothing: no event can happen before the run.
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

    /// The number of nodes of the world, and of program threads on each.
    pub fn shape(&self) -> Shape {
        self.node.shape
    }

    /// The flow control that the world asks of protocols.
    pub fn flow(&self) -> Flow {
        self.node.flow
    }

    /// Declares that `by`, the threads or some handlers of the protocol being installed, may charge `primitives`. A
    /// simulator refuses a run if the machine file has no price for a declared primitive.
    pub fn charges(&mut self, by: Charger, primitives: &[Primitive]) {
        for &primitive in primitives {
            let charge = Charge { primitive, by };
            if !self.node.parts.charges.contains(&charge) {
                self.node.parts.charges.push(charge);
            }
        }
    }

    /// Declares that the protocol being installed sends messages under every [`Mechanism`](crate::Mechanism). A world
    /// then refuses a run whose policy leaves no processor to handle them.
    pub fn needs_handlers(&mut self) {
        self.node.parts.needs_handlers = true;
    }

    /// Makes a segment: `len` words of this node, each holding `value` at first, which other nodes write by transfers
    /// and deposits. Deadlock reports print `name` for a thread that waits for deposits.
    ///
    /// Every node makes the same segments, of equal names, in the same order; each node chooses the length of its own part.
    pub fn segment<T: Word>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        len: usize,
        value: T,
    ) -> Segment<T> {
        self.segment_for(Rights::WRITE, name, len, value)
    }

    /// Makes a segment of `len` words of this node, each holding `value` at first. `others` are the rights of other
    /// nodes to these words. Deadlock reports print `name` for a thread that waits for deposits.
    pub fn segment_for<T: Word>(
        &mut self,
        others: Rights,
        name: impl Into<Cow<'static, str>>,
        len: usize,
        value: T,
    ) -> Segment<T> {
        let parts = &mut self.node.parts;
        let segment = parts.segments.allocate(others, lasting(name), len, value);
        parts.deposits.push(segment.deposits());
        segment
    }

    /// The key space of the protocol instance that is being installed: the numbers that its messages state as
    /// [`Key::User`](crate::Key::User) are keys in this space. A protocol stores the space if it
    /// [holds](crate::Thread::hold) keys for its callers.
    ///
    /// # Panics
    /// If no protocol is being installed.
    pub fn space(&self) -> Space {
        let (_, number) = self.installing.last().expect("a protocol asks while it is being installed");
        Space::of_protocol(*number)
    }

    /// Makes a key space for a part of the protocol that is being installed, such as a set of locks. Its keys differ
    /// from the keys of the protocol and of its other parts.
    pub fn fresh_space(&mut self) -> Space {
        self.node.parts.protocols += 1;
        Space::of_protocol(self.node.parts.protocols - 1)
    }

    /// Sets the size in bytes that the entries of the next table have on the modelled machine. Without this call it is
    /// the size of the entry's type on this host, in whole words of 8 bytes. Natively it has no effect.
    ///
    /// # Panics
    /// If the size is 0.
    pub fn entry_bytes(&mut self, bytes: u32) -> &mut Self {
        self.node.parts.tables.state_entry(bytes);
        self
    }

    /// Makes a table with an entry for each number in `0..len`; a handler reaches an entry under the number's key.
    /// `init` makes the entry of a number.
    pub fn keyed<T>(&mut self, len: usize, init: impl FnMut(u64) -> T) -> Keyed<T> {
        let group = Group::of(self.space());
        Keyed::dense(self.dispatcher(), group, (len, self.node.parts.tables.add::<T>(len)), init)
    }

    /// Makes a table with an entry for each block of a shared memory; a handler reaches an entry under the block's key.
    /// `init` makes the entry of a block.
    pub fn keyed_blocks<T>(&mut self, memory: &Memory, mut init: impl FnMut(Block) -> T) -> Keyed<T> {
        let blocks = memory.layout().blocks() as usize;
        let room = self.node.parts.tables.add::<T>(blocks);
        Keyed::dense(self.dispatcher(), Group::BLOCKS, (blocks, room), |index| init(Block(index as u32)))
    }

    /// Makes a table with an entry for each block of the pages that are mapped on this node now. Handlers make and drop
    /// the entries of other pages ([`Handler::open_page`](crate::Handler::open_page)). `init` makes the entry of a
    /// block.
    pub fn keyed_pages<T>(
        &mut self,
        memory: &Memory,
        init: impl Fn(Block) -> T + Send + Sync + 'static,
    ) -> Keyed<T> {
        let layout = memory.layout();
        let (blocks, each) = (layout.blocks() as usize, layout.page_blocks() as usize);
        let init = move |index| init(Block(index as u32));
        let is_mapped = |index| memory.is_mapped(layout.page_of(Block(index as u32)));
        let room = self.node.parts.tables.add::<T>(blocks);
        Keyed::grouped(self.dispatcher(), Group::BLOCKS, (blocks, room), each, init, is_mapped)
    }

    /// Makes a table with an entry for every number. `init` makes an entry when a handler or
    /// [hold](crate::Thread::hold) first reaches it.
    pub fn keyed_sparse<T>(&mut self, init: impl Fn(u64) -> T + Send + Sync + 'static) -> Keyed<T> {
        self.keyed_sparse_in(self.space(), init)
    }

    /// Makes a table with an entry for every number of `space`, a [fresh space](Self::fresh_space). `init` makes an
    /// entry when a handler or [hold](crate::Thread::hold) first reaches it.
    pub fn keyed_sparse_in<T>(
        &mut self,
        space: Space,
        init: impl Fn(u64) -> T + Send + Sync + 'static,
    ) -> Keyed<T> {
        Keyed::sparse(self.dispatcher(), (space, self.node.parts.tables.add_sparse::<T>()), init)
    }

    fn dispatcher(&self) -> DispatcherId {
        self.node.dispatcher
    }
}
