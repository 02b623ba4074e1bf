//! A litmus test, and the final states that it may have. Must never know how a test is run.

use std::collections::BTreeSet;

use formats::litmus::{Formula, Place, Test};

use super::State;
use super::reference::{self, Unknown};

/// A test, and what may come of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The test.
    pub test: Test,
    /// All its final states on a sequentially consistent memory.
    pub allowed: BTreeSet<State>,
}

impl Question {
    /// Asks the oracle.
    ///
    /// # Errors
    /// If the test's final states cannot be found.
    pub fn new(test: Test) -> Result<Self, Unknown> {
        let allowed = reference::allowed(&test)?;
        Ok(Self { test, allowed })
    }

    /// How many nodes it needs: at least two, so that there is a home elsewhere.
    pub fn nodes(&self) -> u32 {
        self.test.threads.len().max(2) as u32
    }

    /// How a state is spelled: `0:x5=1; [x]=2;`.
    pub fn state_name(&self, state: &State) -> String {
        let one = |(place, value): (&Place, &i64)| {
            format!("{}={};", self.test.place_name(*place), self.test.value_name(*value))
        };
        self.test.observed.iter().zip(state).map(one).collect::<Vec<_>>().join(" ")
    }

    /// Whether a formula of the test holds of a state.
    pub fn holds(&self, formula: &Formula, state: &State) -> bool {
        formula.holds(&|place| {
            let index = self.test.observed.iter().position(|observed| *observed == place);
            state[index.expect("what a test's formulas name is observed")]
        })
    }

    pub(super) fn passes(&self, state: &State) -> bool {
        self.test.filter.as_ref().is_none_or(|filter| self.holds(filter, state))
    }
}
