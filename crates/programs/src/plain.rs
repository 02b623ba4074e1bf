//! Programs whose inputs are a few integers: all that such a program needs, and what the registry needs of it.
//!
//! `use crate::plain::*;` brings in the waist. `docs/new-program.md` walks through one. This module must never know any
//! one program.

use std::collections::BTreeMap;

pub use bytemuck::{Pod, Zeroable};
pub use tempest::*;

pub use crate::Input;
use crate::given::Reader;
use crate::{Entry, Given, Instance, Loaded};

/// The inputs of a plain program, by key: `numbers["values"]`.
pub type Numbers = BTreeMap<&'static str, u32>;

/// A program that is told integers only.
pub trait Plain: Program<Config = Numbers> {
    /// What it can be told: [integers](Input::integer).
    const INPUTS: &'static [Input];
}

/// How the registry lists a plain program: by what name, and one line for people.
pub(crate) const fn entry<P: Plain>(name: &'static str, summary: &'static str) -> Entry {
    Entry { name, summary, mechanisms: &[Mechanism::Messages], inputs: P::INPUTS, load: load::<P> }
}

fn load<P: Plain>(given: &Given) -> Loaded {
    let mut reader = Reader::new(given, P::INPUTS);
    let numbers = P::INPUTS.iter().map(|input| (input.key, reader.integer(input.key))).collect();
    reader.finish()?;
    Ok(Box::new(Told { numbers, job: Job::new::<P> }))
}

/// A plain program that has been told its numbers.
struct Told {
    numbers: Numbers,
    job: fn(Numbers) -> Job,
}

impl Instance for Told {
    fn job(&self, _: Mechanism, _: Shape, _seed: u64) -> Result<Job, String> {
        Ok((self.job)(self.numbers.clone()))
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        self.numbers.iter().map(|(key, number)| (*key, number.to_string())).collect()
    }
}

#[cfg(test)]
mod tests {
    const PAGE: &str = include_str!("../../../docs/new-program.md");
    const FILE: &str = include_str!("histogram.rs");

    #[test]
    fn the_page_shows_the_file_as_it_is_in_forty_lines() {
        let (_, code) = FILE.split_once("\n\n").unwrap();
        assert!(PAGE.contains(code));
        let lines = code.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with("//"));
        assert_eq!(lines.count(), 40);
    }

    #[test]
    fn the_page_shows_the_registry_line() {
        let registry = include_str!("registry.rs");
        let line = registry.lines().find(|line| line.contains("histogram::Histogram")).unwrap();
        assert!(PAGE.contains(line));
    }
}
