//! What serving an event costs, in primitives that machines have prices for.
//!
//! Each event charges the primitives of its row of the occupancy table that the machines' prices go with (`L`
//! directory look-up, `G` fault state, `T` tag, `F` fetch, `P` place, `X` purge; worlds charge dispatch,
//! headers and resumes):
//!
//! | event | charges |
//! |---|---|
//! | request at home, granted at once | L, F where words go, X where the home loses them, T |
//! | request at home that invalidates | L, T |
//! | request at home that recalls or waits | L |
//! | acknowledgement at home | L; the last also F where words go, T where the home writes |
//! | words brought home | L, P; they are sent on as they came |
//! | fault at home | L; G if something is sent |
//! | fault at a cached block | G; a step aside where there is nothing to send |
//! | words brought to a cached block | P, T |
//! | invalidation | X, T; a step aside where nothing is left |
//! | recall | F, T, X where nothing is kept; a step aside where nothing is left |
//! | upgrade granted | T |
//! | page laid to rest | X, T for each block with a right |
//! | resting page active again | T for each block with a right |
//! | replacement | X, T unless the page rested; F where words go |
//! | block called in because its page moves | as a request that writes; X, T where it is granted at once |
//! | page that moves | F for each block at the former home, P at the next one |
//! | request at a former home | L |
//! | recall of a former home | a step aside |
//!
//! This module must never know a price.

use tempest::{Actions, Block, Primitive, Tag};

use super::{Asker, HomeAction, HomeEvent, Line, LineEvent, Request, ToCache, Want};

/// The primitives that handlers may charge, whatever the event; that of a page that gets room is apart.
pub(super) const ALL: &[Primitive] = &[
    Primitive::DirectoryLookup,
    Primitive::ReadFaultState,
    Primitive::SetTag,
    Primitive::FetchBlock,
    Primitive::PlaceBlock,
    Primitive::Purge,
    Primitive::Defer,
];

/// What serving an event at the home costs, action by action.
pub(super) struct HomeBill {
    block: Block,
    event: HomeEvent,
    /// A fault whose state was read when it came.
    waited: bool,
    /// Whether it has sent something.
    sent: bool,
}

impl HomeBill {
    pub(super) fn new(block: Block, event: HomeEvent, waited: bool) -> Self {
        Self { block, event, waited, sent: false }
    }

    /// Before the entry changes.
    pub(super) fn begin(&self, cx: &mut Actions<'_>) {
        cx.charge(Primitive::DirectoryLookup);
        if self.brings_words() {
            cx.charge_block(Primitive::PlaceBlock, self.block);
        }
    }

    /// Before an action is done.
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

    /// The first message of an invalidation or a recall.
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

/// What serving an event costs at a cached block whose entry is still as it was.
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

/// What it costs that a cached block's frame goes, the entry being still as it was. No cache holds a block of a page that has
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
