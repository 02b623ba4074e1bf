//! The kinds of misses, and the activity of homes while other nodes miss. This module must never know how a miss is
//! timed.

use std::fmt;
use std::str::FromStr;

/// The kind of access by which a thread misses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A load, where the node has no copy.
    Read,
    /// A store, where the node has no copy.
    Write,
    /// A store, where the node has a read-only copy.
    Upgrade,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Upgrade];

    /// The name on the command line.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Upgrade => "upgrade",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            format!("no kind of miss `{text}`: expected one of {}", Self::ALL.map(Self::name).join(", "))
        })
    }
}

/// The activity of homes while other nodes miss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    /// The threads of a home wait.
    Idle,
    /// A thread of each home runs a tight loop that polls.
    Busy,
}

impl fmt::Display for Home {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Home::Idle => "idle",
            Home::Busy => "busy",
        })
    }
}

impl FromStr for Home {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "idle" => Ok(Self::Idle),
            "busy" => Ok(Self::Busy),
            _ => Err(format!("no home `{text}`: expected idle or busy")),
        }
    }
}
