//! Errors in the text of a policy or of a mechanism.
//!
//! This module must never know the effect of a policy.

use std::fmt;

use units::ParseError;

use crate::Mechanism;
use crate::policy::{OPTIONS, PRESETS};

/// The reason why a text names no [`Policy`](crate::Policy). Its own text is one line that states the expected form.
///
/// ```
/// use tradewind_tempest::Policy;
/// use tradewind_tempest::policy::BadPolicy;
///
/// let bad = "fixd:2".parse::<Policy>().unwrap_err();
/// assert_eq!(bad, BadPolicy::Unknown { name: "fixd".to_owned() });
/// assert!(bad.to_string().starts_with("unknown policy `fixd`: expected one of single, fixed, "));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BadPolicy {
    /// No preset has this name.
    Unknown {
        /// The name.
        name: String,
    },
    /// The preset takes no `:COUNT`.
    NoCount {
        /// The name of the preset.
        preset: &'static str,
    },
    /// The count is no number from 1 to 64.
    Count {
        /// The name of the preset.
        preset: &'static str,
        /// The count, as it was typed.
        count: String,
    },
    /// No option is spelled so.
    UnknownOption {
        /// The option, without its `+`.
        option: String,
    },
    /// `+every` without a number of back-edges.
    Every {
        /// The option, without its `+`.
        option: String,
    },
    /// The option `+helper=` with a text that is no time.
    HelperTime {
        /// The option, without its `+`.
        option: String,
        /// The error in the time.
        why: ParseError,
    },
    /// `+strict` under a policy whose processors take no turns.
    Strict {
        /// The policy, as far as it was read.
        policy: String,
    },
    /// `+helper` under a policy whose computing processors do not poll for messages.
    Helper {
        /// The policy, as far as it was read.
        policy: String,
    },
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
            Self::Strict { policy } => {
                write!(f, "policy `{policy}+strict`: only idle processors take turns, as under floating")
            }
            Self::Helper { policy } => write!(
                f,
                "policy `{policy}+helper`: a helper is for computing processors that poll, as under floating"
            ),
        }
    }
}

impl std::error::Error for BadPolicy {}

/// A text that names no [`Mechanism`]. Its own text lists the names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownMechanism {
    /// The text.
    pub name: String,
}

impl fmt::Display for UnknownMechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Mechanism::ALL.map(Mechanism::name);
        write!(f, "unknown mechanism `{}`: expected one of {}", self.name, names.join(", "))
    }
}

impl std::error::Error for UnknownMechanism {}
