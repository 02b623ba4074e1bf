//! The named primitives a protocol handler is made of, and what each costs. Knows no protocol.

use units::{Frequency, Time};

use crate::section::Section;

/// What one use of a primitive costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Time on the handler's critical path: what follows in the handler waits for it.
    pub path: Time,
    /// Further time that the processor stays occupied once the handler is over.
    pub occupancy: Time,
}

/// Declares the primitives once: as fields, as names, and as keys of a machine file.
macro_rules! primitives {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The cost of each primitive, for the block size the machine file states its numbers for.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Primitives {
            $($(#[$doc])* pub $name: Cost,)*
        }

        impl Primitives {
            /// Every primitive with its cost, in the order of declaration.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, Cost)> {
                [$((stringify!($name), self.$name),)*].into_iter()
            }

            pub(crate) fn read(section: &Section<'_>, clock: Frequency) -> Option<Self> {
                $(let $name = section.cost(stringify!($name), clock);)*
                Some(Self { $($name: $name?,)* })
            }
        }
    };
}

primitives! {
    /// Taking a message from the queue and entering its handler. The occupancy is the completion: what the
    /// processor does after the handler to give the key back.
    dispatch,
    /// Noticing an access fault, taking it from the queue and entering its handler; occupancy as in `dispatch`.
    dispatch_fault,
    /// Reading what faulted, and where.
    read_fault_state,
    /// Sending a message's header: destination, handler, block address.
    send_header,
    /// Sending one further 8-byte word.
    send_word,
    /// Describing a block transfer to the NI, which then moves the data by itself.
    start_transfer,
    /// Reading one 8-byte word of a message beyond its header.
    receive_word,
    /// Looking up a block's directory entry and writing it back.
    directory_lookup,
    /// Changing the access tag of a block.
    set_tag,
    /// Moving a block from the node's memory or caches to the NI.
    fetch_block,
    /// Moving a block from the NI to the node's memory.
    place_block,
    /// Taking a block out of the node's caches.
    purge,
    /// Letting a waiting thread's access go ahead.
    resume,
    /// Translating a global address.
    translate,
    /// Noting in the directory that a request must wait.
    defer,
}
