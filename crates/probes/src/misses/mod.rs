//! Probes of shared memory: the time of a miss on an idle machine, and the throughput of misses on a saturated one.
//!
//! | module | what it holds |
//! |---|---|
//! | [`remote_miss`] | one thread misses, one block after the other |
//! | [`saturation`] | many threads miss at once |
//! | `pattern` | who misses on which blocks of whom |
//! | `busy` | a home that computes and polls meanwhile |
//! | `probe` | the program behind both |
//!
//! The procedures follow B. Falsafi and D. A. Wood on fixed and floating protocol processors (about 1996), section 6
//! of their measurements. Every miss is on a distinct block, and the loop of a busy home is slightly irregular. With
//! a regular loop, the period of the misses and that of the polls would lock.
//!
//! This folder must never know how blocks are kept coherent.

mod busy;
mod pattern;
mod probe;
pub mod remote_miss;
pub mod saturation;

use std::fmt;
use std::str::FromStr;

/// The kind of access by which a thread misses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A load, where the node has no copy.
    Read,
    /// A store, where the node has no copy.
    Write,
    /// A store, where the node has a read-only copy.
    Upgrade,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Upgrade];

    const fn name(self) -> &'static str {
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
enum Home {
    /// The threads of a home wait.
    Idle,
    /// One thread of each home runs a tight loop that polls.
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
