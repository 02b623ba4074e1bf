//! When it is worth while to look ahead at the next events: once a turn, where nodes are many and take turns.
//!
//! This module must never know an event.

/// The nodes from which on they count as many: together they no longer lie in the near caches of the host.
const MANY: usize = 256;

/// Whether the next events are to be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prospect {
    /// The nodes are few, or take no turns.
    Never,
    /// They have not been told in this turn.
    Due,
    /// They have been told in this turn.
    Done,
}

impl Prospect {
    /// The prospect of a run on so many nodes, which may take turns.
    pub(crate) fn of(nodes: usize, turns: bool) -> Self {
        if turns && nodes >= MANY { Self::Due } else { Self::Never }
    }

    /// Begins a turn.
    pub(crate) fn renew(&mut self) {
        if *self == Self::Done {
            *self = Self::Due;
        }
    }

    /// Whether the next events are to be told now. They are not to be told again in this turn.
    #[inline]
    pub(crate) fn take(&mut self) -> bool {
        let due = *self == Self::Due;
        if due {
            *self = Self::Done;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_nodes_that_take_turns_look_ahead_once_a_turn() {
        assert!(!Prospect::of(MANY, false).take() && !Prospect::of(MANY - 1, true).take());
        let mut prospect = Prospect::of(MANY, true);
        assert!(prospect.take() && !prospect.take());
        prospect.renew();
        assert!(prospect.take() && !prospect.take());
    }
}
