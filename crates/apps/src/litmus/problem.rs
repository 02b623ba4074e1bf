//! A litmus test, and the final states that it may have. This module must never know how a test is run.

use std::collections::BTreeSet;

use formats::litmus::{Formula, Place, Test};

use super::reference::{self, State, Unknown};

/// A test, and the final states that sequential consistency allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The test, as read from its file.
    pub test: Test,
    /// All final states of the test on a sequentially consistent memory.
    pub allowed: BTreeSet<State>,
}

impl Question {
    /// Finds the allowed final states of a test.
    ///
    /// # Errors
    /// [`Unknown`] if they cannot be found.
    pub fn new(test: Test) -> Result<Self, Unknown> {
        let allowed = reference::allowed(&test)?;
        Ok(Self { test, allowed })
    }

    /// The number of nodes that the test needs: one for each thread, and at least two, so that some home is on
    /// another node.
    pub fn nodes(&self) -> u32 {
        self.test.threads.len().max(2) as u32
    }

    /// The text of a state, such as `0:x5=1; [x]=2;`.
    pub fn state_name(&self, state: &State) -> String {
        let one = |(place, value): (&Place, &i64)| {
            format!("{}={};", self.test.place_name(*place), self.test.value_name(*value))
        };
        self.test.observed.iter().zip(state).map(one).collect::<Vec<_>>().join(" ")
    }

    /// Whether a formula of the test is true in a state.
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
