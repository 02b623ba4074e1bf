//! Homes that move to the nodes that use their pages: the condition for a move, and its two sides as pure transition functions.
//!
//! # Condition
//!
//! A home counts the consecutive requests of one other node, with none of a third node between and no fault of its own. When the
//! count reaches a bound, the page moves there. The default bound is two requests for each block of a page, and one more. A node
//! that reads all blocks once and writes them once does not reach it; a node that reaches it has come back for a block. By then it
//! has fetched more blocks than the move will send (D. Black and D. Sleator, *Competitive Algorithms for Replication and Migration
//! Problems*, 1989). The bound doubles with every move of the page: a page that two nodes use in turn moves as often as the
//! logarithm of the number of requests, and then stays.
//!
//! # Protocol
//!
//! 1. The home *offers* the page. The next home holds back new faults in it, waits for its outstanding transactions, gives up its
//!    copies and *accepts*. So none of its requests is in flight when it becomes the home.
//! 2. The home reclaims all copies of every block; requests wait at it from now on. After the last block it sends the words.
//! 3. The next home has all words, is the home, and says so: the page is *taken*. It serves requests from now on.
//! 4. The former home redirects the nodes whose requests wait to the new home, and caches blocks of the page like any other node.
//!
//! No other node is told. A former home redirects a node that asks it. Every such reply and every grant carries the number of
//! moves of the page at that time, and a node believes the greatest. So a request passes former homes in the order in which they
//! were homes, and arrives.
//!
//! Nothing here sends or touches memory: the explorer drives these very functions. This module must never know the meaning of a block's
//! states.

use std::num::NonZeroU32;

use tempest::NodeId;

use super::{ToCache, Unspecified};

/// Home of a page, and the number of times that the home has moved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Whereabouts {
    /// Number of times that the home of the page has moved.
    pub moves: u32,
    /// Home of the page since its last move.
    pub home: NodeId,
}

impl Whereabouts {
    /// Makes the whereabouts of a page that has never moved from `home`.
    pub fn first(home: NodeId) -> Self {
        Self { moves: 0, home }
    }

    /// Returns the whereabouts after one more move, to `home`.
    #[must_use]
    pub fn moved_to(self, home: NodeId) -> Self {
        Self { moves: self.moves + 1, home }
    }

    /// Whether a node that knows these whereabouts ignores `message`, which was sent when the page had moved `moves` times. It
    /// ignores a recall from a former home: words that the node had returned have answered it, or the page would not have moved,
    /// and the node's current copy comes from a later home.
    pub fn outdates(self, message: ToCache, moves: u32) -> bool {
        moves < self.moves && matches!(message, ToCache::RecallRead | ToCache::RecallWrite)
    }
}

/// Policy by which homes move: the number of consecutive requests of another node after which a page's home moves to that node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Migration {
    /// Number of consecutive requests of one other node before the first move of a page. Each move doubles it.
    pub after: NonZeroU32,
}

/// Consecutive requests for blocks of a page by one node other than the home.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Number of consecutive requests.
    pub requests: u32,
    /// Number of the node that made the requests; meaningless if there are none.
    pub by: u32,
}

impl Migration {
    /// Makes the default policy for pages of `blocks` blocks. A page first moves after 2 · `blocks` + 1 requests of one node: more
    /// than it takes to read and to write each block once.
    pub fn of_return(blocks: u32) -> Self {
        Self { after: NonZeroU32::MIN.saturating_add(2 * blocks) }
    }

    /// Largest number of moves of a page: a count of 32 bits cannot reach the bound for a further move.
    pub const MOST_MOVES: u32 = 32;

    /// Counts a request of node `by` in `usage`. Returns whether the page, which has moved `moves` times, is to move to `by`.
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

/// State of a node with respect to the home of a page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Residence {
    /// Another node is the home.
    Elsewhere,
    /// Another node is the home and has offered the page to this node: new faults wait, and this node's outstanding requests end.
    Invited,
    /// This node has accepted the page, has no copy of it, and waits for its words.
    Expecting,
    /// This node is the home.
    Here,
    /// This node is the home and has offered the page to the given node.
    Offering(NodeId),
    /// This node is the home and reclaims all copies of the page's blocks, to hand the page to the given node.
    Leaving(NodeId),
    /// This node was the home; the page's words are on their way to the given node.
    Sent(NodeId),
}

/// An event at one node in the move of a page's home.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResidenceEvent {
    /// The given node has made enough requests to this node to become the page's home.
    Earned(NodeId),
    /// The home offers the page to this node. The argument is the page's current whereabouts.
    Offered(Whereabouts),
    /// This node has no copy of the page and no outstanding request for it any more.
    Vacated,
    /// The next home accepts the page that this node has offered.
    Accepted,
    /// No other node has a copy of any block of the page.
    CalledIn,
    /// All words of the page have arrived.
    Arrived,
    /// The next home has all words of the page. The argument is the page's new whereabouts.
    Taken(Whereabouts),
}

/// An action of a node in the move of a page's home.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResidenceAction {
    /// Offer the given node to become the home of the page.
    Offer(NodeId),
    /// Let this node's outstanding requests for the page end, and give up all its copies.
    Vacate,
    /// Tell the home that this node has no copy and accepts the page.
    Accept,
    /// Reclaim all copies of the page's blocks from all nodes.
    CallIn,
    /// Send the words of all blocks of the page to the given node.
    SendWords(NodeId),
    /// Become the home of the page, and tell the former home.
    Adopt,
    /// Stop being the home of the page, and redirect the nodes whose requests wait to the given home.
    Release(Whereabouts),
}

impl Residence {
    /// Whether this node takes part in a move of the page.
    pub fn is_moving(self) -> bool {
        !matches!(self, Self::Elsewhere | Self::Here)
    }

    /// Whether faults of this node in the page wait until the page has arrived.
    pub fn holds_faults(self) -> bool {
        matches!(self, Self::Invited | Self::Expecting)
    }

    /// Serves `event` at a node for which `known` are the page's whereabouts. Calls `act` for each action to perform.
    ///
    /// # Errors
    /// [`Unspecified`] if no rule covers the event. The state is unchanged and no action is emitted.
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
            // The page is moving already, or has moved since.
            (state, Event::Earned(_)) => state,
            (Self::Elsewhere, Event::Offered(now)) if now == known || now.moves > known.moves => {
                act(ResidenceAction::Vacate);
                Self::Invited
            }
            // The page has been taken; this offer of a later home has overtaken the message that says so.
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
            // An offer has overtaken this message.
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
