//! First-touch homes: a page's home is the node that touches it first. Finding the home, as a pure transition function.
//!
//! Such a page has a *manager* (K. Li and P. Hudak, *Memory Coherence in Shared Virtual Memory Systems*, 1989): the node that the
//! layout names. A node that wants the page asks the manager, which names the first node that asked. That node is the page's first
//! home. Before that no node has a right to a block of the page, not even the manager.
//!
//! Another node may learn of the home, and request a block from it, before the home itself is told: two messages of the manager to
//! different nodes are not ordered. A node that has asked the manager and receives a request for a block therefore infers that it
//! is the home; the manager's reply later confirms it.
//!
//! Nothing here sends or touches memory: the explorer drives these very functions. This module must never know the meaning of a
//! block's states.

use tempest::NodeId;

use super::Unspecified;

/// Knowledge of a node about the home of a first-touch page: a page whose home is the node that touches it first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Touch {
    /// The node knows nothing: none of its threads has touched the page.
    #[default]
    Never,
    /// The node has asked the page's manager for the home.
    Requested,
    /// The node itself is the home, as a request of another node has shown; the manager's reply is in flight.
    Inferred,
    /// The node knows the home, which is the given node.
    Home(NodeId),
}

/// An event at a node that concerns a first-touch page, whose home is the node that touches it first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TouchEvent {
    /// A thread of the node touches the page.
    Wanted,
    /// The page's manager answers that the given node is the home.
    Told(NodeId),
    /// Another node requests a block from this node as its home.
    Requested,
}

/// An action of a node in response to a [`TouchEvent`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TouchAction {
    /// Ask the page's manager for the home.
    Ask,
    /// Become the home of the page.
    Adopt,
}

impl Touch {
    /// Returns the home of the page, if it is known; `node` is the node with this knowledge.
    pub fn home(self, node: NodeId) -> Option<NodeId> {
        match self {
            Self::Never | Self::Requested => None,
            Self::Inferred => Some(node),
            Self::Home(home) => Some(home),
        }
    }

    /// Serves `event` at `node`. Returns the action to perform, if any.
    ///
    /// # Errors
    /// [`Unspecified`] if no rule covers the event. The state is unchanged and there is no action.
    pub fn step(&mut self, node: NodeId, event: TouchEvent) -> Result<Option<TouchAction>, Unspecified> {
        let (next, action) = match (*self, event) {
            (Self::Never, TouchEvent::Wanted) => (Self::Requested, Some(TouchAction::Ask)),
            (known, TouchEvent::Wanted) => (known, None),
            (Self::Requested, TouchEvent::Told(home)) if home == node => {
                (Self::Home(node), Some(TouchAction::Adopt))
            }
            (Self::Requested, TouchEvent::Told(home)) => (Self::Home(home), None),
            (Self::Inferred, TouchEvent::Told(home)) if home == node => (Self::Home(node), None),
            (Self::Requested, TouchEvent::Requested) => (Self::Inferred, Some(TouchAction::Adopt)),
            (Self::Inferred, TouchEvent::Requested) => (Self::Inferred, None),
            (Self::Home(home), TouchEvent::Requested) if home == node => (*self, None),
            _ => return Err(Unspecified { event: format!("{event:?}"), state: format!("{self:?}") }),
        };
        *self = next;
        Ok(action)
    }
}

/// Record of a first-touch page at its manager, the node that registers the home: the node that asked first. Empty until a node
/// asks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Registered(Option<NodeId>);

impl Registered {
    /// Returns the home of the page. If none is registered, the node `asker` becomes the home.
    pub fn home_for(&mut self, asker: NodeId) -> NodeId {
        *self.0.get_or_insert(asker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_is_asked_before_it_is_told_is_the_home() {
        let here = NodeId(1);
        let mut touch = Touch::default();
        let step = |touch: &mut Touch, event| touch.step(here, event).map_err(|error| error.to_string());
        assert_eq!(step(&mut touch, TouchEvent::Wanted), Ok(Some(TouchAction::Ask)));
        assert_eq!(step(&mut touch, TouchEvent::Wanted), Ok(None));
        assert_eq!(
            (step(&mut touch, TouchEvent::Requested), touch.home(here)),
            (Ok(Some(TouchAction::Adopt)), Some(here))
        );
        let other = step(&mut touch, TouchEvent::Told(NodeId(0)));
        assert_eq!(other, Err("no rule for Told(NodeId(0)) in state Inferred".to_owned()));
        assert_eq!(step(&mut touch, TouchEvent::Told(here)), Ok(None));
        assert_eq!(touch, Touch::Home(here));
    }

    #[test]
    fn nobody_is_told_unasked() {
        for event in [TouchEvent::Told(NodeId(0)), TouchEvent::Requested] {
            assert!(Touch::Never.step(NodeId(1), event).is_err());
            assert!(Touch::Home(NodeId(2)).step(NodeId(1), event).is_err());
        }
    }

    #[test]
    fn who_asks_first_is_the_home_for_all() {
        let mut registered = Registered::default();
        assert_eq!([2, 0, 1].map(|asker| registered.home_for(NodeId(asker))), [NodeId(2); 3]);
    }
}
