//! The table of a policy on the nodes of a machine: for each class of messages, the processors that run its handlers.
//!
//! The policy states the table. The machine restricts it: a network processor runs the handlers of some classes only, and a
//! state machine none of a program's. This module must never know how an event gets to its server.

use machine::{ByClass, Class, Machine};
use tempest::Policy;
use tempest::policy::{Injector, Server};

use crate::link::cargo::named;

/// The servers of each class; `None` for a class that no processor of the node serves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Service(ByClass<Option<Server>>);

impl Service {
    /// The table of a policy on a machine.
    pub(crate) fn of(machine: &Machine, policy: &Policy) -> Self {
        let always = |class| {
            let network = machine.network_processor.as_ref();
            network.is_some_and(|network| asks_for_network(policy) && network.always.contains(&class))
        };
        let runs =
            |class| machine.network_processor.as_ref().is_some_and(|network| network.runs.contains(&class));
        Self(ByClass::each(|class| match policy.server(named(class)) {
            Server::Computing if always(class) => Some(Server::Network),
            Server::Network | Server::Either if !runs(class) => Some(Server::Computing),
            Server::Hardware => Self::of_hardware().0.of(class),
            server => Some(server),
        }))
    }

    /// The table of a node with a hardware state machine, which has no handlers of programs.
    pub(super) fn of_hardware() -> Self {
        let programs = |class| matches!(class, Class::User | Class::Atomic);
        Self(ByClass::each(|class| (!programs(class)).then_some(Server::Hardware)))
    }

    /// Whether a class is served by some processor of the node.
    pub(crate) fn serves(self, class: Class) -> bool {
        self.0.of(class).is_some()
    }

    /// Whether a network processor runs handlers of a class, alone or beside computing processors.
    pub(crate) fn network_runs(self, class: Class) -> bool {
        matches!(self.0.of(class), Some(Server::Network | Server::Either))
    }

    /// Whether a network processor runs the handlers of any class.
    pub(crate) fn network_runs_any(self) -> bool {
        Class::ALL.into_iter().any(|class| self.network_runs(class))
    }

    /// Whether computing processors run handlers of a class beside a network processor.
    pub(crate) fn shares(self, class: Class) -> bool {
        self.0.of(class) == Some(Server::Either)
    }
}

/// Whether a policy puts network processors to work, where a node has them.
pub(super) fn asks_for_network(policy: &Policy) -> bool {
    let serves = |class| matches!(policy.server(class), Server::Network | Server::Either);
    policy.injector == Injector::Network || tempest::Class::ALL.into_iter().any(serves)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(machine: &str, policy: &str) -> Service {
        let path = format!("{}/../../machines/{machine}.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("a shipped machine");
        let machine = Machine::parse(machine, &text).expect("a shipped machine is right");
        Service::of(&machine, &policy.parse().expect("a policy"))
    }

    #[test]
    fn a_network_processor_runs_the_classes_that_policy_and_machine_let_it() {
        for (policy, read, user) in [("np", true, false), ("inject", true, false), ("proc", false, false)] {
            let service = service("paragon", policy);
            assert_eq!(
                (service.network_runs(Class::Read), service.network_runs(Class::User)),
                (read, user),
                "{policy}"
            );
            assert!(service.serves(Class::User) && !service.shares(Class::Read));
        }
        assert!(service("paragon", "receive").shares(Class::Reply));
    }

    #[test]
    fn a_class_of_machine_files_is_the_class_of_messages_of_its_name() {
        for class in Class::ALL {
            assert_eq!(named(class).name(), class.name());
        }
    }

    #[test]
    fn a_statement_of_the_policy_comes_before_its_arrangement() {
        assert!(service("meiko-cs2", "proc+serve=read:network").network_runs(Class::Read));
        assert!(!service("meiko-cs2", "np+serve=read:computing").network_runs(Class::Read));
        assert!(
            !service("paragon", "proc+serve=user:network").network_runs(Class::User),
            "the machine cannot"
        );
    }
}
