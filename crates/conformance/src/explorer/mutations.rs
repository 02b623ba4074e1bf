//! Deliberate mistakes in the protocol, each of which the explorer has to find.

use protocols::stache::{
    Asker, Home, HomeAction, HomeEvent, HomeState, Line, LineAction, LineEvent, LineState, Request, ToCache,
    ToHome, Unspecified, Variant, Want,
};
use tempest::{NodeId, Tag};

use super::{Faults, Rules, Scope, explore};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mistake {
    /// An upgrade is acknowledged although the copy has been taken away meanwhile.
    UpgradeWithoutCopy,
    /// A copy that is being upgraded is acknowledged as destroyed, and kept.
    InvalidationIgnored,
    /// The home waits for an answer to its recall although the words have been put.
    PutIsNoAnswer,
    /// Writing is granted before the copies are destroyed.
    EarlyGrant,
    /// Words that are flushed do not get into the home's memory.
    LostWriteBack,
    /// Data to read are used although an invalidation overtook them.
    OldDataUsed,
    /// A page is laid to rest although a block of it is being upgraded.
    RestsWhileUpgrading,
    /// Requests that wait at the home are forgotten.
    NoDrain,
    /// None in the tables, but the channels do not keep order.
    ChannelsReorder,
}

struct Mistaken(Mistake, Variant);

impl Rules for Mistaken {
    fn variant(&self) -> Variant {
        self.1
    }

    fn channels_keep_order(&self) -> bool {
        self.1 == Variant::Ordered && self.0 != Mistake::ChannelsReorder
    }

    fn home_step(
        &self,
        home: &mut Home,
        event: HomeEvent,
        act: &mut dyn FnMut(HomeAction),
    ) -> Result<(), Unspecified> {
        match (self.0, event) {
            (
                Mistake::UpgradeWithoutCopy,
                HomeEvent::Request(Request { from: Asker::Node(_), want: Want::Upgrade }),
            ) => home.step(event, self.1, |action| {
                act(match action {
                    HomeAction::Send(to, ToCache::DataWrite) => HomeAction::Send(to, ToCache::Upgraded),
                    action => action,
                })
            }),
            (Mistake::PutIsNoAnswer, HomeEvent::Answer(_, ToHome::Put)) if !home.is_settled() => Ok(()),
            (Mistake::EarlyGrant, HomeEvent::Request(_)) if home.is_settled() => {
                home.step(event, self.1, &mut *act)?;
                let awaited: Vec<NodeId> = match home.state() {
                    HomeState::Invalidating { awaited, .. } => awaited.iter().collect(),
                    _ => Vec::new(),
                };
                awaited.into_iter().try_for_each(|node| {
                    home.step(HomeEvent::Answer(node, ToHome::Invalidated), self.1, &mut *act)
                })
            }
            _ => home.step(event, self.1, act),
        }
    }

    fn home_due(&self, home: &mut Home) -> Option<HomeEvent> {
        if self.0 == Mistake::NoDrain { None } else { home.due() }
    }

    fn line_lowers(&self, line: Line, event: LineEvent) -> Option<Tag> {
        if self.ignores(line, event) { None } else { line.lowers(event) }
    }

    fn line_step(
        &self,
        line: &mut Line,
        event: LineEvent,
        act: &mut dyn FnMut(LineAction),
    ) -> Result<(), Unspecified> {
        if self.ignores(*line, event) {
            act(LineAction::Send(ToHome::Invalidated));
            return Ok(());
        }
        let data = event == LineEvent::Message(ToCache::DataRead);
        if self.0 == Mistake::OldDataUsed && data && line.state == LineState::ReadingAgain {
            line.state = LineState::Reading;
        }
        line.step(event, self.1, act)
    }

    fn may_rest(&self, line: Line) -> bool {
        let upgrading = self.0 == Mistake::RestsWhileUpgrading && line.state == LineState::Upgrading;
        upgrading || !line.is_busy()
    }

    fn places(&self, message: ToHome) -> bool {
        self.0 != Mistake::LostWriteBack || message != ToHome::Flushed
    }
}

impl Mistaken {
    fn ignores(&self, line: Line, event: LineEvent) -> bool {
        self.0 == Mistake::InvalidationIgnored
            && event == LineEvent::Message(ToCache::Invalidate)
            && line.state == LineState::Upgrading
    }
}

/// Explores a mistaken protocol: the violation's text, and how many moves lead to it.
fn found(mistake: Mistake, variant: Variant) -> (String, usize) {
    let scope = Scope { caches: 2, faults: Faults::AtOnce, rests: true, limit: usize::MAX };
    let violation = explore(&Mistaken(mistake, variant), scope)
        .expect_err(&format!("{mistake:?} in the {variant:?} variant was not found"));
    (violation.what, violation.moves.len())
}

/// Violations by two copies that must not exist at a time. A search may meet any of them first.
const INCOHERENT: &[&str] = &["a copy that may be read is old", "finds old words", "may write while"];

#[test]
fn each_mistake_is_found() {
    use Mistake::*;
    for variant in [Variant::Ordered, Variant::Robust] {
        for (mistake, says) in [
            (UpgradeWithoutCopy, &["no rule for Message(Upgraded) in state Writing"][..]),
            (InvalidationIgnored, INCOHERENT),
            (PutIsNoAnswer, &["it never comes to rest"]),
            (EarlyGrant, INCOHERENT),
            (LostWriteBack, INCOHERENT),
            (RestsWhileUpgrading, &["raises Writable in a page at rest"]),
            (NoDrain, &["requests wait at the home"]),
        ] {
            let (found, moves) = found(mistake, variant);
            let as_expected = says.iter().any(|what| found.contains(what));
            assert!(as_expected, "{variant:?} {mistake:?}: {found}, after {moves} moves");
        }
    }
    // The invalidation overtakes the data, the words change, and the old data are read.
    let (found, moves) = found(OldDataUsed, Variant::Robust);
    assert!(found.contains("an access to Read finds old words"), "{found}, after {moves} moves");
}

/// Why the ordered variant may be used only where channels keep order: six moves break it.
#[test]
fn the_ordered_variant_needs_its_order() {
    let (found, moves) = found(Mistake::ChannelsReorder, Variant::Ordered);
    assert!(
        found.contains("an access to Read finds old words") && moves == 6,
        "{found}, after {moves} moves"
    );
}
