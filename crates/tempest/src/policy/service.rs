//! The servers of a node's events, and the classes whose server a policy states apart from its arrangement of processors.
//!
//! [`Policy::server`](crate::Policy::server) gives the server of each class, on a node that has every kind of processor. A world
//! restricts it to the machine's processors. This module must never know an arrangement of processors.

use std::fmt;

use crate::Class;

/// The processors that run the handlers of a class of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Server {
    /// Processors that run threads.
    Computing,
    /// Processors that run handlers and nothing else, of the node or in its interface device.
    Dedicated,
    /// The network processors of the node.
    Network,
    /// A computing processor or a network processor, whichever is free.
    Either,
    /// A hardware state machine.
    Hardware,
}

impl Server {
    /// The servers that the option `+serve` may name, with their names.
    const NAMED: [(&'static str, Self); 2] = [("computing", Self::Computing), ("network", Self::Network)];
}

/// The classes whose server a policy states apart from its arrangement of processors, as by `+serve=bulk:network`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Stated([Option<Server>; Class::ALL.len()]);

impl Stated {
    /// Records the server of a class from the text `CLASS:SERVER`. Returns `None`, and records nothing, if the text
    /// names no class or no server.
    pub(super) fn state(&mut self, text: &str) -> Option<()> {
        let (class, server) = text.split_once(':')?;
        let class = Class::ALL.into_iter().find(|known| known.name() == class)?;
        let (_, server) = Server::NAMED.into_iter().find(|(name, _)| *name == server)?;
        self.0[class as usize] = Some(server);
        Some(())
    }

    /// The server that the policy states for a class; `None` if it states none.
    pub(super) fn of(&self, class: Class) -> Option<Server> {
        self.0[class as usize]
    }

    /// The texts of the options that state these servers, without `+`, such as `serve=bulk:network`.
    pub(super) fn options(&self) -> impl Iterator<Item = String> {
        let stated = Class::ALL.into_iter().zip(self.0);
        stated.filter_map(|(class, server)| {
            let (name, _) = Server::NAMED.into_iter().find(|(_, named)| Some(*named) == server)?;
            Some(format!("serve={}:{name}", class.name()))
        })
    }

    /// Whether the policy states `server` for at least one class.
    pub(super) fn has(&self, server: Server) -> bool {
        self.0.contains(&Some(server))
    }
}

/// Writes the expected form of the value of `+serve`, for errors: the classes and the servers that it may name.
pub(super) fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let classes = Class::ALL.map(Class::name).join(", ");
    let servers = Server::NAMED.map(|(name, _)| name).join(" or ");
    write!(f, "expected CLASS:SERVER, a class of {classes}, and as its server {servers}")
}
