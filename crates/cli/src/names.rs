//! From names of policies and mechanisms to what they mean, or all that is wrong with them. Must never know what is run.

use std::fmt::Display;
use std::str::FromStr;

use tempest::policy::PRESETS;
use tempest::{Mechanism, Policy};
pub(crate) use units::names::did_you_mean as suggestion;

use crate::Problem;
use crate::list::OPTIONS;

const POLICY: &str = "policy";

/// Whether this is an option of policies, without a policy.
fn is_option(text: &str) -> bool {
    let name =
        |option: &'_ str| option.trim_start_matches('+').split('=').next().unwrap_or_default().to_owned();
    OPTIONS.iter().any(|(option, _)| name(option) == name(text))
}

/// The policies of these texts, each once.
pub(crate) fn policies(texts: &[String]) -> Result<Vec<Policy>, Problem> {
    // What stands before the count and the options.
    let name = |text: &str| text.split([':', '+']).next().unwrap_or_default().to_owned();
    read(texts, POLICY, name, PRESETS.iter().map(|preset| preset.name).collect())
}

/// The mechanisms of these texts, each once.
pub(crate) fn mechanisms(texts: &[String]) -> Result<Vec<Mechanism>, Problem> {
    read(texts, "mechanism", str::to_owned, Mechanism::ALL.map(Mechanism::name).to_vec())
}

fn read<T>(
    texts: &[String],
    what: &str,
    name: impl Fn(&str) -> String,
    known: Vec<&str>,
) -> Result<Vec<T>, Problem>
where
    T: FromStr<Err: Display> + PartialEq,
{
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for text in texts {
        let name = name(text);
        match text.parse::<T>() {
            Ok(one) if good.contains(&one) => {}
            Ok(one) => good.push(one),
            // Half of a policy.
            Err(_) if what == POLICY && is_option(text) => {
                let option = text.trim_start_matches('+');
                bad.push(format!(
                    "policy `{text}`: an option stands behind a policy; expected such as floating+{option}"
                ));
            }
            Err(_) if !known.contains(&name.as_str()) => {
                let nearest = suggestion(&name, known.iter().copied());
                bad.push(format!("unknown {what} `{name}`:{nearest} expected one of {}", known.join(", ")));
            }
            Err(mistake) => bad.push(mistake.to_string()),
        }
    }
    if bad.is_empty() { Ok(good) } else { Err(Problem::Wrong(bad)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn the_same_policy_in_two_spellings_is_one() {
        let policies = policies(&texts(&["fixed", "single", "fixed:1", "single+poll"])).unwrap();
        let policies: Vec<_> = policies.iter().map(Policy::to_string).collect();
        assert_eq!(policies, ["fixed:1", "single"]);
    }

    #[test]
    fn an_option_is_no_policy_and_is_known_all_the_same() {
        let Err(Problem::Wrong(mistakes)) = policies(&texts(&["helper", "+helper=20us", "single+helper"]))
        else {
            panic!("expected mistakes");
        };
        let told = |text, option| {
            format!("policy `{text}`: an option stands behind a policy; expected such as floating+{option}")
        };
        assert_eq!(mistakes, [told("helper", "helper"), told("+helper=20us", "helper=20us")]);
    }

    #[test]
    fn every_mistake_is_told_and_the_nearest_name_offered() {
        let Err(Problem::Wrong(mistakes)) = policies(&texts(&["flating", "single", "fixed:0", "zzz"])) else {
            panic!("expected mistakes");
        };
        assert_eq!(mistakes.len(), 3);
        assert!(
            mistakes[0]
                .starts_with("unknown policy `flating`: did you mean `floating`? expected one of single")
        );
        assert!(mistakes[1].contains("`fixed:0`") && mistakes[1].contains("from 1 to 64"));
        assert!(mistakes[2].starts_with("unknown policy `zzz`: expected one of"));
    }
}
