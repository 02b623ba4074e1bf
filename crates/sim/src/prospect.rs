//! The policy for prefetching for the next events: once a turn, where many nodes take turns, and at each event, where
//! many nodes share one queue.
//!
//! This module must never know an event.

/// The number of nodes from which on they count as many: together they no longer lie in the near caches of the host.
pub(crate) const MANY: usize = 256;

/// The number of nodes from which on they count as far: a node takes 13 KiB, and together they lie in no cache of most
/// hosts.
pub(crate) const FAR: usize = 4096;

/// Whether to prefetch for the next events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prospect {
    /// The nodes are few.
    Never,
    /// The nodes take turns, and no prefetch has been made in this turn.
    Due,
    /// The nodes take turns, and the prefetch of this turn has been made.
    Done,
    /// The nodes share one queue.
    Always,
}

impl Prospect {
    /// The prospect of a run on `nodes` nodes, which take turns or share one queue.
    pub(crate) fn of(nodes: usize, turns: bool) -> Self {
        match turns {
            _ if nodes < MANY => Self::Never,
            true => Self::Due,
            false => Self::Always,
        }
    }

    /// Begins a turn.
    pub(crate) fn renew(&mut self) {
        if *self == Self::Done {
            *self = Self::Due;
        }
    }

    /// Whether to prefetch now. In runs with turns, true once a turn.
    #[inline]
    pub(crate) fn take(&mut self) -> bool {
        let tells = matches!(self, Self::Due | Self::Always);
        if tells && *self == Self::Due {
            *self = Self::Done;
        }
        tells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_nodes_that_take_turns_look_ahead_once_a_turn() {
        assert!(!Prospect::of(MANY - 1, false).take() && !Prospect::of(MANY - 1, true).take());
        let mut prospect = Prospect::of(MANY, true);
        assert!(prospect.take() && !prospect.take());
        prospect.renew();
        assert!(prospect.take() && !prospect.take());
    }

    #[test]
    fn many_nodes_that_share_one_queue_look_ahead_at_each_event() {
        let mut prospect = Prospect::of(MANY, false);
        assert!(prospect.take() && prospect.take());
        prospect.renew();
        assert!(prospect.take());
    }
}
