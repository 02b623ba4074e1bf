//! The watch over messages that wait on a node with a helper: its processors keep it while one of them idles, and else the helper.
//!
//! # Why no message waits for ever
//!
//! A processor that *idles* looks, or sleeps and is woken; before it runs threads again it looks once more, and what it leaves it
//! leaves to the helper. So a message concerns the helper only while nobody idles. In each of these pairs both sides pass a full
//! fence between what they say and where they look (`fences` are symmetric in a world with helpers), so one of them sees what the
//! other has said:
//!
//! | says | then looks whether | if so |
//! |---|---|---|
//! | sender: the message | nobody idles, the helper's berth is taken | it wakes the helper |
//! | helper: its berth is taken | nobody idles, something waits | it stays up |
//! | processor: it idles no more | something waits | it serves, or wakes the helper |
//!
//! This module must never know what waits, nor how it is served: its callers say so. The models run it as it is.

use crate::fences::Fences;
use crate::processor::berth::Berth;
use crate::sync::mutated;

/// Something waits: wakes the helper if that sleeps and nobody else is about to look. It is told `before`. Whoever gave what waits
/// has passed the light barrier.
#[inline]
pub(crate) fn rouse(helper: &Berth, nobody_idles: impl FnOnce() -> bool, before: impl FnOnce()) {
    if helper.is_taken() && nobody_idles() {
        before();
        helper.wake();
    }
}

/// The helper sleeps until it is needed or the world `is_over`; says whether it slept.
pub(crate) fn sleep(
    helper: &Berth,
    fences: &Fences,
    is_over: impl FnOnce() -> bool,
    something_waits: impl FnOnce() -> bool,
    nobody_idles: impl FnOnce() -> bool,
) -> bool {
    helper.sleep_unless(fences, || is_over() || something_waits() && nobody_idles())
}

/// A processor has said that it idles no more: it serves what waits, once, and leaves the rest to the helper.
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
