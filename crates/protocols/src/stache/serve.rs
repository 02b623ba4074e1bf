//! Serves the events of a block under its key: first a downgrade, then the change of the entry and its actions, then the waiting
//! requests.
//!
//! This module must never know the meaning of an event: that is in the tables.

use tempest::{Actions, Block, Handler, Key, Right, Tag};

use super::charges::{HomeBill, charge_line};
use super::state::BlockEntry;
use super::{
    Asker, Home, HomeAction, HomeEvent, Line, LineAction, LineEvent, Request, Stache, ToHome, Unspecified,
    moves, pages,
};

impl Stache {
    /// Serves a fault: a thread of this node needs `right` to access `block`.
    pub(super) fn serve_fault(&self, block: Block, right: Right, cx: &mut Handler<'_>) {
        let layout = self.memory.layout();
        let has_frame = self.memory.is_mapped(layout.page_of(block));
        if self.home_of(block) == Some(self.node) {
            if let Some(moves) = &self.moves {
                moves.used_at_home(layout.page_of(block));
            }
            self.serve_home(block, HomeEvent::fault(right), cx);
        } else if cx.key() == Key::Sequential {
            pages::page_wanted(self, block, right, cx);
        } else if has_frame {
            self.serve_line(block, LineEvent::Fault(right), cx);
        } else {
            // The page rests, or has lost its frame to another page since.
            let writes = u16::from(right == Right::Write);
            cx.send(self.node, Self::faulted(block.0, writes, 0));
        }
    }

    /// Serves an event of `block` at its home, then the waiting requests that can be served after it.
    pub(super) fn serve_home(&self, block: Block, event: HomeEvent, cx: &mut Handler<'_>) {
        self.at_home(block, cx, |home, cx| self.drive_home(block, home, event, false, cx));
    }

    /// Serves an event of `block` at its home after the downgrade that the event needs, then the waiting requests that can be
    /// served.
    pub(super) fn serve_home_lowered(&self, block: Block, event: HomeEvent, cx: &mut Handler<'_>) {
        self.at_home(block, cx, |home, cx| self.drive_home(block, home, event, true, cx));
    }

    /// Serves an event and the requests due after it, up to the first that needs a downgrade which cannot be made at once.
    fn drive_home(
        &self,
        block: Block,
        home: &mut Home,
        mut event: HomeEvent,
        mut lowered: bool,
        cx: &mut Actions<'_>,
    ) {
        let mut waited = false;
        loop {
            if !lowered
                && let Some(tag) = home.lowers(event)
                && !cx.lower_at_once(&self.memory, block, tag)
            {
                return self.lower_home(block, tag, event, cx);
            }
            self.step_home(block, home, event, waited, cx);
            let Some(due) = home.due() else { return };
            (event, lowered, waited) = (due, false, true);
        }
    }

    /// Lowers the right of the home's own node to `tag`, as the last act of a handler. A message to this node then serves the
    /// event.
    fn lower_home(&self, block: Block, tag: Tag, event: HomeEvent, cx: &mut Actions<'_>) {
        match event {
            HomeEvent::Request(Request { from: Asker::Node(from), want }) => {
                cx.lower(&self.memory, block, tag, Self::after_lowering_home(block, from, want));
            }
            _ => cx.lower(&self.memory, block, tag, Self::call_in(block.0, 1)),
        }
    }

    /// Charges `event`, applies it to `home`, the directory entry of `block`, and performs the actions that the step yields. The
    /// downgrade that the event needs has been made. `waited` is true if the event is a request that has waited in the entry.
    fn step_home(&self, block: Block, home: &mut Home, event: HomeEvent, waited: bool, cx: &mut Actions<'_>) {
        let mut bill = HomeBill::new(block, event, waited);
        bill.begin(cx);
        let served = home.step(event, self.variant, |action| {
            bill.charge(action, cx);
            self.home_acts(block, action, cx);
        });
        self.expect(served, block);
    }

    fn home_acts(&self, block: Block, action: HomeAction, cx: &mut Actions<'_>) {
        match action {
            HomeAction::Send(to, message) if message.brings_words() => {
                cx.send_block(
                    to,
                    &self.memory,
                    block,
                    Self::supply(block.0, message as u16, self.moves_of(block)),
                );
            }
            HomeAction::Send(to, message) => {
                cx.send(to, Self::call(block.0, message as u16, self.moves_of(block)));
            }
            HomeAction::Raise(tag) => self.raise(block, tag, cx),
            HomeAction::Resume(right) => {
                cx.resume_block(&self.memory, block, right);
            }
            HomeAction::CalledIn => {
                moves::count_block(self, block, |page| cx.send(self.node, Self::called_in(page)));
            }
        }
    }

    /// Returns the number of moves of the page of a block whose home this node is.
    fn moves_of(&self, block: Block) -> u16 {
        let known = self.homes.find(self.memory.layout().page_of(block));
        known.map_or(0, |known| known.moves as u16)
    }

    /// Serves an event of a cached block, then the deferred recall, if it can be served after it.
    pub(super) fn serve_line(&self, block: Block, event: LineEvent, cx: &mut Handler<'_>) {
        self.at_line(block, cx, |line, cx| self.drive_line(block, line, event, false, cx));
    }

    /// Serves an event of a cached block after the downgrade that the event needs, then the deferred recall, if it can be served.
    pub(super) fn serve_line_lowered(&self, block: Block, event: LineEvent, cx: &mut Handler<'_>) {
        self.at_line(block, cx, |line, cx| self.drive_line(block, line, event, true, cx));
    }

    /// Serves an event and the recall due after it, up to the first that needs a downgrade which cannot be made at once.
    fn drive_line(
        &self,
        block: Block,
        line: &mut Line,
        mut event: LineEvent,
        mut lowered: bool,
        cx: &mut Actions<'_>,
    ) {
        loop {
            if !lowered
                && let Some(tag) = line.lowers(event)
                && !cx.lower_at_once(&self.memory, block, tag)
            {
                return cx.lower(&self.memory, block, tag, Self::after_lowering_line(block, event));
            }
            self.step_line(block, line, event, cx);
            let Some(due) = line.due() else { break };
            (event, lowered) = (due, false);
        }
        if !line.is_busy() {
            pages::may_go(self, cx);
        }
    }

    /// Serves an event of a block whose page has no frame and no entry at this node, as an event of an invalid block. Panics if the
    /// event would change the block's state.
    pub(super) fn serve_absent(&self, block: Block, event: LineEvent, cx: &mut Handler<'_>) {
        let mut line = Line::default();
        self.drive_line(block, &mut line, event, false, cx);
        assert!(line == Line::default(), "{event:?} changes {block}, which has no frame at {}", self.node);
    }

    /// Charges `event`, applies it to `line`, the entry of the cached `block`, and performs the actions that the step yields. The
    /// downgrade that the event needs has been made.
    fn step_line(&self, block: Block, line: &mut Line, event: LineEvent, cx: &mut Actions<'_>) {
        charge_line(block, *line, event, cx);
        self.apply_line(block, line, event, cx);
    }

    /// Applies `event` to `line`, the entry of the cached `block`, and performs the actions that the step yields. The caller has
    /// already charged the event.
    pub(super) fn apply_line(&self, block: Block, line: &mut Line, event: LineEvent, cx: &mut Actions<'_>) {
        let served = line.step(event, self.variant, |action| match action {
            LineAction::Send(message) => self.tell_home(block, message, cx),
            LineAction::Raise(tag) => self.raise(block, tag, cx),
            LineAction::Resume(right) => {
                cx.resume_block(&self.memory, block, right);
            }
        });
        self.expect(served, block);
    }

    fn tell_home(&self, block: Block, message: ToHome, cx: &mut Actions<'_>) {
        let home = self.home_of(block).expect("a node that has asked for a block knows its home");
        let word = message as u32;
        if message.brings_words() {
            cx.send_block(home, &self.memory, block, Self::bring_home(block.0, word));
        } else if message.wants().is_some() {
            cx.send(home, Self::ask(block.0, word));
        } else {
            cx.send(home, Self::answer(block.0, word));
        }
    }

    pub(super) fn raise(&self, block: Block, tag: Tag, cx: &mut Actions<'_>) {
        let page = self.memory.layout().page_of(block);
        if !self.is_freed(page) {
            let may_be_leaving = self.moves.is_some();
            assert!(
                self.memory.is_mapped(page) || may_be_leaving,
                "a right to {block}, which has no frame at {}",
                self.node
            );
            cx.raise(&self.memory, block, tag);
        }
    }

    pub(super) fn at_home<R>(
        &self,
        block: Block,
        cx: &mut Handler<'_>,
        f: impl FnOnce(&mut Home, &mut Actions<'_>) -> R,
    ) -> R {
        let f = |entry: &mut BlockEntry, cx: &mut Actions<'_>| match entry {
            BlockEntry::Home(home) => f(home.get_or_insert_default(), cx),
            BlockEntry::Cached(_) => self.refuse_as_home(block),
        };
        match cx.key() {
            Key::Sequential => cx.with_any(&self.entries, block.0.into(), f),
            _ => cx.with(&self.entries, f),
        }
    }

    /// Ends the run with an error: a node has sent a message for the home of `block` to this node, which is not the home.
    pub(super) fn refuse_as_home(&self, block: Block) -> ! {
        panic!("{} was told as the home of {block}, which it is not", self.node)
    }

    pub(super) fn at_line<R>(
        &self,
        block: Block,
        cx: &mut Handler<'_>,
        f: impl FnOnce(&mut Line, &mut Actions<'_>) -> R,
    ) -> R {
        let f = |entry: &mut BlockEntry, cx: &mut Actions<'_>| match entry {
            BlockEntry::Cached(line) => f(line, cx),
            BlockEntry::Home(_) => panic!("{} was told as if it cached {block}, whose home it is", self.node),
        };
        match cx.key() {
            Key::Sequential => cx.with_any(&self.entries, block.0.into(), f),
            _ => cx.with(&self.entries, f),
        }
    }

    fn expect(&self, served: Result<(), Unspecified>, block: Block) {
        served.unwrap_or_else(|unspecified| panic!("{unspecified} of {block} at {}", self.node));
    }
}
