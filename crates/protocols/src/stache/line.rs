//! The cache side of the protocol: the entry of a block whose home is another node, as a pure transition function.
//!
//! One transaction per node and block is outstanding at a time; faults meanwhile join it. The states' names in the literature stand
//! in brackets. An event is served as at the home: [`Line::lowers`], then [`Line::step`], then [`due`](Line::due). A block whose
//! page has no frame here is `Invalid`: late invalidations are acknowledged, late recalls answered or ignored, without any memory.
//!
//! Nothing here sends, touches memory or knows a clock: the explorer drives these very functions.

use tempest::{Right, Tag};

use super::{ToCache, ToHome, Unspecified, Variant};

/// State of a block at a node that is not its home: the node's copy, or its outstanding request. In brackets: the state's name in
/// the literature.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum LineState {
    /// The node has no copy (I).
    #[default]
    Invalid,
    /// The node has a copy to read (S).
    ReadOnly,
    /// The node has the only copy, and may write it (M).
    Writable,
    /// The node has no copy and has requested one to read (IS).
    Reading,
    /// The node has no copy and has requested one to write (IM), or an upgrade of a copy that was invalidated since.
    Writing,
    /// The node has a copy to read and has requested to write it (SM).
    Upgrading,
    /// The node has no copy; the words that it returned to the home may still be in flight (MI). Robust variant only.
    Putting,
    /// The node has no copy and has requested one to read, but the data in flight may be out of date (ISI). Robust variant only.
    ReadingAgain,
}

/// An event of a block at a node that is not its home.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEvent {
    /// A thread of this node tried an access that needs this right, and the block's tag forbade the access.
    Fault(Right),
    /// A message from the block's home has arrived.
    Message(ToCache),
    /// The block is replaced: its frame is needed for another page.
    Replace,
}

/// An action of the node in response to an event. Actions are performed in the order in which they are emitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineAction {
    /// Send a message to the home, with the current words of the block if the message carries words.
    Send(ToHome),
    /// Raise the node's right to the block to this tag.
    Raise(Tag),
    /// Resume the threads of the node that wait for this right.
    Resume(Right),
}

/// Cache entry of a block at a node that is not its home: its state, and the rights that the node's threads wait for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Line {
    /// The node's copy, or its outstanding request.
    pub state: LineState,
    /// Whether a thread of this node waits to read the block.
    pub wants_read: bool,
    /// Whether a thread of this node waits to write the block.
    pub wants_write: bool,
    /// A recall that arrived before the grant that it is to revoke, and waits for it. Robust variant only.
    pub deferred: Option<ToCache>,
}

impl Line {
    /// Right of the node to the block, when no event is being served.
    pub fn tag(self) -> Tag {
        match self.state {
            LineState::Writable => Tag::Writable,
            LineState::ReadOnly | LineState::Upgrading => Tag::ReadOnly,
            _ => Tag::Invalid,
        }
    }

    /// Whether a request of this node for the block is outstanding. The block's frame then cannot be given to another page.
    pub fn is_busy(self) -> bool {
        match self.state {
            LineState::Invalid | LineState::ReadOnly | LineState::Writable => false,
            LineState::Putting => self.wants_read || self.wants_write,
            _ => true,
        }
    }

    /// Whether a fault that wants `right` would send a request now: the node lacks the right, and no request is outstanding.
    pub fn asks_at_once(self, right: Right) -> bool {
        self.tag() < right.tag() && matches!(self.state, LineState::Invalid | LineState::ReadOnly)
    }

    /// Returns the right to which the node must be downgraded before `event` is served; `None` if it keeps its right.
    pub fn lowers(self, event: LineEvent) -> Option<Tag> {
        match (event, self.state) {
            (LineEvent::Message(ToCache::Invalidate), LineState::ReadOnly | LineState::Upgrading)
            | (LineEvent::Message(ToCache::RecallWrite), LineState::Writable)
            | (LineEvent::Replace, LineState::ReadOnly | LineState::Writable) => Some(Tag::Invalid),
            (LineEvent::Message(ToCache::RecallRead), LineState::Writable) => Some(Tag::ReadOnly),
            _ => None,
        }
    }

    /// Serves `event`, after the downgrade that [`lowers`](Self::lowers) demands. Calls `act` for each action to perform.
    ///
    /// # Errors
    /// [`Unspecified`] if no rule covers the event. The entry is unchanged and no action is emitted.
    pub fn step(
        &mut self,
        event: LineEvent,
        variant: Variant,
        mut act: impl FnMut(LineAction),
    ) -> Result<(), Unspecified> {
        let served = match event {
            LineEvent::Fault(right) => {
                self.fault(right, &mut act);
                Some(())
            }
            LineEvent::Message(ToCache::DataRead) => self.data_to_read(variant, &mut act),
            LineEvent::Message(ToCache::DataWrite) => self.may_write(LineState::Writing, &mut act),
            LineEvent::Message(ToCache::Upgraded) => self.may_write(LineState::Upgrading, &mut act),
            LineEvent::Message(ToCache::Invalidate) => self.invalidate(variant, &mut act),
            LineEvent::Message(recall @ (ToCache::RecallRead | ToCache::RecallWrite)) => {
                self.recall(recall, variant, &mut act)
            }
            LineEvent::Message(ToCache::PutDone) => self.put_done(&mut act),
            LineEvent::Message(ToCache::Moved) => self.moved(&mut act),
            LineEvent::Replace => self.replace(variant, &mut act),
        };
        served.ok_or_else(|| Unspecified { event: format!("{event:?}"), state: format!("{:?}", self.state) })
    }

    /// Takes the deferred recall out of the entry, if it can be served now.
    pub fn due(&mut self) -> Option<LineEvent> {
        if self.state != LineState::Writable {
            return None;
        }
        self.deferred.take().map(LineEvent::Message)
    }

    fn fault(&mut self, right: Right, act: &mut impl FnMut(LineAction)) {
        if self.tag() >= right.tag() {
            // Another handler has supplied the right meanwhile.
            return act(LineAction::Resume(right));
        }
        match right {
            Right::Read => self.wants_read = true,
            Right::Write => self.wants_write = true,
        }
        match (self.state, right) {
            (LineState::Invalid, _) => self.ask(act),
            (LineState::ReadOnly, _) => {
                self.state = LineState::Upgrading;
                act(LineAction::Send(ToHome::Upgrade));
            }
            _ => {}
        }
    }

    /// Requests the right that threads wait for. The block is invalid.
    fn ask(&mut self, act: &mut impl FnMut(LineAction)) {
        if self.wants_write {
            self.state = LineState::Writing;
            act(LineAction::Send(ToHome::GetWrite));
        } else if self.wants_read {
            self.state = LineState::Reading;
            act(LineAction::Send(ToHome::GetRead));
        }
    }

    fn data_to_read(&mut self, variant: Variant, act: &mut impl FnMut(LineAction)) -> Option<()> {
        match self.state {
            LineState::Reading => {
                act(LineAction::Raise(Tag::ReadOnly));
                act(LineAction::Resume(Right::Read));
                self.wants_read = false;
                self.state = LineState::ReadOnly;
                if self.wants_write {
                    self.state = LineState::Upgrading;
                    act(LineAction::Send(ToHome::Upgrade));
                }
            }
            // The data must not be used even once: a thread that joined later might see them after newer data.
            LineState::ReadingAgain if variant == Variant::Robust => {
                self.state = LineState::Reading;
                act(LineAction::Send(ToHome::GetRead));
            }
            _ => return None,
        }
        Some(())
    }

    fn may_write(&mut self, asked: LineState, act: &mut impl FnMut(LineAction)) -> Option<()> {
        if self.state != asked {
            return None;
        }
        (self.wants_read, self.wants_write) = (false, false);
        self.state = LineState::Writable;
        act(LineAction::Raise(Tag::Writable));
        act(LineAction::Resume(Right::Write));
        Some(())
    }

    fn invalidate(&mut self, variant: Variant, act: &mut impl FnMut(LineAction)) -> Option<()> {
        self.state = match (self.state, variant) {
            (LineState::Invalid | LineState::ReadOnly, _) => LineState::Invalid,
            (LineState::Upgrading | LineState::Writing, _) => LineState::Writing,
            // The copy is that of an old grant, dropped since; the grant in flight is newer, if messages keep their order.
            (LineState::Reading, Variant::Ordered) => LineState::Reading,
            (LineState::Reading | LineState::ReadingAgain, Variant::Robust) => LineState::ReadingAgain,
            _ => return None,
        };
        act(LineAction::Send(ToHome::Invalidated));
        Some(())
    }

    fn recall(&mut self, recall: ToCache, variant: Variant, act: &mut impl FnMut(LineAction)) -> Option<()> {
        match (self.state, variant) {
            (LineState::Writable, _) if recall == ToCache::RecallRead => {
                self.state = LineState::ReadOnly;
                act(LineAction::Send(ToHome::Kept));
            }
            (LineState::Writable, _) => {
                self.state = LineState::Invalid;
                act(LineAction::Send(ToHome::Flushed));
            }
            // The words that were put are in flight, and are the answer.
            (LineState::Invalid | LineState::Reading | LineState::Writing, Variant::Ordered) => {}
            (LineState::Putting, Variant::Robust) => act(LineAction::Send(ToHome::Gone)),
            (LineState::Writing | LineState::Upgrading, Variant::Robust) if self.deferred.is_none() => {
                self.deferred = Some(recall);
            }
            _ => return None,
        }
        Some(())
    }

    fn put_done(&mut self, act: &mut impl FnMut(LineAction)) -> Option<()> {
        if self.state != LineState::Putting {
            return None;
        }
        self.state = LineState::Invalid;
        self.ask(act);
        Some(())
    }

    /// Repeats a request that a former home did not serve, to the home that this node now knows.
    fn moved(&mut self, act: &mut impl FnMut(LineAction)) -> Option<()> {
        if !matches!(self.state, LineState::Reading | LineState::ReadingAgain | LineState::Writing) {
            return None;
        }
        self.ask(act);
        Some(())
    }

    fn replace(&mut self, variant: Variant, act: &mut impl FnMut(LineAction)) -> Option<()> {
        match (self.state, variant) {
            (LineState::Invalid | LineState::Putting, _) => {}
            // Silently: the home finds out when it invalidates the copy.
            (LineState::ReadOnly, _) => self.state = LineState::Invalid,
            (LineState::Writable, _) => {
                act(LineAction::Send(ToHome::Put));
                self.state = match variant {
                    Variant::Ordered => LineState::Invalid,
                    Variant::Robust => LineState::Putting,
                };
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Serves events in turn. Returns the actions of the last one.
    fn served(line: &mut Line, variant: Variant, events: &[LineEvent]) -> Vec<LineAction> {
        let mut actions = Vec::new();
        for &event in events {
            actions.clear();
            line.step(event, variant, |action| actions.push(action)).expect("a rule covers it");
        }
        actions
    }

    const READ: LineEvent = LineEvent::Fault(Right::Read);
    const WRITE: LineEvent = LineEvent::Fault(Right::Write);

    fn told(message: ToCache) -> LineEvent {
        LineEvent::Message(message)
    }

    #[test]
    fn a_store_that_joins_a_load_upgrades_when_the_words_have_come() {
        let mut line = Line::default();
        let variant = Variant::Ordered;
        assert_eq!(served(&mut line, variant, &[READ]), [LineAction::Send(ToHome::GetRead)]);
        assert_eq!(served(&mut line, variant, &[WRITE]), []);
        let both = [
            LineAction::Raise(Tag::ReadOnly),
            LineAction::Resume(Right::Read),
            LineAction::Send(ToHome::Upgrade),
        ];
        assert_eq!(served(&mut line, variant, &[told(ToCache::DataRead)]), both);
        // The copy is invalidated before the upgrade is granted: the grant will have to carry the words.
        assert_eq!(line.lowers(told(ToCache::Invalidate)), Some(Tag::Invalid));
        let gone = [LineAction::Send(ToHome::Invalidated)];
        assert_eq!(served(&mut line, variant, &[told(ToCache::Invalidate)]), gone);
        let grant = [LineAction::Raise(Tag::Writable), LineAction::Resume(Right::Write)];
        assert_eq!(served(&mut line, variant, &[told(ToCache::DataWrite)]), grant);
    }

    #[test]
    fn what_is_late_is_answered_without_memory() {
        let mut line = Line::default();
        let variant = Variant::Ordered;
        let late = served(&mut line, variant, &[told(ToCache::Invalidate)]);
        assert_eq!(late, [LineAction::Send(ToHome::Invalidated)]);
        let put = served(&mut line, variant, &[WRITE, told(ToCache::DataWrite), LineEvent::Replace]);
        assert_eq!(put, [LineAction::Send(ToHome::Put)]);
        assert_eq!(
            served(&mut line, variant, &[told(ToCache::RecallWrite)]),
            [],
            "the words are on their way"
        );
        assert_eq!(line, Line::default());
    }

    #[test]
    fn unordered_messages_that_overtake_are_put_off_or_asked_for_again() {
        let variant = Variant::Robust;
        let mut line = Line::default();
        let old = served(&mut line, variant, &[READ, told(ToCache::Invalidate), told(ToCache::DataRead)]);
        assert_eq!(old, [LineAction::Send(ToHome::GetRead)], "data that an invalidation overtook");
        let mut line = Line::default();
        served(&mut line, variant, &[WRITE, told(ToCache::RecallRead)]);
        assert_eq!(line.due(), None);
        served(&mut line, variant, &[told(ToCache::DataWrite)]);
        assert_eq!(line.due(), Some(told(ToCache::RecallRead)), "a recall that overtook its grant");
        served(&mut line, variant, &[told(ToCache::RecallRead), WRITE, told(ToCache::Upgraded)]);
        served(&mut line, variant, &[LineEvent::Replace]);
        assert_eq!(served(&mut line, variant, &[WRITE]), [], "it waits until the words have arrived");
        assert_eq!(
            served(&mut line, variant, &[told(ToCache::PutDone)]),
            [LineAction::Send(ToHome::GetWrite)]
        );
    }

    #[test]
    fn a_request_that_a_former_home_did_not_serve_is_made_again() {
        let mut line = Line::default();
        let again = served(&mut line, Variant::Ordered, &[READ, told(ToCache::Moved)]);
        assert_eq!(again, [LineAction::Send(ToHome::GetRead)]);
        // The copy to be upgraded was reclaimed when the page moved.
        let moves = [told(ToCache::DataRead), WRITE, told(ToCache::Invalidate), told(ToCache::Moved)];
        assert_eq!(served(&mut line, Variant::Ordered, &moves), [LineAction::Send(ToHome::GetWrite)]);
    }

    #[test]
    fn what_no_rule_covers_changes_nothing() {
        let events = [ToCache::DataRead, ToCache::Upgraded, ToCache::PutDone, ToCache::Moved].map(told);
        for event in events {
            let mut line = Line::default();
            let error = line.step(event, Variant::Ordered, |action| panic!("{action:?}")).unwrap_err();
            assert!(error.to_string().ends_with("in state Invalid"), "{error}");
            assert_eq!(line, Line::default());
        }
    }
}
