//! Programs whose inputs are a few integers: all that such a program needs, and what a table needs of it.
//!
//! `use tempest::entry::plain::*;` brings in the waist. `docs/new-program.md` walks through one. This module must never know
//! any one program.

use std::collections::BTreeMap;
use std::ops::Deref;

pub use bytemuck::{Pod, Zeroable};

pub use super::Input;
use super::{BadPlan, Entry, Given, Instance, Loaded, Plan, Reader};
pub use crate::*;

/// Integers by the key of their input.
pub type Values = BTreeMap<&'static str, u32>;

/// The configuration of a plain program: its inputs, by key (`numbers["values"]`), and the plan of the run.
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
        self.plan.share(node, lay)
    }
}

/// A program whose inputs are integers only.
pub trait Plain: Program<Config = Numbers> {
    /// The declared inputs: [integers](Input::integer).
    const INPUTS: &'static [Input];

    /// The mechanisms that the program is written for.
    const MECHANISMS: &'static [Mechanism] = &[Mechanism::Messages];
}

/// Makes the entry of a plain program: its name, and a one-line description for people.
pub const fn entry<P: Plain>(name: &'static str, summary: &'static str) -> Entry {
    Entry { name, summary, mechanisms: P::MECHANISMS, inputs: P::INPUTS, load: load::<P> }
}

fn load<P: Plain>(given: &Given) -> Loaded {
    let mut reader = Reader::new(given, P::INPUTS);
    let values = P::INPUTS.iter().map(|input| (input.key, reader.integer(input.key))).collect();
    reader.finish()?;
    Ok(Box::new(Told { values, job: Job::new::<P> }))
}

/// A plain program whose inputs have been read.
struct Told {
    values: Values,
    job: fn(Numbers) -> Job,
}

impl Instance for Told {
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan> {
        Ok((self.job)(Numbers { values: self.values.clone(), plan: *plan }))
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        self.values.iter().map(|(key, number)| (*key, number.to_string())).collect()
    }
}
