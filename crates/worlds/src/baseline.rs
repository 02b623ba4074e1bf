//! A baseline: the run against which the speed of another is measured. For a comparison it may be a combination of the comparison. This
//! module must never know how results look.

use std::fmt;
use std::str::FromStr;

use compare::Way;
use tempest::entry::UnknownName;
use tempest::policy::BadPolicy;
use tempest::{Mechanism, Policy};

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

/// The run that the rows of a comparison are measured against.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reference {
    /// A run beside the comparison's own, on each model.
    Baseline(Baseline),
    /// A combination of the comparison, on each machine.
    Row(Way),
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Baseline(baseline) => baseline.fmt(f),
            Self::Row(way) => write!(f, "{}:{}", way.mechanism, way.policy),
        }
    }
}

impl FromStr for Reference {
    type Err = String;

    /// Reads the name of a baseline, or `MECHANISM:POLICY`.
    fn from_str(text: &str) -> Result<Self, String> {
        let Some((mechanism, policy)) = text.split_once(':') else {
            let baseline = text.parse().map_err(|unknown: UnknownName| {
                format!("{unknown}, or a row as MECHANISM:POLICY, such as messages:single")
            })?;
            return Ok(Self::Baseline(baseline));
        };
        let unknown =
            |_| UnknownName::new("mechanism", mechanism, Mechanism::ALL.map(Mechanism::name)).to_string();
        let mechanism = mechanism.parse().map_err(unknown)?;
        let policy: Policy = policy.parse().map_err(|bad: BadPolicy| bad.to_string())?;
        Ok(Self::Row(Way { mechanism, policy: policy.to_string() }))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_a_baseline_or_a_row_and_is_read_as_it_is_written() {
        for text in ["uniprocessor", "messages:single", "shared-memory:fixed:2+serial"] {
            assert_eq!(text.parse::<Reference>().map(|read| read.to_string()), Ok(text.to_owned()));
        }
        for (text, says) in [
            ("uniprocesor", "did you mean `uniprocessor`?"),
            ("single", "or a row as MECHANISM:POLICY"),
            ("mesages:single", "did you mean `messages`?"),
            ("messages:singel", "unknown policy `singel`"),
        ] {
            let error = text.parse::<Reference>().unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
