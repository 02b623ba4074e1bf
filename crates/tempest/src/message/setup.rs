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
    /// The protocol being installed, and its number.
    pub(super) installing: Vec<(TypeId, usize)>,
    /// The protocols that have been installed for others to build on.
    pub(super) installed: Vec<Instance>,
}

/// A protocol that has been installed.
pub(super) struct Instance {
    pub(super) protocol: TypeId,
    pub(super) state: State,
    pub(super) config: Box<dyn Any>,
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

    /// States primitives that threads of the protocol being installed, or its handlers of a class, may charge. A
    /// world that charges time refuses a run whose machine lacks a price of a stated primitive, before anything runs.
    pub fn charges(&mut self, by: Charger, primitives: &[Primitive]) {
        for &primitive in primitives {
            let charge = Charge { primitive, by };
            if !self.node.parts.charges.contains(&charge) {
                self.node.parts.charges.push(charge);
            }
        }
    }

    /// States that the protocol being installed sends messages under every mechanism. A world whose policy leaves no
    /// processor to handle them refuses the run before anything runs.
    pub fn needs_handlers(&mut self) {
        self.node.parts.needs_handlers = true;
    }

    /// Makes a segment: `len` words of this node, each holding `value` at first, that transfers and deposits
    /// of other nodes write. The name appears where a thread waits for deposits.
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

    /// Makes a segment of `len` words, each holding `value` at first. `others` is the rights of other nodes to this
    /// node's part of it. The name appears where a thread waits for deposits.
    pub fn segment_for<T: Word>(
        &mut self,
        others: Rights,
        name: impl Into<Cow<'static, str>>,
        len: usize,
        value: T,
    ) -> Segment<T> {
        self.node.parts.segments.allocate(others, lasting(name), len, value)
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
        self.node.parts.protocols += 1;
        Space::of_protocol(self.node.parts.protocols - 1)
    }

    /// States the size, in bytes, of the entries of the table that is made next, as the modelled machine has them. A size that is
    /// not stated is that of the entry's type on this host, in whole words. Natively it means nothing.
    ///
    /// # Panics
    /// If the size is 0.
    pub fn entry_bytes(&mut self, bytes: u32) -> &mut Self {
        self.node.parts.tables.state_entry(bytes);
        self
    }

    /// Makes a table with an entry for each number in `0..len`, under that number's key.
    pub fn keyed<T>(&mut self, len: usize, init: impl FnMut(u64) -> T) -> Keyed<T> {
        let group = Group::of(self.space());
        Keyed::dense(self.dispatcher(), group, (len, self.node.parts.tables.add::<T>(len)), init)
    }

    /// Makes a table with an entry for each block of a shared memory, under the block's key.
    pub fn keyed_blocks<T>(&mut self, memory: &Memory, mut init: impl FnMut(Block) -> T) -> Keyed<T> {
        let blocks = memory.layout().blocks() as usize;
        let room = self.node.parts.tables.add::<T>(blocks);
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
        let room = self.node.parts.tables.add::<T>(blocks);
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
        Keyed::sparse(self.dispatcher(), (space, self.node.parts.tables.add_sparse::<T>()), init)
    }

    fn dispatcher(&self) -> DispatcherId {
        self.node.dispatcher
    }
}
