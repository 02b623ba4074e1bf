//! Values of the command line as types, or their mistakes. The parser of arguments stops at the first wrong value; a
//! [`Deferred`] keeps its mistake until all of them can be reported. This module must never know which command has a value.

use std::convert::Infallible;
use std::fmt::Display;
use std::str::FromStr;

use clap::builder::{OsStringValueParser, TypedValueParser};
use tempest::entry::{Plan, UnknownName};
use tempest::policy::{OPTIONS, PRESETS};
use tempest::{Mechanism, Policy};
use units::{Time, text};
use worlds::{AskedFree, Baseline, Reference, Repeat};

use crate::problem::{Problem, each};

/// Spelling of [`Repeat::Auto`] in `--repeat`.
const AUTO: &str = "auto";

/// A value, or the mistake in its text.
#[derive(Clone, Debug)]
pub(crate) struct Deferred<T>(Result<T, String>);

/// The result that the parser of arguments is given. It is never the parser's error, so that all mistakes can be reported at
/// once.
type Read<T> = Result<Deferred<T>, Infallible>;

impl<T: Clone> Deferred<T> {
    /// The value.
    pub(crate) fn get(&self) -> Result<T, Problem> {
        self.0.clone().map_err(Problem::wrong)
    }
}

/// The value, where there is one.
pub(crate) fn optional<T: Clone>(told: &Option<Deferred<T>>) -> Result<Option<T>, Problem> {
    told.as_ref().map(Deferred::get).transpose()
}

/// All values, in their order.
pub(crate) fn every<T: Clone>(told: &[Deferred<T>]) -> Result<Vec<T>, Problem> {
    each(told.iter().map(Deferred::get))
}

/// All distinct values, in their order.
pub(crate) fn distinct<T: Clone + PartialEq>(told: &[Deferred<T>]) -> Result<Vec<T>, Problem> {
    let mut distinct = Vec::new();
    for value in each(told.iter().map(Deferred::get))? {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    Ok(distinct)
}

/// Reads whole numbers of an option from `least` on.
pub(crate) fn whole<T>(option: &'static str, least: T, most: T) -> impl Fn(&str) -> Read<T> + Clone
where
    T: FromStr + PartialOrd + Copy + Display,
{
    move |text| {
        let number = text.parse().ok().filter(|number| *number >= least);
        Ok(Deferred(number.ok_or_else(|| {
            // Only a number that is whole can be too large: of others the upper end of the range says nothing.
            let is_large = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let is_large = is_large && text.parse::<T>().is_err();
            let to = if is_large { format!(" to {most}") } else { String::new() };
            format!("{option} {text}: expected a whole number from {least}{to}")
        })))
    }
}

/// Reads whole numbers of an option from 1 on.
pub(crate) fn some(option: &'static str) -> impl Fn(&str) -> Read<u32> + Clone {
    whole(option, 1, u32::MAX)
}

/// Takes a possible file name, which need not be UTF-8.
pub(crate) fn name() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(text::of)
}

/// The most pages of other nodes that a node may be said to have room for: with more than it uses, none gives way.
const MOST_FRAMES: u32 = 64;

/// Reads the number of pages of other nodes that a node has room for.
pub(crate) fn frames(text: &str) -> Read<u32> {
    let frames = text.parse().ok().filter(|frames| (1..=MOST_FRAMES).contains(frames));
    Ok(Deferred(
        frames.ok_or_else(|| format!("--frames {text}: expected a whole number from 1 to {MOST_FRAMES}")),
    ))
}

/// Reads how often something runs.
pub(crate) fn repeat(text: &str) -> Read<Repeat> {
    if text == AUTO {
        return Ok(Deferred(Ok(Repeat::Auto)));
    }
    let told = some("--repeat")(text)?;
    Ok(Deferred(told.0.map(Repeat::Times).map_err(|mistake| format!("{mistake}, or {AUTO}"))))
}

/// Reads a time without any progress.
pub(crate) fn stall_limit(text: &str) -> Read<Time> {
    above_zero("--stall-limit", "10 s", text)
}

/// The least time of silence: a process gives a sign of life every few milliseconds, and may wait for a core as long.
const LEAST_PEER_TIMEOUT: Time = Time::from_microseconds(50_000);

/// Reads the time of silence after which a process is lost.
pub(crate) fn peer_timeout(text: &str) -> Read<Time> {
    let Deferred(time) = above_zero("--peer-timeout", "5 s", text)?;
    Ok(Deferred(time.and_then(|time| match time < LEAST_PEER_TIMEOUT {
        true => Err(format!("--peer-timeout {text}: expected at least {LEAST_PEER_TIMEOUT}")),
        false => Ok(time),
    })))
}

/// Reads a time of this host without any modelled event.
pub(crate) fn host_limit(text: &str) -> Read<Time> {
    above_zero("--host-limit", "600 s", text)
}

/// Reads the time between samples of a trace.
pub(crate) fn trace_interval(text: &str) -> Read<Time> {
    above_zero("--trace-interval", "10 us", text)
}

/// Reads a time above zero.
fn above_zero(option: &str, example: &str, text: &str) -> Read<Time> {
    Ok(Deferred(match text.parse::<Time>() {
        Ok(time) if time > Time::ZERO => Ok(time),
        Ok(_) => Err(format!("{option} {text}: expected a time above zero, such as \"{example}\"")),
        Err(error) => Err(format!("{option} {text}: {error}")),
    }))
}

/// Reads the bytes of a coherence block.
pub(crate) fn block(text: &str) -> Read<u32> {
    // No block has 0 bytes.
    let block = known_block(text.parse().unwrap_or(0));
    Ok(Deferred(block.map_err(|expected| format!("--block {text}: {expected}"))))
}

/// The bytes of a coherence block, if there are such blocks.
pub(crate) fn known_block(bytes: u32) -> Result<u32, String> {
    let known = Some(bytes).filter(|bytes| Plan::BLOCKS.contains(bytes));
    known.ok_or_else(|| {
        let [least, middle @ .., most] = Plan::BLOCKS.map(|block| block.to_string());
        format!("expected {least}, {} or {most} bytes", middle.join(", "))
    })
}

/// Reads a policy.
pub(crate) fn policy(text: &str) -> Read<Policy> {
    Ok(Deferred(parse_policy(text)))
}

/// Parses a policy; the error names the mistake in its text.
pub(crate) fn parse_policy(text: &str) -> Result<Policy, String> {
    let name = text.split([':', '+']).next().unwrap_or_default();
    let option = text.trim_start_matches('+');
    let is_option = OPTIONS.iter().any(|known| known.name() == option.split('=').next().unwrap_or_default());
    text.parse().map_err(|mistake: <Policy as FromStr>::Err| match PRESETS {
        // Half of a policy.
        _ if is_option => {
            format!("policy `{text}`: an option stands behind a policy; expected such as floating+{option}")
        }
        known if known.iter().all(|preset| preset.name != name) => {
            UnknownName::new("policy", name, known.iter().map(|preset| preset.name)).to_string()
        }
        _ => mistake.to_string(),
    })
}

/// Reads a baseline.
pub(crate) fn baseline(text: &str) -> Read<Baseline> {
    Ok(Deferred(text.parse().map_err(|unknown: UnknownName| unknown.to_string())))
}

/// Reads the run that the rows of a comparison are measured against.
pub(crate) fn reference(text: &str) -> Read<Reference> {
    Ok(Deferred(text.parse()))
}

/// Reads free inputs, with their values or without.
pub(crate) fn free(text: &str) -> Read<Vec<AskedFree>> {
    Ok(Deferred(AskedFree::read(text).map_err(|mistake| format!("--free {mistake}"))))
}

/// Reads a mechanism.
pub(crate) fn mechanism(text: &str) -> Read<Mechanism> {
    Ok(Deferred(parse_mechanism(text)))
}

/// Parses a mechanism; the error names the mistake in its name.
pub(crate) fn parse_mechanism(text: &str) -> Result<Mechanism, String> {
    let unknown = |_| UnknownName::new("mechanism", text, Mechanism::ALL.map(Mechanism::name)).to_string();
    text.parse().map_err(unknown)
}

/// A value that is set: `KEY=VALUE`.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// The text as it was written.
    pub(crate) text: String,
    told: Deferred<(String, String)>,
}

/// Reads a value that is set.
pub(crate) fn setting(text: &str) -> Result<Setting, Infallible> {
    let pair = text.split_once('=').map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()));
    let expected = || format!("--set {text}: expected KEY=VALUE, such as network.latency=\"1 us\"");
    Ok(Setting { text: text.to_owned(), told: Deferred(pair.ok_or_else(expected)) })
}

/// The keys and values that are set, and the mistakes of the others, which must not hide mistakes in the good ones.
pub(crate) fn settings(settings: &[Setting]) -> (Vec<(String, String)>, Result<(), Problem>) {
    let good = settings.iter().filter_map(|setting| setting.told.0.clone().ok()).collect();
    let twice = |(index, setting): (usize, &Setting)| {
        let (key, _) = setting.told.0.as_ref().ok()?;
        let earlier =
            settings[..index].iter().any(|other| other.told.0.as_ref().is_ok_and(|(set, _)| set == key));
        earlier.then(|| Problem::wrong(format!("--set {key}: given twice; expected once")))
    };
    let twice = settings.iter().enumerate().filter_map(twice).map(Err);
    (good, each(settings.iter().map(|setting| setting.told.get().map(drop)).chain(twice)).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes<T>(read: impl Fn(&str) -> Read<T>, texts: &[&str]) -> Vec<String> {
        texts.iter().filter_map(|text| read(text).unwrap_or_else(|never| match never {}).0.err()).collect()
    }

    #[test]
    fn every_text_that_is_no_number_is_told() {
        let texts = ["0", "-1", "1e30", "two", "", "1.5"];
        let said = mistakes(some("--nodes"), &texts);
        assert_eq!(said.len(), texts.len());
        for (text, said) in texts.iter().zip(said) {
            assert_eq!(said, format!("--nodes {text}: expected a whole number from 1"));
        }
        let large = "--nodes 4294967296: expected a whole number from 1 to 4294967295";
        assert_eq!(mistakes(some("--nodes"), &["4294967296", "4294967295", "1"]), [large]);
    }

    #[test]
    fn a_key_is_set_once_however_it_is_written() {
        let set = |texts: &[&str]| {
            let read = |text: &&str| setting(text).unwrap_or_else(|never| match never {});
            let texts: Vec<_> = texts.iter().map(read).collect();
            let (good, verdict) = settings(&texts);
            (good, verdict.err().map(|problem| format!("{problem:?}")))
        };
        let (good, said) = set(&["nodes = 2", "a.b=\"1 us\"", "a.c=3"]);
        assert_eq!(good[0], ("nodes".to_owned(), "2".to_owned()));
        assert_eq!((good.len(), said), (3, None));
        let (_, said) = set(&["nodes=2", "queue", "nodes =3"]);
        let said = said.expect("mistakes");
        assert!(said.contains("--set nodes: given twice; expected once"), "{said}");
        assert!(said.contains("--set queue: expected KEY=VALUE"), "{said}");
    }

    #[test]
    fn a_number_of_runs_may_be_left_to_the_measurement() {
        let read = |text| repeat(text).unwrap_or_else(|never| match never {}).0;
        assert_eq!((read("auto"), read("7")), (Ok(Repeat::Auto), Ok(Repeat::Times(7))));
        assert_eq!(read("0").unwrap_err(), "--repeat 0: expected a whole number from 1, or auto");
    }

    #[test]
    fn nothing_stalls_for_no_time() {
        let said = mistakes(stall_limit, &["2 s", "0 s", "soon"]);
        assert!(said[0].starts_with("--stall-limit 0 s: expected a time above zero"));
        assert!(said[1].starts_with("--stall-limit soon: "), "{}", said[1]);
        assert!(said.len() == 2);
        let said = mistakes(trace_interval, &["2 us", "0 s"]);
        assert_eq!(said, ["--trace-interval 0 s: expected a time above zero, such as \"10 us\""]);
    }

    #[test]
    fn only_blocks_that_can_be_are_read() {
        let good = Plan::BLOCKS.map(|size| size.to_string());
        assert!(mistakes(block, &good.each_ref().map(String::as_str)).is_empty());
        for text in ["48", "0", "64B", "-64", ""] {
            let said = format!("--block {text}: expected 16, 32, 64 or 128 bytes");
            assert_eq!(mistakes(block, &[text]), [said]);
        }
    }

    #[test]
    fn a_policy_in_two_spellings_is_one() {
        let told: Vec<_> = ["fixed", "single", "fixed:1", "single+poll"]
            .iter()
            .filter_map(|text| policy(text).ok())
            .collect();
        let policies: Vec<_> = distinct(&told).unwrap().iter().map(Policy::to_string).collect();
        assert_eq!(policies, ["fixed:1", "single"]);
    }

    #[test]
    fn an_option_is_no_policy_and_is_known_all_the_same() {
        let told = |text, option| {
            format!("policy `{text}`: an option stands behind a policy; expected such as floating+{option}")
        };
        let said = mistakes(policy, &["helper", "+helper=20us", "single+helper"]);
        assert_eq!(said, [told("helper", "helper"), told("+helper=20us", "helper=20us")]);
    }

    #[test]
    fn the_nearest_name_is_offered() {
        let said = mistakes(policy, &["flating", "single", "fixed:0", "zzz"]);
        assert!(
            said[0].starts_with("unknown policy `flating`: did you mean `floating`? expected one of single")
        );
        assert!(said[1].contains("`fixed:0`") && said[1].contains("from 1 to 64"));
        assert!(said[2].starts_with("unknown policy `zzz`: expected one of") && said.len() == 3);
        let said = mistakes(mechanism, &["bulky"]);
        assert!(said[0].starts_with("unknown mechanism `bulky`: did you mean `bulk`?"), "{}", said[0]);
    }
}
