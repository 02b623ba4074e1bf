//! The names for people of the six parts of time, and of the parts of a machine that can be a bottleneck. This module must never know
//! how a part is drawn, nor how busy it is.

use compare::Part;
use tempest::outcome::Resource;

/// The name of a part.
pub(crate) const fn part(part: Part) -> &'static str {
    match part {
        Part::Compute => "compute",
        Part::Memory => "memory and NI wait",
        Part::Overhead => "message overhead",
        Part::Synchronization => "synchronization",
        Part::Idle => "idle",
        Part::Taken => "taken by the OS",
    }
}

/// The names of one part and of all parts of a kind.
const fn names(resource: Resource) -> (&'static str, &'static str) {
    match resource {
        Resource::ComputingProcessor => ("computing processor", "computing processors"),
        Resource::DedicatedProcessor => ("dedicated processor", "dedicated processors"),
        Resource::EmbeddedProcessor => ("embedded processor", "embedded processors"),
        Resource::NetworkProcessor => ("network processor", "network processors"),
        Resource::StateMachine => ("state machine", "state machines"),
        Resource::DispatchQueue => ("dispatch queue", "dispatch queues"),
        Resource::InterfaceLock => ("interface lock", "interface locks"),
        Resource::PortOut => ("port out", "ports out"),
        Resource::PortIn => ("port in", "ports in"),
        Resource::Link => ("link", "links"),
        Resource::Bus => ("memory bus", "memory buses"),
        Resource::DataBus => ("data bus", "data buses"),
        Resource::MemoryBank => ("memory bank", "memory banks"),
    }
}

/// The name of all parts of a kind.
pub(crate) const fn all(resource: Resource) -> &'static str {
    names(resource).1
}

/// The name of one part of a machine, from its kind and its own name within the kind: `link 3→4`, `the port in of node 0`.
pub(crate) fn one(resource: Resource, name: &str) -> String {
    let kind = names(resource).0;
    match resource == Resource::Link || name.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("{kind} {name}"),
        false => format!("the {kind} of {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_part_is_told_by_its_place() {
        assert_eq!(one(Resource::Link, "3→4"), "link 3→4");
        assert_eq!(one(Resource::PortIn, "node 0"), "the port in of node 0");
        assert_eq!(one(Resource::MemoryBank, "1 of node 3"), "memory bank 1 of node 3");
    }
}
