//! All options of `run` and `compare`, read and checked. Whatever is wrong is said at once.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use programs::{Entry, Instance, PROGRAMS};
use tempest::Policy;
use tempest::policy::PRESETS;
use units::Time;

use crate::args::CommonArgs;
use crate::ending::Wrong;
use crate::host::{self, Host, Override};
use crate::{inputs, naming};

/// More nodes than any machine of the literature has.
const NODES: RangeInclusive<u32> = 1..=1 << 16;
const PROCESSORS: RangeInclusive<u32> = 1..=1 << 12;
const THREADS: RangeInclusive<u32> = 1..=1 << 16;
const REPEATS: RangeInclusive<u32> = 1..=1_000_000;

/// The options in which `run` and `compare` differ.
#[derive(Debug)]
pub(crate) struct Choices<'a> {
    /// The machines, as written.
    pub(crate) machines: Vec<&'a str>,
    /// The policies, as written; none: the command chooses.
    pub(crate) policies: Vec<&'a str>,
    pub(crate) nodes: Option<&'a str>,
    pub(crate) processors: Option<&'a str>,
    pub(crate) repeat: Option<&'a str>,
}

/// What to run, where, and how.
pub(crate) struct Request {
    /// The program.
    pub(crate) program: &'static Entry,
    /// The program with its inputs read.
    pub(crate) instance: Box<dyn Instance>,
    /// The program's inputs, as written or by default.
    pub(crate) inputs: Vec<(&'static str, String)>,
    /// The values of machine files replaced.
    pub(crate) overrides: Vec<Override>,
    /// The machines, in the order asked for; never empty.
    pub(crate) hosts: Vec<Host>,
    /// The policies, in the order asked for; empty: the command chooses.
    pub(crate) policies: Vec<Policy>,
    /// How data moves.
    pub(crate) mechanism: &'static str,
    /// Nodes, if asked for.
    pub(crate) nodes: Option<u32>,
    /// Processors of each node, if asked for.
    pub(crate) processors: Option<u32>,
    /// Threads of each computing processor.
    pub(crate) threads: u32,
    /// The seed.
    pub(crate) seed: u64,
    /// How often to run, if asked for.
    pub(crate) repeat: Option<u32>,
    /// When to give up.
    pub(crate) stall_limit: Option<Time>,
}

impl Request {
    /// Reads everything.
    ///
    /// # Errors
    /// All that is wrong with any of it.
    pub(crate) fn read(common: &CommonArgs, choices: &Choices<'_>) -> Result<Self, Wrong> {
        let mut wrong = Wrong::default();
        let program = wrong.keep(find_program(&common.program));
        let loaded = program.and_then(|program| load(program, &common.input, &mut wrong));
        let mechanism = program.and_then(|program| wrong.keep(mechanism(program, common.mechanism.as_deref())));
        let (overrides, hosts) = machines(&choices.machines, &common.set, &mut wrong);
        host::check_world(common.world.as_deref(), &hosts, &mut wrong);
        let read = choices.policies.iter().filter_map(|text| wrong.keep(policy(text)));
        let policies = read.collect();
        let nodes = number(&mut wrong, "--nodes", choices.nodes, NODES);
        let processors = number(&mut wrong, "--processors", choices.processors, PROCESSORS);
        let threads = number(&mut wrong, "--threads", common.threads.as_deref(), THREADS);
        let seed = number(&mut wrong, "--seed", common.seed.as_deref(), 0..=u64::MAX);
        let repeat = number(&mut wrong, "--repeat", choices.repeat, REPEATS);
        let stall_limit = common.stall_limit.as_deref().and_then(|text| wrong.keep(stall_limit(text)));
        wrong.finish()?;
        let (instance, inputs) = loaded.expect("what could not be loaded was noted");
        Ok(Self {
            program: program.expect("an unknown program was noted"),
            instance,
            inputs,
            overrides,
            hosts,
            policies,
            mechanism: mechanism.expect("an unknown mechanism was noted"),
            nodes,
            processors,
            threads: threads.unwrap_or(1),
            seed: seed.unwrap_or(1),
            repeat,
            stall_limit,
        })
    }
}

/// The program of this name, written with `_` or `-`.
fn find_program(name: &str) -> Result<&'static Entry, String> {
    let same = |entry: &&Entry| entry.name.replace('-', "_") == name.replace('-', "_");
    PROGRAMS.iter().find(same).ok_or_else(|| {
        let names: Vec<_> = PROGRAMS.iter().map(|entry| entry.name).collect();
        naming::unknown("program", name, &names)
    })
}

type Loaded = (Box<dyn Instance>, Vec<(&'static str, String)>);

fn load(program: &'static Entry, options: &[String], wrong: &mut Wrong) -> Option<Loaded> {
    let told = inputs::read(program, options, wrong);
    let instance = wrong.keep_all((program.load)(&told.given))?;
    Some((instance, told.named))
}

/// The mechanism asked for, or the program's first. The programs there are have one each.
fn mechanism(program: &'static Entry, asked: Option<&str>) -> Result<&'static str, String> {
    let known = program.mechanisms;
    let Some(asked) = asked else { return Ok(known.first().copied().expect("a program moves data somehow")) };
    let found = known.iter().copied().find(|&name| name == asked);
    found.ok_or_else(|| naming::unknown(&format!("mechanism of program `{}`:", program.name), asked, known))
}

fn machines(names: &[&str], set: &[String], wrong: &mut Wrong) -> (Vec<Override>, Vec<Host>) {
    let overrides: Vec<_> = set.iter().filter_map(|text| wrong.keep(read_override(text))).collect();
    let hosts: Vec<_> =
        names.iter().filter_map(|name| wrong.keep_all(Host::find(name, &overrides))).collect();
    if !set.is_empty() && names.iter().all(|&name| name == host::NATIVE) {
        wrong.note(format!("--set {}: expected a modelled machine; `native` is this host as it is", set[0]));
    }
    (overrides, hosts)
}

fn read_override(text: &str) -> Result<Override, String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.trim().to_owned(), value.to_owned())),
        _ => Err(format!("--set {text}: expected KEY=VALUE such as network.latency=\"1 us\"")),
    }
}

fn policy(text: &str) -> Result<Policy, String> {
    let name = text.split([':', '+']).next().unwrap_or_default();
    if PRESETS.iter().any(|preset| preset.name == name) {
        return text.parse();
    }
    let names: Vec<_> = PRESETS.iter().map(|preset| preset.name).collect();
    Err(naming::unknown("policy", name, &names))
}

fn number<N>(wrong: &mut Wrong, option: &str, text: Option<&str>, range: RangeInclusive<N>) -> Option<N>
where
    N: FromStr + PartialOrd + Display,
{
    let text = text?;
    let value = text.parse().ok().filter(|value| range.contains(value));
    let expected =
        || format!("{option} {text}: expected a whole number from {} to {}", range.start(), range.end());
    wrong.keep(value.ok_or_else(expected))
}

fn stall_limit(text: &str) -> Result<Time, String> {
    let limit = text.parse::<Time>().map_err(|error| format!("--stall-limit {text}: {error}"))?;
    if limit.is_zero() {
        return Err(format!("--stall-limit {text}: expected a time above zero"));
    }
    Ok(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_either_spelling() {
        assert_eq!(find_program("fetch-add").unwrap().name, find_program("fetch_add").unwrap().name);
    }

    /// An instance is not told its mechanism yet: a program that has two must change that first.
    #[test]
    fn every_program_has_one_mechanism() {
        assert!(PROGRAMS.iter().all(|program| program.mechanisms.len() == 1));
    }

    #[test]
    fn unknown_policies_are_met_with_the_nearest() {
        assert!(policy("fixd:2").unwrap_err().contains("did you mean `fixed`?"));
        assert!(policy("fixed:0").unwrap_err().contains("from 1 to 64"));
        assert_eq!(policy("fixed:2+serial").unwrap().to_string(), "fixed:2+serial");
    }
}
