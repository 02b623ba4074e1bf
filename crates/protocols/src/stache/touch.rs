//! Pages whose home is the node that touches them first: who is told, as a pure transition function.
//!
//! Such a page has a *manager* (K. Li and P. Hudak, *Memory Coherence in Shared Virtual Memory Systems*, 1989), the node that the layout
//! names. A node that wants the page asks the manager, which tells everybody the
//! node that asked first. That node is the page's first home. Nobody has a right to a block of the page before, the manager neither.
//!
//! Another node may hear of the home, and ask it for a block, before the home itself is told: two messages of the manager to different
//! nodes have no order. A node that has asked the manager and is asked for a block knows therefore that it is the home; the answer
//! that comes later says the same.
//!
//! Nothing here sends or touches memory: the explorer drives these very functions. This module must never know what a
//! block's states mean.

use tempest::NodeId;

use super::Unspecified;

/// What a node knows of the home of a page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Touch {
    /// Nothing: no thread of the node has touched the page.
    #[default]
    Never,
    /// It has asked the manager.
    Asked,
    /// It is the home, as a request of another node has shown, and the manager's answer is on its way.
    Inferred,
    /// The home.
    Home(NodeId),
}

/// What happens to a page of which a node may not know the home.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TouchEvent {
    /// A thread of the node touches the page.
    Wanted,
    /// The manager says who the home is.
    Told(NodeId),
    /// Another node asks for a block, as of its home.
    Requested,
}

/// What the node is to do about an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TouchAction {
    /// Ask the manager.
    Ask,
    /// Become the home.
    Adopt,
}

impl Touch {
    /// The home, if `node`, whose knowledge this is, knows it.
    pub fn home(self, node: NodeId) -> Option<NodeId> {
        match self {
            Self::Never | Self::Asked => None,
            Self::Inferred => Some(node),
            Self::Home(home) => Some(home),
        }
    }

    /// Serves an event at `node`.
    ///
    /// # Errors
    /// [`Unspecified`], with nothing changed and nothing to do, if no rule covers it.
    pub fn step(&mut self, node: NodeId, event: TouchEvent) -> Result<Option<TouchAction>, Unspecified> {
        let (next, action) = match (*self, event) {
            (Self::Never, TouchEvent::Wanted) => (Self::Asked, Some(TouchAction::Ask)),
            (known, TouchEvent::Wanted) => (known, None),
            (Self::Asked, TouchEvent::Told(home)) if home == node => {
                (Self::Home(node), Some(TouchAction::Adopt))
            }
            (Self::Asked, TouchEvent::Told(home)) => (Self::Home(home), None),
            (Self::Inferred, TouchEvent::Told(home)) if home == node => (Self::Home(node), None),
            (Self::Asked, TouchEvent::Requested) => (Self::Inferred, Some(TouchAction::Adopt)),
            (Self::Inferred, TouchEvent::Requested) => (Self::Inferred, None),
            (Self::Home(home), TouchEvent::Requested) if home == node => (*self, None),
            _ => return Err(Unspecified { event: format!("{event:?}"), state: format!("{self:?}") }),
        };
        *self = next;
        Ok(action)
    }
}

/// The manager's note of a page: the node that has asked first, once one has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Registered(Option<NodeId>);

impl Registered {
    /// The home, as a node that asks is told.
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
