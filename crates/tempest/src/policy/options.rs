//! The options that may follow the name of a policy: one table for the parser, for the expected forms in errors, and
//! for lists. This module must never know how a policy is written back.

use units::Time;

use super::arrangement::{Dispatch, HELPER_WAITS, Notice, Policy, Servers, Turns};
use super::bad_policy::BadPolicy;

/// An option that may follow the name of a policy, such as `+keyed`.
#[derive(Debug)]
pub struct PolicyOption {
    /// The option as it is written behind a policy: `+keyed`, or `+every=K` where it takes a value.
    pub text: &'static str,
    /// The meaning of the option in one line.
    pub meaning: &'static str,
    /// Applies the option to a policy. The text is the value behind `=`, empty for an option without a value.
    apply: fn(&mut Policy, &str) -> Result<(), BadPolicy>,
}

/// All options that may follow the name of a policy, in the order in which lists print them.
pub static OPTIONS: &[PolicyOption] = &[
    option("+serial", "one handler of a node at a time", |policy, _| {
        policy.dispatch = Dispatch::Serial;
        Ok(())
    }),
    option("+keyed", "handlers of different keys side by side", |policy, _| {
        policy.dispatch = Dispatch::Keyed;
        Ok(())
    }),
    option("+poll", "processors look for messages", |policy, _| {
        policy.notice = Notice::Poll;
        Ok(())
    }),
    option("+interrupt", "processors are interrupted by messages", |policy, _| {
        policy.notice = Notice::Interrupt;
        policy.poll_every = None;
        Ok(())
    }),
    option(
        "+every=K",
        "a computing processor looks at every K-th back-edge of a loop; 0: at none, or at next to none where no other would look",
        |policy, count| {
            let bad = |_| BadPolicy::Every { option: format!("every={count}") };
            policy.poll_every = Some(count.parse().map_err(bad)?);
            Ok(())
        },
    ),
    option(
        "+strict",
        "floating: each processor has its turn to look, also one that computes and looks late",
        |policy, _| take_turns(policy, Turns::Strict, "strict"),
    ),
    option(
        "+waiting",
        "floating: as +strict, but a processor whose fault waits looks before those that compute",
        |policy, _| take_turns(policy, Turns::Waiting, "waiting"),
    ),
    option(
        "+bound",
        "threads stay on their processors, also where a node has one queue of ready threads",
        |policy, _| {
            policy.bound = true;
            Ok(())
        },
    ),
    option(
        "+helper",
        "a helper of each node, which is no processor, runs what nobody has run for 50 us",
        |policy, _| {
            policy.helper = Some(helped(policy, HELPER_WAITS)?);
            Ok(())
        },
    ),
    option(
        "+helper=TIME",
        "a helper that runs what nobody has run for this time, such as 20us",
        |policy, time| {
            let bad = |why| BadPolicy::HelperTime { option: format!("helper={time}"), why };
            let waits = time.parse().map_err(bad)?;
            policy.helper = Some(helped(policy, waits)?);
            Ok(())
        },
    ),
    option(
        "+serve=CLASS:SERVER",
        "messages of a class, such as bulk, are served by computing or by network processors",
        |policy, statement| {
            if !matches!(
                policy.servers,
                Servers::Alone | Servers::Compute | Servers::Network | Servers::Either
            ) {
                return Err(BadPolicy::ServeApart { policy: policy.to_string() });
            }
            let bad = || BadPolicy::Serve { option: format!("serve={statement}") };
            policy.stated.state(statement).ok_or_else(bad)
        },
    ),
];

const fn option(
    text: &'static str,
    meaning: &'static str,
    apply: fn(&mut Policy, &str) -> Result<(), BadPolicy>,
) -> PolicyOption {
    PolicyOption { text, meaning, apply }
}

impl PolicyOption {
    /// The name of the option, without `+` and without its value.
    pub fn name(&self) -> &'static str {
        self.text.trim_start_matches('+').split('=').next().unwrap_or_default()
    }

    fn takes_value(&self) -> bool {
        self.text.contains('=')
    }
}

/// Sets the order of turns of `policy`. Refuses `option`, which asks for this order, if the policy's processors take no
/// turns.
fn take_turns(policy: &mut Policy, turns: Turns, option: &'static str) -> Result<(), BadPolicy> {
    if policy.servers != Servers::Idle {
        return Err(BadPolicy::Turns { policy: policy.to_string(), option });
    }
    policy.turns = turns;
    Ok(())
}

/// Returns `waits`, the time that an event waits for a helper, if a helper has work under `policy`. A helper works for
/// computing processors that run handlers and poll for messages; a policy without such processors is refused.
fn helped(policy: &Policy, waits: Time) -> Result<Time, BadPolicy> {
    let computing =
        matches!(policy.servers, Servers::Alone | Servers::Compute | Servers::Idle | Servers::Adaptive);
    if computing && policy.notice == Notice::Poll {
        Ok(waits)
    } else {
        Err(BadPolicy::Helper { policy: policy.to_string() })
    }
}

/// Applies the option `text`, written without `+`, to `policy`.
pub(super) fn apply(policy: &mut Policy, text: &str) -> Result<(), BadPolicy> {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let is_it = |option: &&PolicyOption| option.name() == name && option.takes_value() == value.is_some();
    match OPTIONS.iter().find(is_it) {
        Some(option) => (option.apply)(policy, value.unwrap_or_default()),
        None => Err(BadPolicy::UnknownOption { option: text.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_can_stand_behind_a_policy() {
        for option in OPTIONS {
            let (_, text) = option.example();
            assert!(text.parse::<Policy>().is_ok(), "{text}");
        }
        let error = "floating+serve=user:network".parse::<Policy>().unwrap_err().to_string();
        assert!(error.contains("as under np or proc"), "{error}");
        assert_eq!(OPTIONS[4].name(), "every");
        for turns in ["strict", "waiting"] {
            let option = OPTIONS.iter().find(|option| option.name() == turns).unwrap();
            assert_eq!(option.needs(), ["poll-turns"]);
        }
    }

    #[test]
    fn an_unknown_option_is_answered_with_all_that_there_are() {
        let error = "floating+quickly".parse::<Policy>().unwrap_err().to_string();
        assert_eq!(
            error,
            "policy option `+quickly`: expected +serial, +keyed, +poll, +interrupt, +every=K, +strict, +waiting, +bound, \
             +helper, +helper=TIME or +serve=CLASS:SERVER"
        );
        assert!("floating+every".parse::<Policy>().is_err() && "floating+keyed=1".parse::<Policy>().is_err());
    }
}
