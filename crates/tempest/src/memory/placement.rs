//! The home nodes of a program's data, as a person chooses them. This module must never know how blocks are kept
//! coherent.

use std::fmt;
use std::str::FromStr;

use super::layout::{Array, Homes, Layout};
use crate::NodeId;
use crate::data::BadLayout;

/// A person's choice of the home nodes of an array that a program divides among nodes. In a program's source they
/// follow from the allocation of the data, or from its initialization.
///
/// The input's text is `owner`, `one` or `first-touch`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Placement {
    /// The home of each part of an array is the node that the program itself chose for the part.
    #[default]
    Owner,
    /// The home of all pages is node 0, as in a program where a thread of node 0 initializes all data.
    One,
    /// The home of each page is the node that accesses it first, if the protocol can move homes, as in
    /// [`Homes::FirstTouch`].
    FirstTouch,
}

impl Placement {
    /// The placements with their names.
    const ALL: [(&'static str, Self); 3] =
        [("owner", Self::Owner), ("one", Self::One), ("first-touch", Self::FirstTouch)];
}

impl FromStr for Placement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|(name, _)| *name == text);
        let (_, placement) =
            found.ok_or_else(|| format!("homes `{text}`: expected owner, one or first-touch"))?;
        Ok(placement)
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.into_iter().find_map(|(name, placement)| (placement == *self).then_some(name));
        f.pad(name.unwrap_or_default())
    }
}

impl Layout {
    /// Sets the home nodes of all pages of an array as `placement` says. [`Placement::Owner`] changes no home.
    ///
    /// # Errors
    /// [`BadLayout`] if the array is of another address space.
    pub fn place_all<T>(&mut self, array: Array<T>, placement: Placement) -> Result<(), BadLayout> {
        match placement {
            Placement::Owner => Ok(()),
            Placement::One => self.set_homes(array, Homes::At(NodeId(0))),
            Placement::FirstTouch => self.set_homes(array, Homes::FirstTouch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placement_is_read_as_it_is_written() {
        for (name, placement) in Placement::ALL {
            assert_eq!((name.parse(), placement.to_string()), (Ok(placement), name.to_owned()));
        }
        assert!("owners".parse::<Placement>().unwrap_err().contains("expected owner, one or first-touch"));
    }

    #[test]
    fn parts_keep_their_owners_or_move_to_one_node_or_to_their_first_users() {
        let homes = |placement| {
            let mut layout = Layout::new(4, 64).unwrap();
            let array = layout.array::<u64>("parts", 512, Homes::Parts).unwrap();
            layout.place_all(array, placement).unwrap();
            [0, 1, 2, 3].map(|page| (layout.home_of_page(page).0, layout.is_touched_home(page)))
        };
        assert_eq!(homes(Placement::Owner), [0, 1, 2, 3].map(|home| (home, false)));
        assert_eq!(homes(Placement::One), [(0, false); 4]);
        assert!(homes(Placement::FirstTouch).iter().all(|(_, touched)| *touched));
    }
}
