//! Errors in the text of a policy.
//!
//! This module must never know the effect of a policy.

use units::ParseError;

/// The reason why a text does not describe a [`Policy`](crate::Policy). It displays as one line that states the
/// expected form.
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
    /// No policy has this name.
    Unknown {
        /// The unknown name.
        name: String,
    },
    /// The text has a `:COUNT`, which this policy does not take.
    NoCount {
        /// The name of the policy.
        preset: &'static str,
    },
    /// The `:COUNT` of the policy is not a number from 1 to 64.
    Count {
        /// The name of the policy.
        preset: &'static str,
        /// The `COUNT`, as it was typed.
        count: String,
    },
    /// No policy option has this name.
    UnknownOption {
        /// The option as it was typed, without its `+`.
        option: String,
    },
    /// The policy option `+every` has no number of loop back-edges.
    Every {
        /// The option as it was typed, without its `+`.
        option: String,
    },
    /// The policy option `+helper=` has a text that is not a time.
    HelperTime {
        /// The option as it was typed, without its `+`.
        option: String,
        /// The error in the time.
        why: ParseError,
    },
    /// The option `+strict` or `+waiting` is used with a policy whose processors take no turns.
    Turns {
        /// The text of the policy, up to this option.
        policy: String,
        /// The option, without its `+`.
        option: &'static str,
    },
    /// The policy option `+serve=` names no class of messages or no server.
    Serve {
        /// The option as it was typed, without its `+`.
        option: String,
    },
    /// The option `+serve` is used with a policy that does not divide handlers between computing and network processors.
    ServeApart {
        /// The text of the policy, up to this option.
        policy: String,
    },
    /// The option `+helper` is used with a policy whose computing processors do not poll for messages.
    Helper {
        /// The text of the policy, up to this option.
        policy: String,
    },
}
