//! The memory of nodes that several processes access, and the links through it.
//!
//! The memory of a process's nodes lies in one file: the segments and blocks of the program, the channels *into* each node, and the parkers
//! of its processors. A process maps the channels out of its nodes, and the views of other nodes, from the files of theirs. The places in a
//! file that another process tells are checked before they are used.
//!
//! This module must never know how a process learns of the files.

use std::io;
use std::sync::Arc;

use segment::{Mapping, Pages, SharedFile};

use crate::parts::links::{Links, View};
use crate::parts::parker::Parker;
use crate::parts::seating::Seating;
use crate::parts::settling::{Settled, Terms};
use crate::process::orders::NodeExports;
use crate::process::refusals::no_room;
use crate::rings::channel::{COUNTS, Channel};
use crate::rings::consumer::Consumer;
use crate::rings::producer::Producer;
use crate::rings::receiver::Receiver;
use crate::rings::ring;
use crate::rings::sender::Sender;
use crate::words::{channel_forms, channel_in, parker_forms, parkers_in};

/// The shared memory of a node of this process, beside the program's own.
pub(crate) struct Home {
    /// By source: the channel into the node.
    channels: Vec<Channel>,
    parkers: Arc<Mapping>,
    exports: NodeExports,
}

/// Number of processors of a node, with its helper.
fn processors_of_a_node(seating: &Seating) -> usize {
    seating.all() / seating.nodes()
}

impl Home {
    /// Makes the shared memory of each node of this process in its file.
    ///
    /// # Errors
    /// If a node's memory is not in the file.
    pub(crate) fn of(terms: &Terms<'_>, settled: &Settled, file: &Arc<SharedFile>) -> io::Result<Vec<Self>> {
        settled.programs().map(|node| Self::of_node(terms, node, file)).collect()
    }

    fn of_node(terms: &Terms<'_>, node: &tempest::world::Node, file: &Arc<SharedFile>) -> io::Result<Self> {
        let (seating, lines) = (terms.seating(), ring::lines(terms.depths.slots));
        let mapping = |_| file.mapping(channel_forms(COUNTS, lines), Pages::Usual).map(Arc::new);
        let mappings = (0..seating.nodes()).map(mapping).collect::<io::Result<Vec<_>>>().map_err(no_room)?;
        let channels: Vec<_> = mappings.iter().map(|mapping| Channel::of(channel_in(mapping))).collect();
        channels.iter().for_each(|channel| ring::prepare(channel, 0));
        let forms = parker_forms(processors_of_a_node(&seating));
        let parkers = Arc::new(file.mapping(forms, Pages::Usual).map_err(no_room)?);
        let exports = NodeExports {
            fingerprint: node.fingerprint(),
            messages: node.message_names().map(str::to_owned).collect(),
            segments: node.segment_names().map(str::to_owned).collect(),
            program: node.exports().ok_or_else(not_shared)?,
            channels: mappings.iter().map(|mapping| place(mapping)).collect::<io::Result<_>>()?,
            parkers: place(&parkers)?,
        };
        Ok(Self { channels, parkers, exports })
    }

    /// The places of the memory in the file.
    pub(crate) fn exports(&self) -> &NodeExports {
        &self.exports
    }
}

fn place(mapping: &Mapping) -> io::Result<u64> {
    mapping.place_in_file().ok_or_else(not_shared)
}

fn not_shared() -> io::Error {
    io::Error::other("memory of a node that others access lies in no file")
}

/// All nodes of a world as a process sees them.
pub(crate) struct Neighbourhood {
    /// By node: its memory.
    views: Arc<[View]>,
    /// By own node and then by destination: the channel out of the node.
    outgoing: Vec<Vec<Channel>>,
    /// By processor of all nodes.
    parkers: Vec<Parker>,
}

/// A node of another process.
pub(crate) struct Peer<'a> {
    pub(crate) file: &'a SharedFile,
    pub(crate) exports: &'a NodeExports,
}

impl Neighbourhood {
    /// Maps the memory of all nodes: of the process's own, which are `homes`, and of the others, which `peer` finds by number.
    ///
    /// # Errors
    /// If a place that a peer has told is none of its file.
    pub(crate) fn map<'a>(
        terms: &Terms<'_>,
        settled: &Settled,
        homes: &[Home],
        peer: impl Fn(usize) -> Peer<'a>,
    ) -> io::Result<Self> {
        let (seating, own) = (terms.seating(), settled.own.clone());
        let home = |node: usize| own.contains(&node).then(|| &homes[node - own.start]);
        let lines = ring::lines(terms.depths.slots);
        let mut views: Vec<View> = Vec::with_capacity(seating.nodes());
        let mut parkers = Vec::with_capacity(seating.all());
        let mut outgoing: Vec<Vec<Channel>> = homes.iter().map(|_| Vec::new()).collect();
        let own_views: Vec<View> = settled.views().collect();
        for node in 0..seating.nodes() {
            let each = processors_of_a_node(&seating);
            if let Some(home) = home(node) {
                views.push(own_views[node - own.start].clone());
                parkers.push(parkers_in(&home.parkers, each));
                let into = outgoing.iter_mut().zip(&home.channels[own.clone()]);
                into.for_each(|(out, channel)| out.push(channel.clone()));
                continue;
            }
            let Peer { file, exports } = peer(node);
            views.push(own_views[0].of_peer(file, &exports.program)?);
            let mapped = Arc::new(file.map(exports.parkers, parker_forms(each))?);
            parkers.push(parkers_in(&mapped, each));
            let channels = exports.channels.get(own.clone()).ok_or(io::ErrorKind::InvalidInput)?;
            for (out, at) in outgoing.iter_mut().zip(channels) {
                let mapped = Arc::new(file.map(*at, channel_forms(COUNTS, lines))?);
                out.push(Channel::of(channel_in(&mapped)));
            }
        }
        let parkers = by_processor(&seating, parkers);
        Ok(Self { views: views.into(), outgoing, parkers })
    }

    /// The links of the process's nodes, and the parkers of all processors.
    pub(crate) fn links(
        self,
        terms: &Terms<'_>,
        settled: &Settled,
        homes: Vec<Home>,
    ) -> (Vec<Links>, Vec<Parker>) {
        let (shared, views) = (terms.lanes_are_shared(), self.views);
        let sender = |channel| Sender::new(Producer::new(channel, 0), settled.bounds.clone(), shared);
        let receiver = |channel| Receiver::new(Consumer::new(channel, 0), shared);
        let ends = self.outgoing.into_iter().zip(homes);
        let links = ends.map(|(outgoing, home)| {
            let outgoing = outgoing.into_iter().map(sender).collect();
            let incoming = home.channels.into_iter().map(receiver).collect();
            Links::new(Arc::clone(&views), outgoing, incoming)
        });
        (links.collect(), self.parkers)
    }
}

/// Puts the words of parkers, node by node with the helper last, in the order of processors.
fn by_processor(seating: &Seating, of_nodes: Vec<Vec<crate::words::ParkerWords>>) -> Vec<Parker> {
    let mut words: Vec<_> = (0..seating.all()).map(|_| None).collect();
    for (node, of_node) in of_nodes.into_iter().enumerate() {
        let indices = seating.of_node(tempest::NodeId(node as u32));
        indices.zip(of_node).for_each(|(index, parker)| words[index] = Some(Parker::of(parker)));
    }
    words.into_iter().flatten().collect()
}
