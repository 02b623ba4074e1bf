//! The names for people of the parts of a machine that can be a bottleneck. This module must never know how busy a part is.

use tempest::outcome::Resource;

/// The name of all parts of a kind.
pub(crate) const fn all(resource: Resource) -> &'static str {
    match resource {
        Resource::ComputingProcessor => "computing processors",
        Resource::DedicatedProcessor => "dedicated processors",
        Resource::EmbeddedProcessor => "embedded processors",
        Resource::NetworkProcessor => "network processors",
        Resource::StateMachine => "state machines",
        Resource::DispatchQueue => "dispatch queues",
        Resource::InterfaceLock => "interface locks",
        Resource::PortOut => "ports out",
        Resource::PortIn => "ports in",
        Resource::Link => "links",
        Resource::Bus => "memory buses",
        Resource::DataBus => "data buses",
        Resource::MemoryBank => "memory banks",
    }
}

/// The name of one part, by its name among those of its kind: `link 3→4`, `the port in of node 0`.
pub(crate) fn one(resource: Resource, name: &str) -> String {
    let kind = match resource {
        Resource::Link => return format!("link {name}"),
        Resource::ComputingProcessor => "computing processor",
        Resource::DedicatedProcessor => "dedicated processor",
        Resource::EmbeddedProcessor => "embedded processor",
        Resource::NetworkProcessor => "network processor",
        Resource::StateMachine => "state machine",
        Resource::DispatchQueue => "dispatch queue",
        Resource::InterfaceLock => "interface lock",
        Resource::PortOut => "port out",
        Resource::PortIn => "port in",
        Resource::Bus => "memory bus",
        Resource::DataBus => "data bus",
        Resource::MemoryBank => "memory bank",
    };
    match name.starts_with(|first: char| first.is_ascii_digit()) {
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
