//! The parser of the text of a policy, and the texts of its errors.
//!
//! This module must never know the effect of a policy.

use std::fmt;
use std::str::FromStr;

use super::arrangement::{PRESETS, Policy, Preset, Turns, default_dispatch};
use super::bad_policy::BadPolicy;
use super::options::{OPTIONS, PolicyOption, apply};
use super::service::{self, Stated};

impl FromStr for Policy {
    type Err = BadPolicy;

    /// Reads the text `PRESET[:COUNT][+OPTION]…` of a policy.
    fn from_str(text: &str) -> Result<Self, BadPolicy> {
        let mut parts = text.split('+');
        let head = parts.next().unwrap_or_default();
        let (name, count) = match head.split_once(':') {
            Some((name, count)) => (name, Some(count)),
            None => (head, None),
        };
        let preset = PRESETS
            .iter()
            .find(|preset| preset.name == name)
            .ok_or_else(|| BadPolicy::Unknown { name: name.to_owned() })?;
        let count = read_count(preset, count)?;
        let mut policy = Policy {
            preset,
            count,
            servers: preset.servers,
            dispatch: default_dispatch(preset, count),
            notice: preset.notice,
            injector: preset.injector,
            poll_every: None,
            turns: Turns::IdleFirst,
            bound: false,
            helper: None,
            stated: Stated::default(),
        };
        parts.try_for_each(|option| apply(&mut policy, option))?;
        Ok(policy)
    }
}

fn read_count(preset: &Preset, count: Option<&str>) -> Result<u32, BadPolicy> {
    match count {
        None => Ok(u32::from(preset.counted)),
        Some(_) if !preset.counted => Err(BadPolicy::NoCount { preset: preset.name }),
        Some(count) => count
            .parse()
            .ok()
            .filter(|count| (1..=64).contains(count))
            .ok_or_else(|| BadPolicy::Count { preset: preset.name, count: count.to_owned() }),
    }
}

impl fmt::Display for BadPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name } => {
                let names: Vec<_> = PRESETS.iter().map(|preset| preset.name).collect();
                write!(f, "unknown policy `{name}`: expected one of {}", names.join(", "))
            }
            Self::NoCount { preset } => write!(f, "policy `{preset}` takes no count: expected `{preset}`"),
            Self::Count { preset, count } => {
                write!(f, "policy `{preset}:{count}`: expected a number of processors from 1 to 64")
            }
            Self::UnknownOption { option } => {
                let options: Vec<_> = OPTIONS.iter().map(|option| option.text).collect();
                let (last, known) = options.split_last().expect("policies have options");
                write!(f, "policy option `+{option}`: expected {} or {last}", known.join(", "))
            }
            Self::Every { option } => {
                write!(f, "policy option `+{option}`: expected a number of back-edges")
            }
            Self::HelperTime { option, why } => write!(f, "policy option `+{option}`: {why}"),
            Self::Turns { policy, option } => {
                write!(f, "policy `{policy}+{option}`: only idle processors take turns, as under floating")
            }
            Self::Serve { option } => {
                write!(f, "policy option `+{option}`: ")?;
                service::expected(f)
            }
            Self::ServeApart { policy } => write!(
                f,
                "policy `{policy}+serve`: only a computing and a network processor divide classes, as under np or proc"
            ),
            Self::Helper { policy } => write!(
                f,
                "policy `{policy}+helper`: a helper is for computing processors that poll, as under floating"
            ),
        }
    }
}

impl std::error::Error for BadPolicy {}

impl PolicyOption {
    /// The capabilities of a machine that this option adds to the needs of a policy, in the words of the `can` lists of
    /// machine files.
    pub fn needs(&self) -> Vec<&'static str> {
        let needs = |text: &str| Policy::from_str(text).map_or_else(|_| Vec::new(), |policy| policy.needs());
        let (policy, with) = self.example();
        let without = needs(policy);
        needs(&with).into_iter().filter(|need| !without.contains(need)).collect()
    }

    /// Returns a policy that takes the option, and the text of this policy with the option and an example of a value.
    pub(super) fn example(&self) -> (&'static str, String) {
        let policy = if self.name() == "serve" { "proc" } else { "floating" };
        let value =
            self.text.replace("=K", "=3").replace("TIME", "20us").replace("CLASS:SERVER", "user:network");
        (policy, format!("{policy}{value}"))
    }
}
