//! Every state of small pages whose home moves, and mistakes that the explorer has to find.

use protocols::stache::{
    Line, Residence, ResidenceAction, ResidenceEvent, ToCache, Unspecified, Variant, Whereabouts,
};

use super::super::Rules;
use super::{Explored, HomeScope, explore_moves};

const BOTH: [Variant; 2] = [Variant::Ordered, Variant::Robust];

fn explored(variant: Variant, scope: HomeScope) -> Explored {
    explore_moves(&variant, scope).unwrap_or_else(|violation| panic!("{variant:?}, {scope:?}: {violation}"))
}

fn all_states(scope: HomeScope) -> [usize; 2] {
    BOTH.map(|variant| {
        let explored = explored(variant, scope);
        assert!(explored.all);
        explored.states
    })
}

/// A block that two nodes read and write, while its page moves to and fro.
const BETWEEN_TWO: HomeScope = HomeScope { nodes: 2, blocks: 1, moves: 3, loads: true, limit: usize::MAX };

/// Two blocks that three nodes write, while their page moves: a message about one block tells of the other one's home.
const AMONG_THREE: HomeScope = HomeScope { nodes: 3, blocks: 2, moves: 3, loads: false, limit: 60_000 };

#[test]
fn every_state_of_a_page_that_moves_between_two_nodes() {
    assert_eq!(all_states(BETWEEN_TWO), [4_847, 15_272]);
    assert_eq!(all_states(HomeScope { blocks: 2, moves: 2, loads: false, ..BETWEEN_TWO }), [5_708, 6_166]);
}

#[test]
fn every_state_of_a_page_that_three_nodes_write() {
    let scope = HomeScope { blocks: 1, limit: usize::MAX, ..AMONG_THREE };
    assert_eq!(all_states(scope), [41_882, 47_924]);
}

#[test]
fn many_states_of_a_page_that_moves_among_three_nodes() {
    for variant in BOTH {
        explored(variant, AMONG_THREE);
        explored(variant, HomeScope { blocks: 1, loads: true, ..AMONG_THREE });
    }
}

/// Ten minutes and 3 GB.
#[test]
#[ignore = "ten minutes if optimized: for changes of the tables"]
fn every_state_of_a_page_that_moves_among_three_nodes() {
    let scope = |blocks, moves, loads| HomeScope { blocks, moves, loads, limit: usize::MAX, ..AMONG_THREE };
    assert_eq!(all_states(scope(1, 2, true)), [2_117_100, 3_890_470]);
    assert_eq!(all_states(scope(2, 2, false)), [8_193_040, 4_084_662]);
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mistake {
    /// A recall of a former home is taken for a recall of the present home.
    ObeysFormerHome,
    /// A node believes the last message that tells it where the page is.
    BelievesTheLast,
    /// A node accepts the page while a request of its own is on its way.
    AcceptsEarly,
    /// The home gives the page up when it has sent the words, before they have arrived.
    GivesUpEarly,
    /// The home sends the words without having called in other nodes' copies.
    LeavesCopies,
}

struct Mistaken(Mistake, Variant);

impl Rules for Mistaken {
    fn variant(&self) -> Variant {
        self.1
    }

    fn residence_step(
        &self,
        residence: &mut Residence,
        known: Whereabouts,
        event: ResidenceEvent,
        act: &mut dyn FnMut(ResidenceAction),
    ) -> Result<(), Unspecified> {
        match (self.0, event, *residence) {
            (Mistake::GivesUpEarly, ResidenceEvent::CalledIn, Residence::Leaving(to)) => {
                *residence = Residence::Elsewhere;
                act(ResidenceAction::SendWords(to));
                act(ResidenceAction::Release(known.moved_to(to)));
                Ok(())
            }
            (Mistake::LeavesCopies, ResidenceEvent::Accepted, Residence::Offering(to)) => {
                *residence = Residence::Sent(to);
                act(ResidenceAction::SendWords(to));
                Ok(())
            }
            _ => residence.step(known, event, act),
        }
    }

    fn outdates(&self, known: Whereabouts, message: ToCache, moves: u32) -> bool {
        self.0 != Mistake::ObeysFormerHome && known.outdates(message, moves)
    }

    fn learns(&self, known: Whereabouts, now: Whereabouts) -> Whereabouts {
        if self.0 == Mistake::BelievesTheLast { now } else { known.max(now) }
    }

    fn may_vacate(&self, line: Line) -> bool {
        self.0 == Mistake::AcceptsEarly || !line.is_busy()
    }
}

/// Explores a mistaken protocol on three nodes that write two blocks: the violation, and the number of moves that lead
/// there.
fn expect_found(mistake: Mistake, variant: Variant, says: &str) {
    let scope = HomeScope { limit: usize::MAX, ..AMONG_THREE };
    let violation = explore_moves(&Mistaken(mistake, variant), scope)
        .expect_err(&format!("{mistake:?} in the {variant:?} variant was not found"));
    assert!(violation.what.contains(says), "{variant:?} {mistake:?}: {violation}");
}

#[test]
fn each_mistake_about_a_page_that_moves_is_found() {
    for variant in BOTH {
        expect_found(Mistake::AcceptsEarly, variant, "no rule for Replace in state Writing");
        expect_found(Mistake::GivesUpEarly, variant, "1 was never the home");
        expect_found(Mistake::LeavesCopies, variant, "2 nodes may write");
    }
}

/// A message about one block of a page must not mislead a node about the other block. Each of these mistakes takes two dozen moves to show.
#[test]
#[ignore = "minutes if optimized: for changes of the tables"]
fn mistakes_about_what_former_homes_say_are_found() {
    expect_found(Mistake::BelievesTheLast, Variant::Robust, "accepts what 0 has not offered");
    expect_found(Mistake::BelievesTheLast, Variant::Ordered, "no rule for Answer(NodeId(2), Put)");
    expect_found(Mistake::ObeysFormerHome, Variant::Ordered, "no rule for Answer(NodeId(2), Flushed)");
}
