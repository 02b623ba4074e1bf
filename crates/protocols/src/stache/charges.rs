//! The cost of serving an event, in primitives that machines price.
//!
//! Each event charges the primitives of its row of the occupancy table (`L` directory look-up, `G` fault state, `T` tag, `F`
//! fetch, `P` place, `X` purge). Worlds charge dispatch, headers and resumes.
//!
//! | event | charges |
//! |---|---|
//! | request at home, granted at once | L, F if words are sent, X if the home loses them, T |
//! | request at home that invalidates | L, T |
//! | request at home that recalls or waits | L |
//! | acknowledgement at home | L; the last also F if words are sent, T if the home writes |
//! | words returned to the home | L, P; they are forwarded without a fetch |
//! | fault at home | L; G if a message is sent |
//! | fault at a cached block | G; a deferral if no message is sent |
//! | words brought to a cached block | P, T |
//! | invalidation | X, T; a deferral if the copy is gone already |
//! | recall | F, T, X if no copy is kept; a deferral if the copy is gone already |
//! | upgrade granted | T |
//! | page laid to rest | X, T for each block with a right |
//! | resting page active again | T for each block with a right |
//! | replacement | X, T unless the page rested; F if words are sent |
//! | block reclaimed because its page moves | as a request that writes; X, T where it is granted at once |
//! | page that moves | F for each block at the former home, P at the next one |
//! | request at a former home | L |
//! | recall of a former home | a deferral |
//!
//! This module must never know a price.

use tempest::{Actions, Block, Primitive, Tag};

use super::{Asker, HomeAction, HomeEvent, Line, LineEvent, Request, ToCache, Want};

/// Primitives that the handlers of all events may charge, except the mapping of a page.
pub(super) const ALL: &[Primitive] = &[
    Primitive::DirectoryLookup,
    Primitive::ReadFaultState,
    Primitive::SetTag,
    Primitive::FetchBlock,
    Primitive::PlaceBlock,
    Primitive::Purge,
    Primitive::Defer,
];

/// Charges for serving an event at the home, action by action.
pub(super) struct HomeBill {
    block: Block,
    event: HomeEvent,
    /// Whether the event is a request that waited in the directory entry until the block was free for it. Such a fault is not charged
    /// for reading its state.
    waited: bool,
    /// Whether a message has been sent for the event.
    sent: bool,
}

impl HomeBill {
    pub(super) fn new(block: Block, event: HomeEvent, waited: bool) -> Self {
        Self { block, event, waited, sent: false }
    }

    /// Charges the directory look-up, and the placing of the block's words if the event brings them. The caller calls this before the
    /// entry changes.
    pub(super) fn begin(&self, cx: &mut Actions<'_>) {
        cx.charge(Primitive::DirectoryLookup);
        if self.brings_words() {
            cx.charge_block(Primitive::PlaceBlock, self.block);
        }
    }

    /// Charges `action`, before it is performed.
    pub(super) fn charge(&mut self, action: HomeAction, cx: &mut Actions<'_>) {
        let is_request = matches!(self.event, HomeEvent::Request(_));
        match action {
            HomeAction::Send(_, message @ (ToCache::DataRead | ToCache::DataWrite | ToCache::Upgraded)) => {
                if message.brings_words() && !self.brings_words() {
                    cx.charge_block(Primitive::FetchBlock, self.block);
                }
                if is_request && message != ToCache::DataRead {
                    cx.charge_block(Primitive::Purge, self.block);
                }
                if is_request {
                    cx.charge(Primitive::SetTag);
                }
            }
            HomeAction::Send(..) if !self.sent => {
                self.sent = true;
                self.begin_round(action, cx);
            }
            HomeAction::CalledIn if is_request => {
                cx.charge_block(Primitive::Purge, self.block);
                cx.charge(Primitive::SetTag);
            }
            HomeAction::Raise(_) if !self.brings_words() => cx.charge(Primitive::SetTag),
            HomeAction::Send(..) | HomeAction::Raise(_) | HomeAction::Resume(_) | HomeAction::CalledIn => {}
        }
    }

    /// Charges the first message of an invalidation or a recall: the state of a fault is read, or the home's tag is lowered.
    fn begin_round(&self, action: HomeAction, cx: &mut Actions<'_>) {
        match (self.event, action) {
            (HomeEvent::Request(Request { from: Asker::Here, want: Want::Read | Want::Write }), _)
                if !self.waited =>
            {
                cx.charge(Primitive::ReadFaultState);
            }
            (
                HomeEvent::Request(Request { from: Asker::Node(_), .. } | Request { want: Want::Leave, .. }),
                HomeAction::Send(_, ToCache::Invalidate),
            ) => cx.charge(Primitive::SetTag),
            _ => {}
        }
    }

    fn brings_words(&self) -> bool {
        matches!(self.event, HomeEvent::Answer(_, message) if message.brings_words())
    }
}

/// Charges an event at a cached block. `line` is the entry before the event.
pub(super) fn charge_line(block: Block, line: Line, event: LineEvent, cx: &mut Actions<'_>) {
    match (event, line.lowers(event)) {
        (_, Some(left)) => {
            if line.tag() == Tag::Writable {
                cx.charge_block(Primitive::FetchBlock, block);
            }
            if left == Tag::Invalid {
                cx.charge_block(Primitive::Purge, block);
            }
            cx.charge(Primitive::SetTag);
        }
        (LineEvent::Message(ToCache::DataRead | ToCache::DataWrite), None) => {
            cx.charge_block(Primitive::PlaceBlock, block);
            cx.charge(Primitive::SetTag);
        }
        (LineEvent::Message(ToCache::Upgraded), None) => cx.charge(Primitive::SetTag),
        (LineEvent::Fault(right), None) if line.asks_at_once(right) => cx.charge(Primitive::ReadFaultState),
        _ => cx.charge(Primitive::Defer),
    }
}

/// Charges the loss of a cached block's frame. `line` is the entry before the loss. No cache holds a block of a page that has
/// `rested`.
pub(super) fn charge_replacement(block: Block, line: Line, rested: bool, cx: &mut Actions<'_>) {
    if line.tag() == Tag::Writable {
        cx.charge_block(Primitive::FetchBlock, block);
    }
    if line.tag() > Tag::Invalid && !rested {
        cx.charge_block(Primitive::Purge, block);
        cx.charge(Primitive::SetTag);
    }
}
