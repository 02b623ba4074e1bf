//! Homes that move to the nodes that use their pages: when one moves, and the two sides of a move, as pure transition functions.
//!
//! # When
//!
//! A home counts the requests of one other node that come in a row, with none of a third node between and no fault of its own.
//! When they reach a bound the page moves there. The bound is a number of requests. By default it is two for each block of a page, and one
//! more: a node that reads all blocks once and writes them once does not reach it, so whoever does has come back for a block. It has
//! brought more blocks by then than the move will (D. Black and D. Sleator, *Competitive Algorithms for Replication and Migration
//! Problems*, 1989). The bound doubles with every move of the page: a page that two nodes use in turn moves as often as the logarithm of
//! the number of requests, and then stays.
//!
//! # How
//!
//! 1. The home *offers* the page. Its next home lets no fault begin anything there any more, waits for what is under way, gives up its
//!    copies and *accepts*. So nothing that it has asked for is on its way when it becomes the home.
//! 2. The home calls in every block; requests wait at it from now on. When all are in, it sends the words.
//! 3. The next home has all words, is the home, and says so: the page is *taken*. It serves requests from now on.
//! 4. The former home tells those whose requests wait where to ask, and caches blocks of the page like any other node.
//!
//! Nobody else is told. A node that asks a former home is told what that one knows; every such answer and every grant says how often the
//! page had moved by then, and a node believes the one that says the most. So a request passes former homes in the order in which they
//! were homes, and arrives.
//!
//! Nothing here sends or touches memory: the explorer drives these very functions. This module must never know what a block's states mean.

use std::num::NonZeroU32;

use tempest::NodeId;

use super::{ToCache, Unspecified};

/// A page's home, and how often the page had moved by then.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Whereabouts {
    /// How often the page has moved.
    pub moves: u32,
    /// Its home since.
    pub home: NodeId,
}

impl Whereabouts {
    /// Where a page is that has never moved.
    pub fn first(home: NodeId) -> Self {
        Self { moves: 0, home }
    }

    /// Where the page is when it has moved once more.
    #[must_use]
    pub fn moved_to(self, home: NodeId) -> Self {
        Self { moves: self.moves + 1, home }
    }

    /// Whether a node that knows this much ignores a message of a home since which the page had moved `moves` times. A former home's
    /// recall has been answered by words that were put, or the page would not have moved: what the node has now is of a later home.
    pub fn outdates(self, message: ToCache, moves: u32) -> bool {
        moves < self.moves && matches!(message, ToCache::RecallRead | ToCache::RecallWrite)
    }
}

/// The policy: after how many requests in a row of one other node a page's home moves there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Migration {
    /// The number of requests before a page moves for the first time. Each move doubles it.
    pub after: NonZeroU32,
}

/// The requests in a row for blocks of a page by one other node than the home.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// The number of requests.
    pub requests: u32,
    /// Whose they are, if they are any.
    pub by: u32,
}

impl Migration {
    /// A page of so many blocks moves for the first time when a node that may have read and written each of them once asks again.
    pub fn of_return(blocks: u32) -> Self {
        Self { after: NonZeroU32::MIN.saturating_add(2 * blocks) }
    }

    /// The most moves of a page: a count of 32 bits does not reach the bound after that.
    pub const MOST_MOVES: u32 = 32;

    /// Counts a request of another node. Returns whether the page, having moved `moves` times, moves there.
    pub fn has_earned(self, usage: &mut Usage, by: NodeId, moves: u32) -> bool {
        let before = if usage.by == by.0 { usage.requests } else { 0 };
        *usage = Usage { requests: before.saturating_add(1), by: by.0 };
        let earned = u64::from(usage.requests) >= u64::from(self.after.get()) << moves.min(Self::MOST_MOVES);
        if earned {
            *usage = Usage::default();
        }
        earned
    }
}

/// What a node has to do with the home of a page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Residence {
    /// Another node is the home.
    Elsewhere,
    /// Another node is, and has offered the page: faults wait, and what is under way ends.
    Invited,
    /// The words are on their way, and nothing else.
    Expecting,
    /// This node is the home.
    Here,
    /// It is, and has offered the page.
    Offering(NodeId),
    /// It is, and calls in every block.
    Leaving(NodeId),
    /// It was: the words are on their way to the next home.
    Sent(NodeId),
}

/// What happens to the home of a page, as one node sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResidenceEvent {
    /// Another node has asked this one so often that it should be the home.
    Earned(NodeId),
    /// The home, which is where the page is then, offers it.
    Offered(Whereabouts),
    /// Nothing of the page is here or on its way any more.
    Vacated,
    /// The node that the page was offered to accepts.
    Accepted,
    /// Every block has been called in.
    CalledIn,
    /// All words have come.
    Arrived,
    /// The next home, which is where the page is then, has the words.
    Taken(Whereabouts),
}

/// What a node is to do about the home of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResidenceAction {
    /// Offer the page.
    Offer(NodeId),
    /// Let what is under way end, and give up all copies.
    Vacate,
    /// Tell the home that nothing is here.
    Accept,
    /// Call in every block.
    CallIn,
    /// Send the words of all blocks.
    SendWords(NodeId),
    /// Be the home, and tell the former one.
    Adopt,
    /// Be the home no more: tell those whose requests wait.
    Release(Whereabouts),
}

impl Residence {
    /// Whether a move is under way at this node.
    pub fn is_moving(self) -> bool {
        !matches!(self, Self::Elsewhere | Self::Here)
    }

    /// Whether faults wait until the page has arrived.
    pub fn holds_faults(self) -> bool {
        matches!(self, Self::Invited | Self::Expecting)
    }

    /// Serves an event at a node that knows where the page is.
    ///
    /// # Errors
    /// [`Unspecified`], with nothing changed and nothing to do, if no rule covers it.
    pub fn step(
        &mut self,
        known: Whereabouts,
        event: ResidenceEvent,
        mut act: impl FnMut(ResidenceAction),
    ) -> Result<(), Unspecified> {
        use ResidenceEvent as Event;
        *self = match (*self, event) {
            (Self::Here, Event::Earned(to)) if to != known.home && known.moves < Migration::MOST_MOVES => {
                act(ResidenceAction::Offer(to));
                Self::Offering(to)
            }
            // It moves already, or has moved since.
            (state, Event::Earned(_)) => state,
            (Self::Elsewhere, Event::Offered(now)) if now == known || now.moves > known.moves => {
                act(ResidenceAction::Vacate);
                Self::Invited
            }
            // The page has been taken, and this offer of a later home has overtaken the message that says so.
            (Self::Sent(_), Event::Offered(now)) if now.moves > known.moves => {
                act(ResidenceAction::Release(now));
                act(ResidenceAction::Vacate);
                Self::Invited
            }
            (Self::Invited, Event::Vacated) => {
                act(ResidenceAction::Accept);
                Self::Expecting
            }
            (Self::Offering(to), Event::Accepted) => {
                act(ResidenceAction::CallIn);
                Self::Leaving(to)
            }
            (Self::Leaving(to), Event::CalledIn) => {
                act(ResidenceAction::SendWords(to));
                Self::Sent(to)
            }
            (Self::Expecting, Event::Arrived) => {
                act(ResidenceAction::Adopt);
                Self::Here
            }
            (Self::Sent(to), Event::Taken(now)) if now == known.moved_to(to) => {
                act(ResidenceAction::Release(now));
                Self::Elsewhere
            }
            // An offer has overtaken it.
            (state, Event::Taken(now)) if now.moves <= known.moves => state,
            (state, event) => {
                return Err(Unspecified { event: format!("{event:?}"), state: format!("{state:?}") });
            }
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: NodeId = NodeId(0);
    const THERE: NodeId = NodeId(1);

    fn served(state: &mut Residence, known: Whereabouts, event: ResidenceEvent) -> Vec<ResidenceAction> {
        let mut actions = Vec::new();
        state.step(known, event, |action| actions.push(action)).expect("a rule covers it");
        actions
    }

    #[test]
    fn a_page_moves_by_an_offer_and_three_answers() {
        let known = Whereabouts::first(HERE);
        let (mut home, mut next) = (Residence::Here, Residence::Elsewhere);
        let earned = served(&mut home, known, ResidenceEvent::Earned(THERE));
        assert_eq!(earned, [ResidenceAction::Offer(THERE)]);
        assert_eq!(served(&mut home, known, ResidenceEvent::Earned(THERE)), [], "it moves already");
        assert_eq!(served(&mut next, known, ResidenceEvent::Offered(known)), [ResidenceAction::Vacate]);
        assert!(next.holds_faults());
        assert_eq!(served(&mut next, known, ResidenceEvent::Vacated), [ResidenceAction::Accept]);
        assert_eq!(served(&mut home, known, ResidenceEvent::Accepted), [ResidenceAction::CallIn]);
        let sent = served(&mut home, known, ResidenceEvent::CalledIn);
        assert_eq!(sent, [ResidenceAction::SendWords(THERE)]);
        assert_eq!(served(&mut next, known, ResidenceEvent::Arrived), [ResidenceAction::Adopt]);
        let now = known.moved_to(THERE);
        let taken = served(&mut home, known, ResidenceEvent::Taken(now));
        assert_eq!(
            (taken, home, next),
            (vec![ResidenceAction::Release(now)], Residence::Elsewhere, Residence::Here)
        );
    }

    #[test]
    fn an_offer_that_overtakes_says_that_the_page_was_taken() {
        let known = Whereabouts::first(HERE);
        let now = known.moved_to(THERE);
        let mut state = Residence::Sent(THERE);
        let offered = served(&mut state, known, ResidenceEvent::Offered(now));
        assert_eq!(offered, [ResidenceAction::Release(now), ResidenceAction::Vacate]);
        assert_eq!(served(&mut state, now, ResidenceEvent::Taken(now)), []);
        assert_eq!(state, Residence::Invited);
    }

    #[test]
    fn what_nobody_has_asked_for_is_refused() {
        let known = Whereabouts::first(HERE);
        for (mut state, event) in [
            (Residence::Here, ResidenceEvent::Accepted),
            (Residence::Here, ResidenceEvent::Offered(known)),
            (Residence::Elsewhere, ResidenceEvent::Offered(Whereabouts::first(NodeId(2)))),
            (Residence::Elsewhere, ResidenceEvent::Arrived),
            (Residence::Elsewhere, ResidenceEvent::Taken(known.moved_to(THERE))),
            (Residence::Sent(THERE), ResidenceEvent::Taken(known.moved_to(NodeId(2)))),
        ] {
            let before = state;
            assert!(state.step(known, event, |action| panic!("{action:?}")).is_err(), "{state:?} {event:?}");
            assert_eq!(state, before);
        }
    }

    #[test]
    fn requests_in_a_row_earn_a_page_and_each_move_doubles_their_number() {
        let migration = Migration { after: NonZeroU32::MIN.saturating_add(2) };
        let mut usage = Usage::default();
        let mut ask = |by, moves| migration.has_earned(&mut usage, NodeId(by), moves);
        assert_eq!([1, 1, 2, 1, 1, 1].map(|by| ask(by, 0)), [false, false, false, false, false, true]);
        assert_eq!([1; 6].map(|by| ask(by, 1)), [false, false, false, false, false, true]);
        assert!(!(0..100).any(|_| ask(1, Migration::MOST_MOVES)));
    }
}
