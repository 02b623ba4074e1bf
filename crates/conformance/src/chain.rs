//! Handlers that cause handlers: a node sends to itself, and a world does not end before the chain does.

use tempest::{Cells, Event, FinalState, Handler, Key, NodeId, Protocol, Report, Setup, Thread, handlers};

use crate::Setting;

/// Links of each chain.
const LINKS: u64 = 500;

/// A thread and a handler send to their own node as to any other.
pub fn self_sends(setting: &Setting<'_>) {
    setting.verified::<Chain>("self_sends", Path::Own, 1);
}

/// After all threads have returned, messages in flight still arrive, and so do the messages that their handlers send.
pub fn ending_waits_for_messages(setting: &Setting<'_>) {
    setting.verified::<Chain>("ending_waits_for_messages", Path::Round, 1);
}

/// Path of a chain.
#[derive(Clone, Copy)]
enum Path {
    /// Within its node; threads wait for its end.
    Own,
    /// From node to node; threads return at once.
    Round,
}

struct Chain {
    path: Path,
    /// Handlers that have run here.
    links: Cells<u64>,
    ended: Event,
}

impl Protocol for Chain {
    type Config = Path;

    fn install(&path: &Path, _: &mut Setup<'_>) -> Self {
        Self { path, links: Cells::new(1, 0), ended: Event::new("conformance.ended") }
    }
}

impl Chain {
    fn next(&self, node: NodeId, nodes: u32) -> NodeId {
        match self.path {
            Path::Own => node,
            Path::Round => NodeId((node.0 + 1) % nodes),
        }
    }
}

#[handlers]
impl Chain {
    #[message(key = match left % 3 {
            0 => Key::NoSync,
            1 => Key::Sequential,
            _ => Key::User(left),
        })]
    fn link(&self, left: u64, cx: &mut Handler<'_>) {
        self.links.add(cx, 0, 1);
        match left.checked_sub(1) {
            Some(left) => {
                let to = self.next(cx.node(), cx.nodes());
                cx.send(to, Self::link(left));
            }
            None => cx.signal(&self.ended, 1),
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.index() == 0 {
            thread.send(self.next(thread.node(), thread.nodes()), Self::link(LINKS - 1));
        }
        if let Path::Own = self.path {
            thread.wait(&self.ended, 1);
        }
    }

    /// A chain starts at each node and all go the same way, so that each node sees as many links.
    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let (links, ends) = (self.links.get(end, 0), self.ended.count(end));
        Report::checked(links == LINKS && ends == 1, || {
            format!("{links} links and {ends} ends of chains: expected {LINKS} and 1")
        })
    }
}
