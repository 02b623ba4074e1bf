//! The ways of dealing out the lines of an image. This module must never know the content of a line.

use std::{fmt, str::FromStr};

/// A way of dealing out lines to threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Balance {
    /// Line after line to thread after thread, of all nodes in turn.
    Dealt,
    /// A thread takes the next free line, by a counter on node 0.
    Counter,
}

impl Balance {
    const ALL: [Self; 2] = [Self::Dealt, Self::Counter];

    /// The name on the command line.
    fn name(self) -> &'static str {
        match self {
            Self::Dealt => "dealt",
            Self::Counter => "counter",
        }
    }
}

impl FromStr for Balance {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|balance| balance.name() == name);
        known.ok_or_else(|| format!("balance `{name}`: expected {}", Self::ALL.map(Self::name).join(" or ")))
    }
}

impl fmt::Display for Balance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
