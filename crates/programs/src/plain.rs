//! Programs whose inputs are a few integers: all that such a program needs, and what the registry needs of it.
//!
//! `use crate::plain::*;` brings in the waist. `docs/new-program.md` walks through one. This module must never know any
//! one program.

use std::collections::BTreeMap;
use std::ops::Deref;

pub use bytemuck::{Pod, Zeroable};
use protocols::stache::Stache;
pub use tempest::*;

pub use crate::Input;
use crate::frames::Room;
use crate::given::Reader;
use crate::{Entry, Given, Instance, Loaded, Plan};

/// Integers by the key of their input.
pub(crate) type Values = BTreeMap<&'static str, u32>;

/// What a plain program is told: its inputs, by key (`numbers["values"]`), and how it is to be run.
#[derive(Debug)]
pub struct Numbers {
    values: Values,
    plan: Plan,
}

impl Deref for Numbers {
    type Target = BTreeMap<&'static str, u32>;
    fn deref(&self) -> &Self::Target {
        &self.values
    }
}

impl Numbers {
    /// One array of shared memory for all nodes, as the node being settled sees it. A program calls this once.
    ///
    /// # Panics
    /// If there is no room for such an array.
    pub fn share<T: Word>(
        &self,
        node: &mut Setup<'_>,
        lay: impl FnOnce(&mut Layout) -> Result<Array<T>, BadLayout>,
    ) -> Shared<T> {
        let laid = self.plan.space().and_then(|mut space| {
            let array = lay(&mut space).map_err(|bad| bad.to_string())?;
            Ok((self.plan.coherent(space, Room::All)?, array))
        });
        let (config, array) = laid.unwrap_or_else(|bad| panic!("{bad}"));
        node.install::<Stache>(&config).bind(array)
    }
}

/// A program that is told integers only.
pub trait Plain: Program<Config = Numbers> {
    /// What it can be told: [integers](Input::integer).
    const INPUTS: &'static [Input];

    /// How its data moves.
    const MECHANISMS: &'static [Mechanism] = &[Mechanism::Messages];
}

/// How the registry lists a plain program: by what name, and one line for people.
pub(crate) const fn entry<P: Plain>(name: &'static str, summary: &'static str) -> Entry {
    Entry { name, summary, mechanisms: P::MECHANISMS, inputs: P::INPUTS, load: load::<P> }
}

fn load<P: Plain>(given: &Given) -> Loaded {
    let mut reader = Reader::new(given, P::INPUTS);
    let values = P::INPUTS.iter().map(|input| (input.key, reader.integer(input.key))).collect();
    reader.finish()?;
    Ok(Box::new(Told { values, job: Job::new::<P> }))
}

/// A plain program that has been told its numbers.
struct Told {
    values: Values,
    job: fn(Numbers) -> Job,
}

impl Instance for Told {
    fn job(&self, plan: &Plan) -> Result<Job, String> {
        Ok((self.job)(Numbers { values: self.values.clone(), plan: *plan }))
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        self.values.iter().map(|(key, number)| (*key, number.to_string())).collect()
    }
}

#[cfg(test)]
mod tests {
    const PAGE: &str = include_str!("../../../docs/new-program.md");
    const FILES: [&str; 2] = [include_str!("histogram.rs"), include_str!("shared_histogram.rs")];

    #[test]
    fn the_page_shows_the_files_as_they_are_in_forty_five_lines_at_most() {
        let lines = FILES.map(|file| {
            let (_, code) = file.split_once("\n\n").unwrap();
            assert!(PAGE.contains(code), "{code}");
            let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
            code.lines().filter(is_code).count()
        });
        assert!(lines[0] == 44 && lines[1] <= 45, "{lines:?}");
    }

    #[test]
    fn the_page_shows_the_registry_lines() {
        let registry = include_str!("registry.rs");
        for name in ["<histogram::Histogram", "<shared_histogram::SharedHistogram"] {
            let line = registry.lines().find(|line| line.contains(name)).unwrap();
            assert!(PAGE.contains(line), "{line}");
        }
    }
}
