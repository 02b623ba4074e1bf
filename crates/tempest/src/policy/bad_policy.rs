//! Errors in the text of a policy.
//!
//! This module must never know the effect of a policy.

use units::ParseError;

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
