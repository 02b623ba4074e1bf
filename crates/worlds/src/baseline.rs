//! A baseline: the run that the speed of another is measured against. This module must never know how results look.

use std::fmt;
use std::str::FromStr;

use tempest::entry::UnknownName;

use crate::{Error, Mistake, Setting, Target};

/// A run that the speed of another is measured against. Both solve the same problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Baseline {
    /// A single thread on the [uniprocessor](machine::Machine::uniprocessor) of the machine: computation and memory, no
    /// tags and no messages.
    Uniprocessor,
}

impl Baseline {
    /// Every baseline.
    pub const ALL: [Self; 1] = [Self::Uniprocessor];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniprocessor => "uniprocessor",
        }
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Baseline {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let known = Self::ALL.into_iter().find(|baseline| baseline.name() == name);
        known.ok_or_else(|| UnknownName::new("baseline", name, Self::ALL.iter().map(|known| known.name())))
    }
}

/// The policy of a uniprocessor: its only processor does everything.
const ALONE: &str = "single";

impl Setting {
    /// The run that the speed of this one is measured against. It solves the problem of this run, by the same mechanism.
    ///
    /// # Errors
    /// [`Error::Wrong`] if the run is on this host, whose memory has tags always, or cannot be as it is.
    pub fn baseline(&self, baseline: Baseline) -> Result<Self, Error> {
        let Target::Model { machine, file } = &self.target else {
            return Err(Mistake::NativeBaseline { baseline: baseline.name() }.into());
        };
        let problem = self.plan()?.problem;
        let Baseline::Uniprocessor = baseline;
        let machine = machine.under(self.policy.preset()).uniprocessor();
        let mut alone = Self {
            target: Target::Model { machine: machine.into(), file: file.clone() },
            nodes: 1,
            processors: 1,
            threads: 1,
            policy: ALONE.parse().expect("a preset is a policy"),
            trace: None,
            progress: None,
            ..self.clone()
        };
        alone.subject.problem = Some(problem);
        Ok(alone)
    }
}
