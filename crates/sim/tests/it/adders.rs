//! A small program that uses everything: requests and replies under keys, holds, polls, waits, phases.

use tempest::{
    Event, FinalState, Handler, Key, Keyed, NodeId, Operations, Protocol, Report, Setup, Thread, handlers,
};

const WORDS: u64 = 16;
const REQUESTS: u64 = 200;

/// Every thread adds to words of all other nodes, and now and then to a word of its own.
pub(crate) struct Adders {
    replies: Event,
    words: Keyed<u64>,
    threads: u64,
}

impl Protocol for Adders {
    type Config = ();
    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        let threads = u64::from(node.shape().threads);
        Self { replies: Event::new("replies"), words: node.keyed(WORDS as usize, |_| 0), threads }
    }
}

#[handlers]
impl Adders {
    #[message(key = word)]
    fn add(&self, word: u64, cx: &mut Handler<'_>) {
        let back = cx.source();
        cx.charge(Operations::NONE.loads(1).stores(1));
        cx.with(&self.words, |word, cx| {
            *word += 1;
            cx.send(back, Self::added(*word));
        });
    }

    #[message]
    fn added(&self, now: u64, cx: &mut Handler<'_>) {
        assert!(now > 0, "a reply comes after its addition");
        cx.signal(&self.replies, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.phase("adding");
        for request in 0..REQUESTS {
            let distance = 1 + request as u32 % (thread.nodes() - 1);
            let to = NodeId((thread.node().0 + distance) % thread.nodes());
            thread.send(to, Self::add(request % WORDS));
            thread.charge(Operations::NONE.flops(100));
            thread.poll();
            if request % 8 == 7 {
                thread.hold(Key::User(request % WORDS), |cx| cx.with(&self.words, |word, _| *word += 1));
            }
        }
        thread.wait(&self.replies, REQUESTS * self.threads);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let (replies, expected) = (self.replies.count(end), REQUESTS * self.threads);
        Report::checked(replies == expected, || format!("{replies} replies of {expected}"))
    }
}

/// A single thread polls for an event that never comes.
pub(crate) struct Poller;

impl Protocol for Poller {
    type Config = ();
    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self
    }
}

#[handlers]
impl Poller {
    fn main(&self, thread: &Thread<'_>) {
        while thread.node().0 == 0 && thread.index() == 0 {
            thread.poll();
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(true, String::new)
    }
}
