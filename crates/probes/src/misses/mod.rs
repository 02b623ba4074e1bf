//! Probes of shared memory: what a miss costs when nothing else happens, and when as much happens as can.
//!
//! | module | what it holds |
//! |---|---|
//! | [`remote_miss`] | one thread misses, one block after the other |
//! | [`saturation`] | many threads miss at once |
//! | `pattern` | who misses on which blocks of whom |
//! | `busy` | a home that computes and polls meanwhile |
//! | `probe` | the program behind both |
//!
//! The procedures are those of B. Falsafi and D. A. Wood on fixed and floating protocol processors (about 1996), section 6 of its
//! measurements, with distinct blocks and a home whose loop is a little irregular: without that the loop of misses and the
//! interval of polls beat against each other.
//!
//! This folder must never know how blocks are kept coherent.

mod busy;
mod pattern;
mod probe;
pub mod remote_miss;
pub mod saturation;

use std::str::FromStr;

/// What a thread does to a block that its node has no right to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Loads, having nothing.
    Read,
    /// Stores, having nothing.
    Write,
    /// Stores, having a copy to read.
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

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            format!("no kind of miss `{text}`: expected one of {}", Self::ALL.map(Self::name).join(", "))
        })
    }
}

/// What homes do while others miss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Home {
    /// Their threads wait.
    Idle,
    /// One thread of each goes round a tight loop that polls.
    Busy,
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
