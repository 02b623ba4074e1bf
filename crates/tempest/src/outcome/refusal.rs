//! Reasons for which a world refuses a run.
//!
//! A refusal comes before anything runs. It must never know which world it comes from.

use std::fmt;

use crate::{Mechanism, NodeId, Policy};

/// The reason why a world refuses a run, no part of which has been executed.
///
/// The text of the refusal is one line that states the request, the missing capability, and the expected form.
///
/// ```
/// use tradewind_tempest::Policy;
/// use tradewind_tempest::outcome::Refusal;
///
/// let policy: Policy = "np".parse().unwrap();
/// let refused = policy.check("toy", &["poll"]).unwrap_err();
/// assert!(matches!(&refused, Refusal::Policy { needs: "network-processor", .. }));
/// assert_eq!(
///     refused.to_string(),
///     "policy `np` needs `network-processor`, which machine `toy` lacks (it has: poll)"
/// );
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// The machine lacks a capability that the policy needs.
    Policy {
        /// The requested policy.
        policy: Policy,
        /// The missing capability, in the words of the `can` lists of machine files.
        needs: &'static str,
        /// The name of the machine.
        machine: String,
        /// All capabilities of the machine.
        can: Vec<String>,
    },
    /// The machine lacks a capability that the mechanism needs.
    Mechanism {
        /// The requested mechanism.
        mechanism: Mechanism,
        /// The missing capability, in the words of the `can` lists of machine files.
        needs: &'static str,
        /// The name of the machine.
        machine: String,
        /// All capabilities of the machine.
        can: Vec<String>,
    },
    /// The policy dedicates all processors of a node, and none is left to compute.
    NoneComputes {
        /// The requested policy.
        policy: Policy,
        /// The requested number of processors per node.
        processors: u32,
    },
    /// The world cannot carry the policy out, though the machine has the capability that the policy needs.
    Unobeyed {
        /// The requested policy.
        policy: Policy,
        /// The reason why the world cannot obey the policy.
        why: Unobeyed,
    },
    /// The machine file states no price of an operation that the run would charge.
    Prices {
        /// The requested policy.
        policy: Policy,
        /// The name of the machine.
        machine: String,
        /// The keys of the machine file that are missing, each once.
        keys: Vec<String>,
    },
    /// A coherence block is smaller than the memory that shares one access tag on the machine.
    Tags {
        /// The name of the machine.
        machine: String,
        /// The size of a coherence block, in bytes.
        block: u32,
        /// The size of the memory that shares one access tag, in bytes.
        tag: u64,
    },
    /// A node would have several processors whose caches only software keeps coherent, but no program flushes and
    /// purges the words that processors of a node share.
    Incoherent {
        /// The requested policy.
        policy: Policy,
        /// The name of the machine.
        machine: String,
        /// The number of processors of a node, including processors inside its network device.
        processors: u32,
    },
    /// The run is too small or too large.
    Size(Size),
    /// A protocol would be installed with two different configurations. Installing it again with an equal configuration
    /// is allowed.
    Configurations {
        /// The type name of the protocol.
        protocol: &'static str,
        /// The first configuration of the protocol, as `Debug` prints it.
        first: String,
        /// The second configuration of the protocol, as `Debug` prints it.
        second: String,
    },
    /// The program installs different messages or segments on two nodes: the same number means one thing on the first
    /// node and another on a later node.
    Nodes {
        /// The kind of object whose number differs in meaning: `message` or `segment`.
        what: &'static str,
        /// The number that means different objects on the two nodes.
        number: usize,
        /// The first node, and the name of its message or segment with the number `number`, if it has one.
        first: (NodeId, Option<String>),
        /// The other node, and the name of its message or segment with the number `number`, if it has one.
        node: (NodeId, Option<String>),
    },
    /// The host lacks a resource for the run, such as an OS thread or memory for a stack. The text is the whole
    /// message.
    Host(String),
}

/// The reason why a world has no way to obey a policy.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unobeyed {
    /// State machines run the handlers of shared memory, and no processor runs the handlers of a program's messages.
    NobodyHandles {
        /// The requested mechanism, which needs messages.
        mechanism: Mechanism,
    },
    /// State machines run the handlers of shared memory, and no processor runs the handlers of the program's other
    /// messages.
    NobodyHandlesBeside,
    /// The world has no processors of the kind to which the policy gives handlers.
    NoSuchProcessors,
    /// The network interface has an endpoint for each computing, dedicated or network processor, and under the policy other
    /// processors run the handlers, or processors change their roles.
    NoEndpoint {
        /// The name of the machine.
        machine: String,
    },
    /// No computing processor of the machine can be interrupted.
    NotInterrupted {
        /// The name of the machine.
        machine: String,
    },
}

impl Unobeyed {
    fn write(&self, policy: &Policy, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NobodyHandles { mechanism } => write!(
                f,
                "policy `{policy}` leaves nobody to handle a program's messages, which mechanism `{mechanism}` needs: a state \
                 machine keeps memory coherent; expected mechanism `{}`",
                Mechanism::SharedMemory
            ),
            Self::NobodyHandlesBeside => write!(
                f,
                "policy `{policy}` leaves nobody to handle the messages that the program sends beside its use of shared memory: a \
                 state machine keeps memory coherent; expected a policy whose processors run handlers, such as `single`"
            ),
            Self::NoSuchProcessors => {
                write!(f, "policy `{policy}` is not modelled: this simulator has no such processors")
            }
            Self::NoEndpoint { machine } => write!(
                f,
                "policy `{policy}` has handlers run by processors that have no endpoint of machine `{machine}`, whose interface has one \
                 for each computing, dedicated or network processor (`interface.endpoints = \"processor\"`): expected a policy by which \
                 such processors run handlers, such as `floating`, `fixed:1` or `np`"
            ),
            Self::NotInterrupted { machine } => write!(
                f,
                "policy `{policy}` needs a computing processor that can be interrupted, which machine `{machine}` lacks: only a \
                 dedicated processor can be woken, as under `fixed:1+interrupt`, or a helper, as under `floating+keyed+helper`"
            ),
        }
    }
}

/// An error in the size of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Size {
    /// The run would have no nodes, no processors or no threads.
    None {
        /// The part of which the run has none: `nodes`, `processors` or `threads`.
        what: &'static str,
    },
    /// The run would have more nodes, processors or threads than the world can have.
    TooMany {
        /// The part of which the run has too many, such as `processors`.
        what: &'static str,
        /// The largest number that the world allows in the whole run.
        most: u32,
        /// The command-line options that lower the number, as a person types them.
        fewer: &'static str,
    },
    /// The command line gives the network a grid for another number of nodes than the run has.
    Places {
        /// The lengths of the sides of the grid, in nodes.
        sides: Vec<u32>,
        /// The run's number of nodes.
        nodes: u32,
    },
    /// A data structure that grows with the number of nodes would take too much memory.
    TooMuchMemory {
        /// The run's number of nodes.
        nodes: u32,
        /// The data structure that would take the memory, as errors name it.
        what: &'static str,
        /// The largest size that the data structure may have, in bytes.
        most: usize,
    },
}

impl Size {
    /// Checks that no count in `counts` is 0. Each count comes with the name of the thing counted, such as `nodes`.
    ///
    /// # Errors
    /// [`Size::None`] with the name of the first count that is 0.
    pub fn expect_some(counts: &[(u32, &'static str)]) -> Result<(), Refusal> {
        match counts.iter().find(|(count, _)| *count == 0) {
            Some((_, what)) => Err(Refusal::Size(Self::None { what })),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Policy { policy, needs, machine, can } => write!(
                f,
                "policy `{policy}` needs `{needs}`, which machine `{machine}` lacks (it has: {})",
                can.join(", ")
            ),
            Self::Mechanism { mechanism, needs, machine, can } => write!(
                f,
                "mechanism `{mechanism}` needs `{needs}`, which machine `{machine}` lacks (it has: {})",
                can.join(", ")
            ),
            Self::NoneComputes { policy, processors } => write!(
                f,
                "policy `{policy}` dedicates {} of {processors} processors per node and leaves none to compute: \
                 expected at least --processors {}",
                policy.count,
                policy.count.saturating_add(1)
            ),
            Self::Unobeyed { policy, why } => why.write(policy, f),
            Self::Host(why) => f.write_str(why),
            Self::Prices { policy, machine, keys } => {
                let told: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
                let first = keys.first().map_or("", String::as_str);
                write!(
                    f,
                    "policy `{policy}`: machine `{machine}` gives no price for {}, which the run would charge; the file or --set \
                     gives prices, such as --set {first}=\"1 us\"",
                    told.join(", ")
                )
            }
            Self::Tags { machine, block, tag } => write!(
                f,
                "blocks of {block} bytes on machine `{machine}`, where {tag} bytes have one tag: expected --block {tag} or more"
            ),
            Self::Incoherent { policy, machine, processors } => write!(
                f,
                "{processors} processors per node under policy `{policy}` on machine `{machine}`, whose caches only software keeps \
                 coherent (`cache.coherence = \"software\"`): no program flushes and purges what its processors share; expected \
                 --policy single --processors 1"
            ),
            Self::Size(size) => size.fmt(f),
            Self::Nodes { what, number, first, node } => {
                let name = |name: &Option<String>| {
                    name.as_ref().map_or("none".to_owned(), |name| format!("`{name}`"))
                };
                write!(
                    f,
                    "{what} {number} is {} on {} and {} on {}: expected the program to install the same {what}s, in the same \
                     order, on every node",
                    name(&first.1),
                    first.0,
                    name(&node.1),
                    node.0
                )
            }
            Self::Configurations { protocol, first, second } => write!(
                f,
                "protocol `{protocol}` is installed as {first} and again as {second}: expected one configuration, whoever \
                 installs it"
            ),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None { what } => write!(f, "--{what} 0: expected at least 1"),
            Self::TooMany { what, most, fewer } => {
                write!(f, "more than {most} {what} in all: expected fewer {fewer}")
            }
            Self::Places { sides, nodes } => {
                let grid = sides.iter().map(u32::to_string).collect::<Vec<_>>();
                let places = sides.iter().fold(1_u64, |places, &side| places.saturating_mul(side.into()));
                write!(
                    f,
                    "network.dimensions = [{}] has {places} places, and the run {nodes} nodes: expected --nodes {places}, or sides whose \
                     product is {nodes}",
                    grid.join(", ")
                )
            }
            Self::TooMuchMemory { nodes, what, most } => write!(
                f,
                "{nodes} nodes: {what} would take more than {} MiB; expected fewer --nodes",
                most >> 20
            ),
        }
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_prices_are_all_named_with_what_to_type() {
        let keys = ["primitives.issue", "network_processor.primitives.take"].map(str::to_owned).to_vec();
        let refused = Refusal::Prices { policy: "np".parse().unwrap(), machine: "toy".to_owned(), keys };
        assert_eq!(
            refused.to_string(),
            "policy `np`: machine `toy` gives no price for `primitives.issue`, `network_processor.primitives.take`, which the \
             run would charge; the file or --set gives prices, such as --set primitives.issue=\"1 us\""
        );
    }

    #[test]
    fn nodes_that_differ_are_both_named() {
        let first = (NodeId(0), Some("Ask".to_owned()));
        let refused = Refusal::Nodes { what: "message", number: 3, first, node: (NodeId(2), None) };
        assert_eq!(
            refused.to_string(),
            "message 3 is `Ask` on node 0 and none on node 2: expected the program to install the same messages, in the same \
             order, on every node"
        );
    }

    #[test]
    fn sizes_say_what_to_type() {
        let none = Size::expect_some(&[(1, "nodes"), (0, "threads")]).unwrap_err();
        assert_eq!(none.to_string(), "--threads 0: expected at least 1");
        assert_eq!(Size::expect_some(&[(1, "nodes"), (7, "threads")]), Ok(()));
        let many = Size::TooMany { what: "threads", most: 64, fewer: "--threads" };
        assert_eq!(many.to_string(), "more than 64 threads in all: expected fewer --threads");
        let memory = Size::TooMuchMemory { nodes: 9, what: "the rings", most: 5 << 20 };
        assert_eq!(
            memory.to_string(),
            "9 nodes: the rings would take more than 5 MiB; expected fewer --nodes"
        );
    }
}
