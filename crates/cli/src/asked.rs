//! From arguments to machines and programs, or to all mistakes in them. This module must never run anything.

use std::time::Duration;

use lab::Specification;
use lab::specification::NodeProcesses;
use report::document::{Given, ProgramInput};
use tempest::entry::{Coherence, Entry, Plan};
use tempest::policy::PRESETS;
use tempest::{Mechanism, Policy};
use units::Time;
use worlds::machines::is_same;
use worlds::{Hosting, NATIVE, Sharing, Subject, Target, serial};

use crate::app::App;
use crate::arguments::{Common, Memory, NodeOptions, NodePlace, Place};
use crate::deferred::{Setting, optional, settings};
use crate::print::say;
use crate::problem::{All, Problem, each};

/// The machine of this name with these settings.
pub(crate) fn target(name: &str, set: &[Setting]) -> Result<Target, Problem> {
    let (set, verdict) = settings(set);
    let target = Target::find(name, &set).map_err(Problem::from);
    (target, verdict).all().map(|(target, ())| target)
}

/// The machines of these names, each once, the models with these settings.
pub(crate) fn targets(machines: &[String], set: &[Setting]) -> Result<Vec<Target>, Problem> {
    let (set, verdict) = settings(set);
    let find = |(index, name): (usize, &String)| {
        if machines[..index].iter().any(|earlier| is_same(earlier, name)) {
            return Err(Problem::wrong(format!("--machine {name}: given twice; expected each machine once")));
        }
        // Settings are values of models; in a comparison with this host they concern the models alone.
        let set = if name == NATIVE && machines.len() > 1 { &[] } else { set.as_slice() };
        Target::find(name, set).map_err(Problem::from)
    };
    let targets = each(machines.iter().enumerate().map(find));
    (targets, verdict).all().map(|(targets, ())| targets)
}

/// The place of the nodes of runs on this host.
pub(crate) fn hosting(options: &NodeOptions) -> Result<Hosting, Problem> {
    Ok(node_processes(options)?.map_or(Hosting::Local, hosted))
}

/// The processes of the nodes of a laboratory's runs on this host; `None` if all nodes are in one process.
pub(crate) fn node_processes(options: &NodeOptions) -> Result<Option<NodeProcesses>, Problem> {
    let (processes, peer_timeout) = (recorded_processes(&options.place), options.peer_timeout.get()).all()?;
    Ok(processes.map(|processes| NodeProcesses { peer_timeout, ..processes }))
}

/// The processes of the nodes of runs on record, where no time of silence tells one run from another; `None` if all nodes were in one
/// process.
pub(crate) fn recorded_processes(place: &NodePlace) -> Result<Option<NodeProcesses>, Problem> {
    let nodes_each = place.nodes_per_process.get()?;
    let processes = NodeProcesses { nodes_each, peer_timeout: Time::ZERO };
    Ok((place.world == Place::Processes).then_some(processes))
}

/// The place of the nodes of a laboratory's run on this host.
pub(crate) fn hosting_of(run: &Specification) -> Hosting {
    run.processes.map_or(Hosting::Local, hosted)
}

fn hosted(NodeProcesses { nodes_each, peer_timeout }: NodeProcesses) -> Hosting {
    Hosting::Processes {
        nodes_each,
        peer_timeout: Duration::from_nanos(peer_timeout.as_femtoseconds() / 1_000_000),
    }
}

/// Warns on standard error, as the command of this name, if a debug build is about to run on this host.
pub(crate) fn warn_of_build(name: &str, runs_here: bool) {
    if runs_here && cfg!(debug_assertions) {
        say(name, "this is a debug build: its times on this host mean little; build it with --release");
    }
}

/// Warns on standard error, in the name of command `name`, of machine files from disturbed calibrations.
pub(crate) fn warn<'t>(name: &str, targets: impl IntoIterator<Item = &'t Target>) {
    for target in targets {
        if let Some(keys) = target.disturbed() {
            let label = target.label();
            say(
                name,
                &format!("{label}: its calibration was disturbed, so that these values are not sure: {keys}"),
            );
        }
    }
}

/// The program with its inputs, and the requested mechanisms; `or_else` gives the default ones.
pub(crate) fn subject(
    app: &App,
    common: &Common,
    mechanisms: Result<Vec<Mechanism>, Problem>,
    or_else: impl Fn(&Entry) -> Vec<Mechanism>,
) -> Result<(Subject, Vec<Mechanism>), Problem> {
    let sharing = sharing(app, &common.memory);
    let entry = match app.programs.find(&common.program) {
        Ok(entry) => entry,
        // The inputs of an unknown program are unknown.
        Err(unknown) => {
            let unknown: Result<Subject, _> = Err(Problem::wrong(unknown.to_string()));
            return (unknown, mechanisms, sharing).all().map(|(subject, asked, _)| (subject, asked));
        }
    };
    let mechanisms = mechanisms.and_then(|asked| {
        Subject::check(entry, &asked)?;
        let used = if asked.is_empty() { or_else(entry) } else { asked.clone() };
        useful(&common.memory, entry, &used).map(|()| asked)
    });
    let subject = Subject::told(entry, &common.inputs).map_err(Problem::from).and_then(|subject| {
        if let Ok(asked) = &mechanisms {
            let usual = if asked.is_empty() { or_else(entry) } else { asked.clone() };
            subject.check_inputs(&usual)?;
        }
        Ok(subject)
    });
    let (subject, mechanisms, sharing) = (subject, mechanisms, sharing).all()?;
    Ok((subject.sharing(sharing), mechanisms))
}

/// Block size and protocol of the shared memory.
pub(crate) fn sharing(app: &App, memory: &Memory) -> Result<Sharing, Problem> {
    let find = |name: &String| {
        Coherence::find(name, app.protocols).map_err(|unknown| Problem::wrong(unknown.to_string()))
    };
    let protocol = memory.protocol.as_ref().map_or(Ok(&app.protocols[0]), find);
    let (block, protocol) = (optional(&memory.block), protocol).all()?;
    Ok(Sharing { block: block.unwrap_or(Plan::BLOCK), protocol })
}

/// The program with blocks of shared memory that are usual on these targets, unless others are asked for.
pub(crate) fn with_blocks<'t>(
    subject: Subject,
    memory: &Memory,
    targets: impl IntoIterator<Item = &'t Target>,
) -> Subject {
    if optional(&memory.block).is_ok_and(|asked| asked.is_some()) {
        return subject;
    }
    let sharing = Sharing { block: Sharing::usual_block(targets), ..subject.sharing };
    subject.sharing(sharing)
}

/// Checks that a program that may be run by these mechanisms has any use for the options on shared memory.
fn useful(memory: &Memory, entry: &Entry, mechanisms: &[Mechanism]) -> Result<(), Problem> {
    let Some(why) = useless(entry, mechanisms, &format!("--mechanism {}", Mechanism::SharedMemory)) else {
        return Ok(());
    };
    let block = optional(&memory.block).ok().flatten().map(|block| format!("--block {block}"));
    let protocol = memory.protocol.as_ref().map(|protocol| format!("--protocol {protocol}"));
    Problem::check(block.into_iter().chain(protocol).map(|said| format!("{said} {why}")).collect())
}

/// The reason why options on shared memory have no use for a program that runs by these mechanisms; `None` if they
/// have. `shared` is the way in which a person asks for shared memory.
pub(crate) fn useless(entry: &Entry, mechanisms: &[Mechanism], shared: &str) -> Option<String> {
    let needed = Mechanism::SharedMemory;
    if mechanisms.contains(&needed) {
        return None;
    }
    Some(match entry.mechanisms.contains(&needed) {
        true => format!("with mechanism `{}`: expected {shared}", mechanism_names(mechanisms)),
        false => format!(
            "for `{}`, which runs by {}: expected a program that runs by {needed}",
            entry.name,
            mechanism_names(entry.mechanisms)
        ),
    })
}

/// Part of a refusal that gives the alternative already.
pub(crate) const EXPECTED: &str = "expected ";

/// The alternatives if a machine cannot run a program by `mechanism` under the requested policy: mechanisms of the
/// program, `mechanism` first, spelled by `typed`, with the policies by which the machine can run them. The policies
/// include the requested one with handlers one at a time.
pub(crate) fn instead(
    entry: &Entry,
    target: &Target,
    (mechanism, policy): (Mechanism, &Policy),
    typed: impl Fn(Mechanism, &str) -> String,
) -> String {
    let others = entry.mechanisms.iter().copied().filter(|other| *other != mechanism);
    let found = std::iter::once(mechanism).chain(others).find_map(|mechanism| {
        let can = |policy: Policy| target.check(mechanism, &policy).is_ok();
        let asked = serial(policy).filter(|policy| can(policy.clone())).map(|policy| policy.to_string());
        let presets = PRESETS.iter().map(|preset| preset.name).filter(|name| name.parse().is_ok_and(can));
        let mut names: Vec<_> = asked.into_iter().collect();
        for preset in presets {
            if !names.iter().any(|name| name == preset) {
                names.push(preset.to_owned());
            }
        }
        (!names.is_empty()).then(|| format!("expected {}", typed(mechanism, &names.join(", "))))
    });
    // A machine without any mechanism of the program is no machine for it.
    found.unwrap_or_else(|| {
        let (able, written) = (mechanism_names(&target.mechanisms()), mechanism_names(entry.mechanisms));
        let (program, machine) = (entry.name, target.name());
        format!("`{program}` runs by {written}, machine `{machine}` by {able} only: expected another machine")
    })
}

/// Mechanisms, for people.
pub(crate) fn mechanism_names(mechanisms: &[Mechanism]) -> String {
    mechanisms.iter().map(|mechanism| mechanism.name()).collect::<Vec<_>>().join(", ")
}

/// The program and its inputs, as documents state them.
pub(crate) fn asked(common: &Common, subject: &Subject) -> ProgramInput {
    let facts = subject.instance.describe().into_iter();
    ProgramInput {
        program: subject.entry.name.to_owned(),
        given: Given {
            input: common.inputs.clone(),
            set: common.settings.iter().map(|setting| setting.text.clone()).collect(),
        },
        input: facts.map(|(name, value)| (name.to_owned(), value)).collect(),
    }
}
