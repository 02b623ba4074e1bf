//! The parts of a command: programs, protocols, and the name of its binary. This module must never know the behaviour
//! of a program or protocol.

use std::fmt;

use tempest::entry::{Coherence, Duplicate, Entry, Table};

/// The parts of a command: its programs, its protocols, its name.
#[derive(Clone, Debug)]
pub struct App {
    /// The name of the binary, as people type it.
    pub(crate) name: String,
    /// The programs that people choose from.
    pub(crate) programs: Table,
    /// The protocols that keep shared memory coherent, at least one. The first is used unless a person says another.
    pub(crate) protocols: &'static [Coherence],
}

/// The reason why programs and protocols make no command.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BadApp {
    /// Two programs have one name.
    Program(Duplicate),
    /// Two protocols have one name.
    Protocol {
        /// The name.
        name: &'static str,
        /// The summaries of the two protocols.
        summaries: [&'static str; 2],
    },
    /// No protocol keeps shared memory coherent.
    NoProtocol,
}

impl App {
    /// A command of this name with these programs, and these protocols for shared memory.
    ///
    /// Only few of them are expected in the life of a process: their protocols are never freed.
    ///
    /// # Errors
    /// [`BadApp`] if two programs or two protocols have one name, or there is no protocol.
    pub fn new(
        name: impl Into<String>,
        programs: &[&[Entry]],
        protocols: &[&[Coherence]],
    ) -> Result<Self, BadApp> {
        let programs = Table::new(programs).map_err(BadApp::Program)?;
        let protocols = protocols.concat();
        if protocols.is_empty() {
            return Err(BadApp::NoProtocol);
        }
        for (index, protocol) in protocols.iter().enumerate() {
            if let Some(earlier) = protocols[..index].iter().find(|earlier| earlier.name == protocol.name) {
                let summaries = [earlier.summary, protocol.summary];
                return Err(BadApp::Protocol { name: protocol.name, summaries });
            }
        }
        Ok(Self { name: name.into(), programs, protocols: protocols.leak() })
    }
}

impl fmt::Display for BadApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(duplicate) => duplicate.fmt(f),
            Self::Protocol { name, summaries: [one, other] } => write!(
                f,
                "two protocols are called `{name}` (\"{one}\" and \"{other}\"): expected another name for one"
            ),
            Self::NoProtocol => f.write_str("no protocol for shared memory: expected one such as `stache`"),
        }
    }
}

impl std::error::Error for BadApp {}

#[cfg(test)]
mod tests {
    use super::*;

    const fn protocol(name: &'static str, summary: &'static str) -> Coherence {
        Coherence { name, summary, install: |_, _| unreachable!() }
    }

    #[test]
    fn a_name_that_two_programs_share_is_refused_with_both() {
        const fn entry(summary: &'static str) -> Entry {
            Entry { name: "sort", summary, mechanisms: &[], inputs: &[], load: |_| unreachable!() }
        }
        let parts: [&[Entry]; 2] = [&[entry("by keys")], &[entry("by merging")]];
        let said = App::new("test", &parts, &[&[protocol("mine", "")]]).unwrap_err().to_string();
        assert!(said.contains("`sort` (\"by keys\" and \"by merging\")"), "{said}");
    }

    #[test]
    fn a_name_that_two_protocols_share_is_refused_with_both() {
        let parts: [&[Coherence]; 2] = [&[protocol("mine", "by hand")], &[protocol("mine", "by a table")]];
        let said = App::new("test", &[], &parts).unwrap_err().to_string();
        assert_eq!(
            said,
            "two protocols are called `mine` (\"by hand\" and \"by a table\"): expected another name for one"
        );
        assert_eq!(App::new("test", &[], &[]).unwrap_err(), BadApp::NoProtocol);
    }
}
