//! The home's side of the protocol: one block's directory entry as a pure transition function.
//!
//! The table is that of a full-map, invalidation-based, home-centric directory: all data and acknowledgements go through the home,
//! and writing is granted only when every other copy is gone. Requests that arrive while copies are being reclaimed wait in the
//! entry itself, not in the queue: the message that ends the wait has the same key and stands behind them. The states' names in
//! the literature stand in brackets.
//!
//! An event is served in three steps, all under the block's key:
//! 1. [`Home::lowers`] returns the right to which the home's own node must be downgraded first;
//! 2. after the downgrade, [`Home::step`] changes the entry and emits the actions;
//! 3. [`Home::due`] returns the oldest waiting request that can be served now; it is served in the same three steps.
//!
//! When the home of the page moves, its own node asks for [`Want::Leave`]: every copy is reclaimed as for writing. The words then
//! wait to be sent and requests wait behind them, until [`Home::given_up`] returns those requests.
//! Nothing here sends, touches memory or knows a clock: the explorer drives these very functions.

use std::collections::VecDeque;

use tempest::{NodeId, Right, Tag};

use super::{NodeSet, ToCache, ToHome, Unspecified, Variant, Want};

/// The requester of a right to a block: to read or to write it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Asker {
    /// The home's own node: an access of its thread has faulted.
    Here,
    /// Another node, by a message.
    Node(NodeId),
}

/// A request for a right to a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Request {
    /// The node that requests the right.
    pub from: Asker,
    /// The right that is requested, and its purpose.
    pub want: Want,
}

impl Request {
    /// Returns the kind of recall that an owner must answer before this request can be granted: for reading, or for writing.
    fn recalls(self) -> Want {
        if self.want == Want::Read { Want::Read } else { Want::Write }
    }
}

/// An event at a block's directory entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HomeEvent {
    /// A fault of the home's own node, a request of another node, or a request that waited and is due.
    Request(Request),
    /// A message from the given node: its reply to a message of the home, or words that it returns.
    Answer(NodeId, ToHome),
}

impl HomeEvent {
    /// Makes the event of a fault of the home's own node that wants the right `wants`.
    pub fn fault(wants: Right) -> Self {
        Self::Request(Request { from: Asker::Here, want: wants.into() })
    }

    /// Makes the event by which a block leaves the home, because its page moves to another node.
    pub fn leave() -> Self {
        Self::Request(Request { from: Asker::Here, want: Want::Leave })
    }

    /// Makes the event of a message from another node.
    pub fn message(from: NodeId, message: ToHome) -> Self {
        match message.wants() {
            Some(want) => Self::Request(Request { from: Asker::Node(from), want }),
            None => Self::Answer(from, message),
        }
    }
}

/// An action of the home in response to an event. Actions are performed in the order in which they are emitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HomeAction {
    /// Send a message to another node, with the current words of the block if the message carries words.
    Send(NodeId, ToCache),
    /// Raise the right of the home's own node to this tag.
    Raise(Tag),
    /// Resume the threads of the home's own node that wait for this right to the block.
    Resume(Right),
    /// Count the block, for the move of its page, as reclaimed: no other node has a copy.
    CalledIn,
}

/// Directory state of a block. In brackets: the state's name in the literature.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum HomeState {
    /// Only the home has a copy, and its own node may write it (HW).
    Writable,
    /// The home's own node and these nodes may read (HR). The set may contain nodes that dropped their copy silently.
    Shared(NodeSet),
    /// This node may write; no other node has a copy (HX).
    Exclusive(NodeId),
    /// The home waits for copies to be destroyed before it grants a request (BI).
    Invalidating {
        /// The request that is granted when no node is awaited any more.
        request: Request,
        /// Nodes that have not acknowledged the invalidation yet. Never empty.
        awaited: NodeSet,
    },
    /// The home waits for the words from the block's owner (BS if the request is to read, BX if it is to write).
    Recalling {
        /// The owner of the block, to which the recall was sent.
        owner: NodeId,
        /// The request that is granted when the words are back; never an upgrade.
        request: Request,
        /// The part of the owner's reply that has arrived. Only an owner that is replacing the block replies in two parts.
        half: Half,
    },
    /// Only the home has the words, and it no longer uses them: they go to the page's next home.
    Leaving,
}

/// Part of the reply to a recall that has arrived at the home. In the robust variant, an owner that has returned the block's words
/// before the recall reaches it replies in two parts: those words, and an answer without words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Half {
    /// Neither message has arrived.
    Neither,
    /// The words have arrived.
    Put,
    /// The answer to the recall has arrived, without the words.
    Gone,
}

/// Directory entry of a block, at its home: the state, and the requests that wait.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Home {
    state: HomeState,
    /// Waiting requests in order of arrival: at most one from each other node. From the home's own node, at most one for each
    /// right and each time that its threads have been resumed since.
    waiting: VecDeque<Request>,
}

impl Default for Home {
    fn default() -> Self {
        Self { state: HomeState::Writable, waiting: VecDeque::new() }
    }
}

impl Home {
    /// Directory state of the block.
    pub fn state(&self) -> &HomeState {
        &self.state
    }

    /// Number of requests that wait in this entry.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Right of the home's own node to the block, when no event is being served.
    pub fn tag(&self) -> Tag {
        match &self.state {
            HomeState::Writable => Tag::Writable,
            HomeState::Invalidating { request: Request { want: Want::Leave, .. }, .. } => Tag::Invalid,
            HomeState::Shared(_)
            | HomeState::Invalidating { request: Request { from: Asker::Here, .. }, .. } => Tag::ReadOnly,
            _ => Tag::Invalid,
        }
    }

    /// Whether the entry waits for no reply, and the block's words are not about to go to another home.
    pub fn is_settled(&self) -> bool {
        !matches!(
            self.state,
            HomeState::Invalidating { .. } | HomeState::Recalling { .. } | HomeState::Leaving
        )
    }

    /// Consumes the entry and returns its waiting requests, once the block's words have gone to the page's next home.
    pub fn given_up(self) -> impl Iterator<Item = Request> {
        self.waiting.into_iter()
    }

    /// Returns the right to which the home's own node must be downgraded before `event` is served; `None` if it keeps its right.
    pub fn lowers(&self, event: HomeEvent) -> Option<Tag> {
        let HomeEvent::Request(Request { from, want }) = event else { return None };
        if from == Asker::Here && want != Want::Leave {
            return None;
        }
        match (&self.state, want) {
            (HomeState::Writable, Want::Read) => Some(Tag::ReadOnly),
            (HomeState::Writable | HomeState::Shared(_), Want::Write | Want::Upgrade | Want::Leave) => {
                Some(Tag::Invalid)
            }
            _ => None,
        }
    }

    /// Serves `event`, after the downgrade that [`lowers`](Self::lowers) demands. Calls `act` for each action to perform.
    ///
    /// # Errors
    /// [`Unspecified`] if no rule covers the event. The entry is unchanged and no action is emitted.
    pub fn step(
        &mut self,
        event: HomeEvent,
        variant: Variant,
        mut act: impl FnMut(HomeAction),
    ) -> Result<(), Unspecified> {
        let served = match event {
            HomeEvent::Request(request) => self.request(request, &mut act),
            HomeEvent::Answer(from, ToHome::Invalidated) => self.invalidated(from, &mut act),
            HomeEvent::Answer(from, ToHome::Kept) => self.answered(from, Want::Read, &mut act),
            HomeEvent::Answer(from, ToHome::Flushed) => self.answered(from, Want::Write, &mut act),
            HomeEvent::Answer(from, ToHome::Put) => self.put(from, variant, &mut act),
            HomeEvent::Answer(from, ToHome::Gone) if variant == Variant::Robust => self.gone(from, &mut act),
            HomeEvent::Answer(..) => None,
        };
        served.ok_or_else(|| Unspecified { event: format!("{event:?}"), state: format!("{:?}", self.state) })
    }

    /// Takes the oldest waiting request out of the entry, if it can be served now.
    pub fn due(&mut self) -> Option<HomeEvent> {
        if !self.is_settled() {
            return None;
        }
        self.waiting.pop_front().map(HomeEvent::Request)
    }

    fn request(&mut self, request: Request, act: &mut impl FnMut(HomeAction)) -> Option<()> {
        if !self.is_settled() {
            self.waiting.push_back(request);
            return Some(());
        }
        match request {
            Request { want: Want::Leave, .. } => return self.ask(request, act),
            Request { from: Asker::Here, want: Want::Read } if self.tag() >= Tag::ReadOnly => {
                act(HomeAction::Resume(Right::Read));
            }
            Request { from: Asker::Here, .. } if self.tag() == Tag::Writable => {
                act(HomeAction::Resume(Right::Write));
            }
            _ => return self.ask(request, act),
        }
        Some(())
    }

    /// Serves a request for a right that the requester does not have, in a settled state.
    fn ask(&mut self, request: Request, act: &mut impl FnMut(HomeAction)) -> Option<()> {
        match (&mut self.state, request) {
            (HomeState::Exclusive(owner), Request { from, want }) => {
                let owner = *owner;
                if from == Asker::Node(owner) {
                    return None;
                }
                let recall = if want == Want::Read { ToCache::RecallRead } else { ToCache::RecallWrite };
                act(HomeAction::Send(owner, recall));
                let want = if want == Want::Upgrade { Want::Write } else { want };
                let request = Request { from, want };
                self.state = HomeState::Recalling { owner, request, half: Half::Neither };
            }
            (HomeState::Writable, Request { from: Asker::Node(node), want: Want::Read }) => {
                self.state = HomeState::Shared(NodeSet::of(node));
                act(HomeAction::Send(node, ToCache::DataRead));
            }
            (HomeState::Shared(sharers), Request { from: Asker::Node(node), want: Want::Read }) => {
                sharers.insert(node);
                act(HomeAction::Send(node, ToCache::DataRead));
            }
            (HomeState::Writable, Request { from, want }) => {
                let want = if want == Want::Upgrade { Want::Write } else { want };
                self.grant(Request { from, want }, act);
            }
            (HomeState::Shared(sharers), Request { from, want }) => {
                let mut awaited = std::mem::take(sharers);
                let had_copy = matches!(from, Asker::Node(node) if awaited.remove(node));
                // A copy that was invalidated while the upgrade was in flight has to be sent again.
                let want = if want == Want::Upgrade && !had_copy { Want::Write } else { want };
                let request = Request { from, want };
                if awaited.is_empty() {
                    self.grant(request, act);
                } else {
                    awaited.iter().for_each(|node| act(HomeAction::Send(node, ToCache::Invalidate)));
                    self.state = HomeState::Invalidating { request, awaited };
                }
            }
            (HomeState::Invalidating { .. } | HomeState::Recalling { .. } | HomeState::Leaving, _) => {
                return None;
            }
        }
        Some(())
    }

    /// Grants `request` to write, or lets the home leave. No other node has a copy any more.
    fn grant(&mut self, request: Request, act: &mut impl FnMut(HomeAction)) {
        match request.from {
            Asker::Node(node) => {
                self.state = HomeState::Exclusive(node);
                let upgrade = request.want == Want::Upgrade;
                act(HomeAction::Send(node, if upgrade { ToCache::Upgraded } else { ToCache::DataWrite }));
            }
            Asker::Here if request.want == Want::Leave => {
                self.state = HomeState::Leaving;
                act(HomeAction::CalledIn);
            }
            Asker::Here => {
                self.state = HomeState::Writable;
                act(HomeAction::Raise(Tag::Writable));
                act(HomeAction::Resume(Right::Write));
            }
        }
    }

    fn invalidated(&mut self, from: NodeId, act: &mut impl FnMut(HomeAction)) -> Option<()> {
        let HomeState::Invalidating { request, awaited } = &mut self.state else { return None };
        if !awaited.remove(from) {
            return None;
        }
        if awaited.is_empty() {
            let request = *request;
            self.grant(request, act);
        }
        Some(())
    }

    /// Serves the reply of node `from` to a recall; `kind` is the right that the recall asked for.
    fn answered(&mut self, from: NodeId, kind: Want, act: &mut impl FnMut(HomeAction)) -> Option<()> {
        match self.state {
            HomeState::Recalling { owner, request, half: Half::Neither }
                if owner == from && request.recalls() == kind =>
            {
                self.recalled(request, (kind == Want::Read).then_some(owner), act);
                Some(())
            }
            _ => None,
        }
    }

    fn put(&mut self, from: NodeId, variant: Variant, act: &mut impl FnMut(HomeAction)) -> Option<()> {
        match &mut self.state {
            HomeState::Exclusive(owner) if *owner == from => {
                self.state = HomeState::Writable;
                act(HomeAction::Raise(Tag::Writable));
                if variant == Variant::Robust {
                    act(HomeAction::Send(from, ToCache::PutDone));
                }
                Some(())
            }
            HomeState::Recalling { owner, request, half } if *owner == from => {
                let request = *request;
                match (variant, *half) {
                    (Variant::Ordered, _) => self.recalled(request, None, act),
                    (Variant::Robust, Half::Neither) => *half = Half::Put,
                    (Variant::Robust, Half::Gone) => self.both_came(from, request, act),
                    (Variant::Robust, Half::Put) => return None,
                }
                Some(())
            }
            _ => None,
        }
    }

    fn gone(&mut self, from: NodeId, act: &mut impl FnMut(HomeAction)) -> Option<()> {
        match &mut self.state {
            HomeState::Recalling { owner, request, half } if *owner == from => {
                let request = *request;
                match *half {
                    Half::Neither => *half = Half::Gone,
                    Half::Put => self.both_came(from, request, act),
                    Half::Gone => return None,
                }
                Some(())
            }
            _ => None,
        }
    }

    fn both_came(&mut self, owner: NodeId, request: Request, act: &mut impl FnMut(HomeAction)) {
        act(HomeAction::Send(owner, ToCache::PutDone));
        self.recalled(request, None, act);
    }

    /// Grants `request` after the words are back. Node `keeper`, if any, still has a copy to read.
    fn recalled(&mut self, request: Request, keeper: Option<NodeId>, act: &mut impl FnMut(HomeAction)) {
        match (request, keeper) {
            (Request { want: Want::Write | Want::Upgrade | Want::Leave, .. }, _) => self.grant(request, act),
            // No other node has a copy: the home may as well write.
            (Request { from: Asker::Here, .. }, None) => {
                self.state = HomeState::Writable;
                act(HomeAction::Raise(Tag::Writable));
                act(HomeAction::Resume(Right::Read));
            }
            (Request { from, .. }, keeper) => {
                let mut sharers = NodeSet::default();
                keeper.into_iter().for_each(|node| sharers.insert(node));
                act(HomeAction::Raise(Tag::ReadOnly));
                match from {
                    Asker::Here => act(HomeAction::Resume(Right::Read)),
                    Asker::Node(node) => {
                        sharers.insert(node);
                        act(HomeAction::Send(node, ToCache::DataRead));
                    }
                }
                self.state = HomeState::Shared(sharers);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: NodeId = NodeId(1);
    const TWO: NodeId = NodeId(2);

    fn served(home: &mut Home, event: HomeEvent) -> Vec<HomeAction> {
        let mut actions = Vec::new();
        home.step(event, Variant::Ordered, |action| actions.push(action)).expect("a rule covers it");
        actions
    }

    fn told(home: &mut Home, from: NodeId, message: ToHome) -> Vec<HomeAction> {
        served(home, HomeEvent::message(from, message))
    }

    #[test]
    fn writing_is_granted_when_the_last_copy_is_gone() {
        let mut home = Home::default();
        assert_eq!(home.lowers(HomeEvent::message(ONE, ToHome::GetRead)), Some(Tag::ReadOnly));
        assert_eq!(told(&mut home, ONE, ToHome::GetRead), [HomeAction::Send(ONE, ToCache::DataRead)]);
        assert_eq!(told(&mut home, TWO, ToHome::GetRead), [HomeAction::Send(TWO, ToCache::DataRead)]);
        let invalidates = [ONE, TWO].map(|node| HomeAction::Send(node, ToCache::Invalidate));
        assert_eq!(served(&mut home, HomeEvent::fault(Right::Write)), invalidates);
        assert_eq!(home.tag(), Tag::ReadOnly, "the home reads on while it waits");
        assert_eq!(told(&mut home, TWO, ToHome::Invalidated), []);
        let grant = [HomeAction::Raise(Tag::Writable), HomeAction::Resume(Right::Write)];
        assert_eq!(told(&mut home, ONE, ToHome::Invalidated), grant);
        assert_eq!(home.state(), &HomeState::Writable);
    }

    #[test]
    fn an_upgrade_brings_no_words_unless_the_copy_has_gone() {
        let mut home = Home::default();
        told(&mut home, ONE, ToHome::GetRead);
        assert_eq!(home.lowers(HomeEvent::message(ONE, ToHome::Upgrade)), Some(Tag::Invalid));
        assert_eq!(told(&mut home, ONE, ToHome::Upgrade), [HomeAction::Send(ONE, ToCache::Upgraded)]);
        // Node 2 is not among the sharers any more: its copy was invalidated while its upgrade was in flight.
        assert_eq!(told(&mut home, TWO, ToHome::Upgrade), [HomeAction::Send(ONE, ToCache::RecallWrite)]);
        assert_eq!(told(&mut home, ONE, ToHome::Flushed), [HomeAction::Send(TWO, ToCache::DataWrite)]);
        assert_eq!(home.state(), &HomeState::Exclusive(TWO));
    }

    #[test]
    fn requests_wait_in_the_entry_and_are_served_in_order() {
        let mut home = Home::default();
        told(&mut home, ONE, ToHome::GetWrite);
        told(&mut home, TWO, ToHome::GetRead);
        assert_eq!(served(&mut home, HomeEvent::fault(Right::Read)), []);
        assert_eq!((home.waiting(), home.due()), (1, None));
        let shared = [HomeAction::Raise(Tag::ReadOnly), HomeAction::Send(TWO, ToCache::DataRead)];
        assert_eq!(told(&mut home, ONE, ToHome::Kept), shared);
        let due = home.due().expect("the fault waited");
        assert_eq!((due, home.due()), (HomeEvent::fault(Right::Read), None));
        assert_eq!(served(&mut home, due), [HomeAction::Resume(Right::Read)]);
    }

    #[test]
    fn a_home_that_leaves_calls_in_every_copy_and_lets_requests_wait() {
        let mut home = Home::default();
        told(&mut home, ONE, ToHome::GetRead);
        assert_eq!(home.lowers(HomeEvent::leave()), Some(Tag::Invalid));
        let called = [HomeAction::Send(ONE, ToCache::Invalidate)];
        assert_eq!((served(&mut home, HomeEvent::leave()), home.tag()), (called.to_vec(), Tag::Invalid));
        assert_eq!(told(&mut home, TWO, ToHome::GetRead), []);
        assert_eq!(told(&mut home, ONE, ToHome::Invalidated), [HomeAction::CalledIn]);
        assert_eq!(served(&mut home, HomeEvent::fault(Right::Write)), []);
        assert_eq!((home.tag(), home.due()), (Tag::Invalid, None));
        let waiting: Vec<_> = home.given_up().map(|request| request.from).collect();
        assert_eq!(waiting, [Asker::Node(TWO), Asker::Here]);
        let mut home = Home::default();
        told(&mut home, ONE, ToHome::GetWrite);
        assert_eq!(served(&mut home, HomeEvent::leave()), [HomeAction::Send(ONE, ToCache::RecallWrite)]);
        assert_eq!(told(&mut home, ONE, ToHome::Flushed), [HomeAction::CalledIn]);
    }

    #[test]
    fn what_no_rule_covers_changes_nothing() {
        let mut home = Home::default();
        told(&mut home, ONE, ToHome::GetWrite);
        let before = home.clone();
        for (from, message) in [
            (ONE, ToHome::GetRead),
            (ONE, ToHome::Invalidated),
            (ONE, ToHome::Kept),
            (TWO, ToHome::Put),
            (ONE, ToHome::Gone),
        ] {
            let event = HomeEvent::message(from, message);
            let error = home.step(event, Variant::Ordered, |action| panic!("{action:?}")).unwrap_err();
            assert!(error.to_string().ends_with("in state Exclusive(NodeId(1))"), "{error}");
            assert_eq!(home, before);
        }
    }

    #[test]
    fn an_unordered_put_answers_a_recall_only_with_gone() {
        let mut home = Home::default();
        let mut tell = |from, message| {
            let mut actions = Vec::new();
            let event = HomeEvent::message(from, message);
            home.step(event, Variant::Robust, |action| actions.push(action)).expect("a rule covers it");
            actions
        };
        tell(ONE, ToHome::GetWrite);
        tell(TWO, ToHome::GetWrite);
        assert_eq!(tell(ONE, ToHome::Gone), []);
        let answers = [(ONE, ToCache::PutDone), (TWO, ToCache::DataWrite)];
        assert_eq!(tell(ONE, ToHome::Put), answers.map(|(to, message)| HomeAction::Send(to, message)));
    }
}
