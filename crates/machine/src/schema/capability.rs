//! The capabilities of a machine, of which a policy needs some. This module must never know a policy.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// Declares each capability once, with its name in machine files and its meaning, which is its documentation.
macro_rules! capabilities {
    ($($(#[doc = $meaning:literal])+ $variant:ident = $name:literal,)*) => {
        /// A capability of a machine, which policies may require.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Capability {
            $($(#[doc = $meaning])+ $variant,)*
        }

        impl Capability {
            /// Every capability, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
            /// The names of all capabilities, in the order of declaration.
            pub const NAMES: &'static [&'static str] = &[$($name,)*];

            /// The name of the capability in machine files and messages.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The meaning of the capability, in sentences for people.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($($meaning),+).trim_start(),)*
                }
            }
        }
    };
}

capabilities! {
    /// A processor can ask whether a protocol event waits.
    Poll = "poll",
    /// A protocol event can interrupt a computing processor.
    Interrupt = "interrupt",
    /// The dispatch queue hands out events of distinct keys in parallel. Without this word and `dispatch-register` there is no such
    /// queue: messages wait in the interface until a processor looks.
    KeyedDispatch = "keyed-dispatch",
    /// Each processor has a dispatch register, cachable, in which its next event appears.
    DispatchRegister = "dispatch-register",
    /// Processors of the node can be set aside for protocol handlers.
    DedicatedProcessors = "dedicated-processors",
    /// A processor can be set aside for protocol handlers, and compute again, while a program runs.
    AdaptiveDedication = "adaptive-dedication",
    /// Processors for protocol handlers can be added to those of the node.
    AddedProcessors = "added-processors",
    /// A computing processor reaches the network through a queue of its own: that of the network processor, or the
    /// FIFOs of the NI.
    NetworkQueue = "network-queue",
    /// The node has network processors beside its compute processors. Follows from a section `[network_processor]`.
    NetworkProcessor = "network-processor",
    /// Every processor sends for itself under every policy. Follows from a section `[queue_pairs]`, and from
    /// `interface.endpoints = "processor"`. On other machines a dedicated processor sends for all computing ones of its node under
    /// `fixed` and `partitioned`: one lone sender, however many are dedicated.
    SenderInjects = "sender-injects",
    /// The NI device has processors of its own for protocol handlers. Follows from a section `[embedded_processor]`.
    EmbeddedProcessors = "embedded-processors",
    /// The NI moves blocks between memory and network by itself.
    Transfer = "transfer",
    /// The NI puts arriving words into memory at the place that their sender states.
    Deposit = "deposit",
    /// A state machine in hardware runs the protocol.
    HardwareProtocol = "hardware-protocol",
    /// Processors of a node share one queue of threads that are ready, and each takes the oldest.
    SharedReadyQueue = "shared-ready-queue",
    /// Processors of a node take turns at polling, whether they compute or not.
    PollTurns = "poll-turns",
    /// Every access to shared memory checks the node's right to the block.
    SharedMemory = "shared-memory",
}

impl Capability {
    /// The part of a machine file from which the capability follows without its word in `can`; `None` for a capability that follows
    /// from its word alone.
    pub const fn part(self) -> Option<&'static str> {
        match self {
            Self::NetworkProcessor => Some("a section [network_processor]"),
            Self::EmbeddedProcessors => Some("a section [embedded_processor]"),
            Self::SenderInjects => Some("a section [queue_pairs]"),
            _ => None,
        }
    }
}

/// Error: the text is not the name of a capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCapability;

impl Display for UnknownCapability {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "expected one of {}", Capability::NAMES.join(", "))
    }
}

impl std::error::Error for UnknownCapability {}

impl FromStr for Capability {
    type Err = UnknownCapability;

    fn from_str(name: &str) -> Result<Self, UnknownCapability> {
        Self::ALL.iter().copied().find(|capability| capability.name() == name).ok_or(UnknownCapability)
    }
}

impl Display for Capability {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
