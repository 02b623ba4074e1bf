//! The table of a policy that says who serves what: for each class of messages, and for faults, the server.
//!
//! A policy states the table for a node that has every kind of processor. A world restricts it to the machine's
//! processors. No other module may decide which processor runs the handlers of a class.

use std::fmt;

use super::arrangement::{Policy, Servers};
use crate::Class;

/// The processors that run the handlers of a class of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Server {
    /// The processors that run threads: the only one, or any that is idle.
    Computing,
    /// Processors that run handlers and nothing else, of the node or in its interface device.
    Dedicated,
    /// The network processor.
    Network,
    /// A computing processor or the network processor, whichever is free.
    Either,
    /// A hardware state machine.
    Hardware,
}

impl Server {
    /// The servers that the option `+serve` may name, by name.
    const NAMED: [(&'static str, Self); 2] = [("computing", Self::Computing), ("network", Self::Network)];

    /// The server of all events under an arrangement of processors, where nothing else is stated.
    const fn of(servers: Servers) -> Self {
        match servers {
            Servers::Compute | Servers::Idle | Servers::Adaptive => Self::Computing,
            Servers::Taken | Servers::Added | Servers::Embedded => Self::Dedicated,
            Servers::Network => Self::Network,
            Servers::Either => Self::Either,
            Servers::Hardware => Self::Hardware,
        }
    }
}

/// The classes whose server a policy states apart from its arrangement of processors, as by `+serve=bulk:network`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Stated([Option<Server>; Class::ALL.len()]);

impl Stated {
    /// States the server of a class, both as the text `CLASS:SERVER` names them. `None` if it names no class or no server.
    pub(super) fn state(&mut self, text: &str) -> Option<()> {
        let (class, server) = text.split_once(':')?;
        let class = Class::ALL.into_iter().find(|known| known.name() == class)?;
        let (_, server) = Server::NAMED.into_iter().find(|(name, _)| *name == server)?;
        self.0[class as usize] = Some(server);
        Some(())
    }

    /// The options that state these servers.
    pub(super) fn options(&self) -> impl Iterator<Item = String> {
        let stated = Class::ALL.into_iter().zip(self.0);
        stated.filter_map(|(class, server)| {
            let (name, _) = Server::NAMED.into_iter().find(|(_, named)| Some(*named) == server)?;
            Some(format!("serve={}:{name}", class.name()))
        })
    }

    /// Whether a class is stated to be served by a server.
    pub(super) fn has(&self, server: Server) -> bool {
        self.0.contains(&Some(server))
    }
}

/// The form of a statement, for errors: the classes and the servers that it may name.
pub(super) fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let classes = Class::ALL.map(Class::name).join(", ");
    let servers = Server::NAMED.map(|(name, _)| name).join(" or ");
    write!(f, "expected CLASS:SERVER, a class of {classes}, and as its server {servers}")
}

impl Policy {
    /// The processors that run the handlers of messages of a class, on a node that has them.
    pub fn server(&self, class: Class) -> Server {
        self.stated.0[class as usize].unwrap_or(Server::of(self.servers))
    }

    /// The processors that run the handlers of faults. A network processor sees no fault of a computing processor.
    pub fn server_of_faults(&self) -> Server {
        match Server::of(self.servers) {
            Server::Network | Server::Either => Server::Computing,
            server => server,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(text: &str) -> Policy {
        text.parse().unwrap()
    }

    #[test]
    fn every_class_has_the_server_of_the_arrangement_unless_stated() {
        for (text, server) in [
            ("single", Server::Computing),
            ("fixed:2", Server::Dedicated),
            ("np", Server::Network),
            ("receive", Server::Either),
            ("s-coma", Server::Hardware),
        ] {
            for class in Class::ALL {
                assert_eq!(policy(text).server(class), server, "{text}");
            }
        }
        let np = policy("np+serve=atomic:computing");
        assert_eq!((np.server(Class::Atomic), np.server(Class::User)), (Server::Computing, Server::Network));
        assert_eq!(policy("proc+serve=bulk:network").server(Class::Bulk), Server::Network);
    }

    #[test]
    fn a_network_processor_serves_no_fault() {
        assert_eq!(policy("np").server_of_faults(), Server::Computing);
        assert_eq!(policy("fixed").server_of_faults(), Server::Dedicated);
    }

    #[test]
    fn statements_are_written_back_in_the_order_of_classes() {
        let text = "np+serve=read:computing+serve=bulk:computing";
        assert_eq!(policy("np+serve=bulk:computing+serve=read:computing").to_string(), text);
        for text in ["np+serve=atoms:computing", "np+serve=atomic:nobody", "np+serve=atomic"] {
            assert!(
                text.parse::<Policy>().unwrap_err().to_string().contains("expected CLASS:SERVER"),
                "{text}"
            );
        }
    }
}
