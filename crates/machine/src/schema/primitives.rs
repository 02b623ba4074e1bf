//! The named primitives that a protocol handler consists of, and the price of each. This module must never know a protocol.

use units::{Quantity, Span};

use super::idle_bus::IdleBus;
use super::parts::Primitive;
use crate::reading::Section;
use crate::{ByClass, Capability, Cost};

/// Declares the primitives once: as fields, as names, and as keys of a machine file.
macro_rules! primitives {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The cost of each primitive by class of message.
        ///
        /// `None`: the file gives no price, because no run on this machine is expected to use it.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Primitives {
            $($(#[$doc])* pub $name: Option<ByClass<Cost>>,)*
        }

        impl Primitives {
            /// Yields each primitive that has a price, with its price, in the order of declaration.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, &ByClass<Cost>)> {
                [$((stringify!($name), self.$name.as_ref()),)*]
                    .into_iter()
                    .filter_map(|(name, cost)| cost.map(|cost| (name, cost)))
            }

            /// A price list on which every primitive is free.
            pub(crate) fn free() -> Self {
                $(let $name = Some(ByClass::uniform(Cost::default()));)*
                Self { $($name,)* }
            }

            fn read_keys(section: &Section<'_>, bus: IdleBus<'_>) -> Option<Self> {
                $(let $name = Primitive { name: stringify!($name), bus }.read(section);)*
                Some(Self { $($name: $name?,)* })
            }
        }
    };
}

primitives! {
    /// Noticing that the block's tag forbids an access, at the processor that makes it.
    detect_miss,
    /// Taking a message from the queue and entering its handler. The occupancy is the completion: the processor's work
    /// after the handler to give the key back.
    dispatch,
    /// `dispatch` of a message that has interrupted its processor, without the interrupt itself; `None`: no price of its own.
    dispatch_interrupt,
    /// Noticing an access fault, taking it from the queue and entering its handler; occupancy as in `dispatch`.
    dispatch_fault,
    /// Reading the kind and the address of the access that faulted.
    read_fault_state,
    /// Sending a message's header: destination, handler, block address.
    send_header,
    /// Sending the header of a message to the sender's own node, which the same processor may read; `None`: no price of its
    /// own.
    send_own,
    /// Sending one 8-byte word beyond the header.
    send_word,
    /// Describing a block transfer to the NI, which then moves the data by itself.
    start_transfer,
    /// Reading one 8-byte word of a message beyond its header.
    receive_word,
    /// Reading one message out of the NI: its header and the words that come with the header.
    extract,
    /// Reading one message from the own node out of the NI; `None`: no price of its own.
    extract_own,
    /// Writing a message into the queue from a compute processor to the network processor, or the other way.
    hand_over,
    /// Taking a message out of the queue from a compute processor to the network processor, or the other way.
    take,
    /// Bookkeeping of an access to the global address space at its issue: the test of locality, and the counter of outstanding
    /// accesses.
    issue,
    /// Bookkeeping of an access to the global address space when its answer arrives.
    complete,
    /// Adding to the counter of stored bytes at the target of a store.
    count_store,
    /// Reading a word of memory on behalf of another node.
    fetch_word,
    /// Writing a word of memory on behalf of another node.
    place_word,
    /// Looking up a block's directory entry and writing it back.
    directory_lookup,
    /// Changing the access tag of a block.
    set_tag,
    /// Moving a block from the node's memory or caches to the NI.
    fetch_block,
    /// Moving a block from the NI to the node's memory.
    place_block,
    /// Finding a frame for a page of another node and mapping the page.
    map_page,
    /// Taking a block out of the node's caches.
    purge,
    /// Letting a waiting thread's access go ahead.
    resume,
    /// Telling the dispatch queue that a processor which ran handlers while it waited computes again.
    report_computing,
    /// Translating an address of the global address space.
    translate,
    /// Translating a global address that was translated just before.
    translate_again,
    /// Noting in the directory entry of a block that a request must wait.
    defer,
}

impl Primitives {
    /// Reads a price list. A machine that moves blocks by itself must state the price of starting that.
    pub(crate) fn section(
        section: &Section<'_>,
        key: &'static str,
        can: &[Capability],
        bus: IdleBus<'_>,
    ) -> Option<Self> {
        section.section(key, |section| {
            let primitives = Self::read_keys(section, bus);
            if can.contains(&Capability::Transfer) {
                section.expect("start_transfer", Span::EXPECTED);
            }
            primitives
        })
    }
}
