//! Room for pages of other nodes, as an input of programs that move data through shared memory. This module must never
//! know any one program.

use std::fmt;
use std::str::FromStr;

use protocols::stache::Frames;

use crate::Input;

/// The input.
pub(crate) const FRAMES: Input = Input::text(
    "frames",
    "all",
    "room on a node for pages of others in shared memory: all, from the start; on-demand: all, each found when first used; \
     or how many at a time",
);

/// What it says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Room {
    /// For all pages, from the start.
    #[default]
    All,
    /// For all pages, each found when it is first used.
    OnDemand,
    /// For so many at a time.
    AtMost(u32),
}

impl From<Room> for Frames {
    fn from(room: Room) -> Self {
        match room {
            Room::All => Self::Premapped,
            Room::OnDemand => Self::OnDemand,
            Room::AtMost(most) => Self::AtMost(most),
        }
    }
}

impl FromStr for Room {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            "on-demand" => Ok(Self::OnDemand),
            _ => text
                .parse()
                .map(Self::AtMost)
                .map_err(|_| format!("room for `{text}` pages: expected all, on-demand or a whole number")),
        }
    }
}

impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.pad("all"),
            Self::OnDemand => f.pad("on-demand"),
            Self::AtMost(most) => write!(f, "{most}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_read_what_they_print() {
        for room in [Room::All, Room::OnDemand, Room::AtMost(2)] {
            assert_eq!(room.to_string().parse(), Ok(room));
        }
        assert_eq!(FRAMES.default.parse(), Ok(Room::default()));
        for wrong in ["-1", "1.5", "some", ""] {
            let error = wrong.parse::<Room>().unwrap_err();
            assert_eq!(error, format!("room for `{wrong}` pages: expected all, on-demand or a whole number"));
        }
    }
}
