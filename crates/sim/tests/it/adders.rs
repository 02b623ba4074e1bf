//! A small program that uses everything: requests and replies under keys, holds, polls, waits, phases.

use bytemuck::{Pod, Zeroable};
use tempest::{
    Event, Handler, Key, Keyed, Message, NodeId, Operations, Program, Protocol, Quiet, Report, Setup, Thread,
};

const WORDS: u64 = 16;
const REQUESTS: u64 = 200;

/// Every thread adds to words of all other nodes, and now and then to one of its own.
pub(crate) struct Adders {
    replies: Event,
    words: Keyed<u64>,
    threads: u64,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Add {
    word: u64,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Added {
    now: u64,
}

impl Message for Add {
    type Protocol = Adders;
    fn key(&self) -> Key {
        Key::User(self.word)
    }
    fn handle(self, adders: &Adders, _: &[u64], cx: &mut Handler<'_>) {
        let back = cx.source();
        cx.charge(Operations::NONE.loads(1).stores(1));
        cx.with(&adders.words, |word, cx| {
            *word += 1;
            cx.send(back, Added { now: *word });
        });
    }
}

impl Message for Added {
    type Protocol = Adders;
    fn key(&self) -> Key {
        Key::NoSync
    }
    fn handle(self, adders: &Adders, _: &[u64], cx: &mut Handler<'_>) {
        assert!(self.now > 0, "a reply comes after its addition");
        cx.signal(&adders.replies, 1);
    }
}

impl tempest::Handlers for Adders {
    fn register(messages: &mut tempest::Messages<'_, Self>) {
        messages.add::<Add>();
        messages.add::<Added>();
    }
}

impl Protocol for Adders {
    type Config = ();
    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        let threads = u64::from(node.shape().threads);
        Self { replies: Event::new("replies"), words: node.keyed(WORDS as usize, |_| 0), threads }
    }
}

impl Program for Adders {
    fn main(&self, thread: &Thread<'_>) {
        thread.phase("adding");
        for request in 0..REQUESTS {
            let distance = 1 + request as u32 % (thread.nodes() - 1);
            let to = NodeId((thread.node().0 + distance) % thread.nodes());
            thread.send(to, Add { word: request % WORDS });
            thread.charge(Operations::NONE.flops(100));
            thread.poll();
            if request % 8 == 7 {
                thread.hold(Key::User(request % WORDS), |cx| cx.with(&self.words, |word, _| *word += 1));
            }
        }
        thread.wait(&self.replies, REQUESTS * self.threads);
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        let (replies, expected) = (self.replies.count(), REQUESTS * self.threads);
        Report::checked(replies == expected, || format!("{replies} replies of {expected}"))
    }
}

/// One thread polls for something that never comes.
pub(crate) struct Poller;

impl tempest::Handlers for Poller {
    fn register(_: &mut tempest::Messages<'_, Self>) {}
}

impl Protocol for Poller {
    type Config = ();
    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self
    }
}

impl Program for Poller {
    fn main(&self, thread: &Thread<'_>) {
        while thread.node().0 == 0 && thread.index() == 0 {
            thread.poll();
        }
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        Report::checked(true, String::new)
    }
}
