//! Attendance: either an idle processor of a node looks for waiting messages, or the node's helper does.
//!
//! # No message waits for ever
//!
//! An *idle* processor looks for messages, or sleeps and is woken. Before it runs threads again it looks once more; messages that it
//! leaves then are the helper's. So a message concerns the helper only while no processor idles. In each of these pairs both sides pass
//! a full fence between their store and their test (`fences` are symmetric in a world with helpers), so at least one side sees the
//! other's store:
//!
//! | stores | then tests whether | if so |
//! |---|---|---|
//! | sender: the message | no processor idles and the helper is parked | it wakes the helper |
//! | helper: it is parked | no processor idles and a message waits | it stays awake |
//! | processor: it no longer idles | a message waits | it serves, or wakes the helper |
//!
//! This module must never know the waiting messages, nor the way they are served: its callers supply both. The models run it as it is.

use crate::fences::Fences;
use crate::parts::parker::Parker;
use crate::sync::mutated;

/// Wakes the helper for waiting work if it sleeps and no processor is about to look. Calls `before` first. The processor that supplied
/// the work has passed the light fence.
#[inline]
pub(crate) fn rouse(helper: &Parker, nobody_idles: impl FnOnce() -> bool, before: impl FnOnce()) {
    if helper.is_parked() && nobody_idles() {
        before();
        helper.wake();
    }
}

/// Puts the helper to sleep until it is needed or the world `is_over`. Returns whether it slept.
pub(crate) fn sleep(
    helper: &Parker,
    fences: &Fences,
    is_over: impl FnOnce() -> bool,
    something_waits: impl FnOnce() -> bool,
    nobody_idles: impl FnOnce() -> bool,
) -> bool {
    helper.park_unless(fences, || is_over() || something_waits() && nobody_idles())
}

/// Ends a processor's idleness: it serves waiting work once and leaves the rest to the helper. It has stored before that it is not idle.
pub(crate) fn leave(
    fences: &Fences,
    something_waits: impl Fn() -> bool,
    serve: impl FnOnce(),
    rouse: impl FnOnce(),
) {
    fences.heavy();
    if something_waits() && !mutated!("nothing-is-left") {
        serve();
        if something_waits() {
            rouse();
        }
    }
}
