//! Checks whether the runs of a study can be done, as far as possible before the first run. This module must never run
//! anything.

use std::collections::BTreeMap;

use lab::mistake::{Mistakes, Place};
use lab::study::{Origin, Source, Study};
use lab::{Laboratory, Specification};
use tempest::entry::{Coherence, Entry, Plan};
use tempest::outcome::Refusal;
use tempest::{Mechanism, Policy};
use worlds::shape::AskedShape;
use worlds::{Baseline, Setting, Sharing, Subject, Target};

use crate::app::App;
use crate::asked::{self, EXPECTED};
use crate::deferred::{known_block, parse_mechanism, parse_policy};
use crate::own_files;
use crate::problem::Problem;
use crate::reads;
use crate::studies;

use super::source::Read;

/// A laboratory of the study alone, or every mistake in its file and its runs, each with its place in the file.
pub(crate) fn laboratory(app: &App, read: Read) -> Result<Laboratory, Problem> {
    let Read { study, claims, surveys, mut mistakes } = read;
    if let (Some(study), true) = (&study, mistakes.is_empty()) {
        own_files::check(study)?;
    }
    // A run as a whole is known if it has no missing part.
    let are_whole = mistakes.iter().all(|mistake| !mistake.key.starts_with(RUN));
    let (mut found, disturbed) = study.as_ref().map(|study| runs(app, study, are_whole)).unwrap_or_default();
    let laboratory = match study {
        Some(study) => studies::alone(claims, study, surveys),
        None => Err(Mistakes::new()),
    };
    mistakes.extend(laboratory.as_ref().err().cloned().unwrap_or_default());
    found.extend(mistakes.into_iter().map(|mistake| (mistake.place, mistake.to_string())));
    found.sort();
    found.dedup();
    Problem::check(found.into_iter().map(|(_, text)| text).collect())?;
    asked::warn(&app.name, &disturbed);
    laboratory.map_err(|_| Problem::Wrong(Vec::new()))
}

/// The key of the tables of runs.
const RUN: &str = "run";

/// A name with settings or inputs.
type With<'s, N> = (N, &'s [(String, String)]);

/// A run, and where it is stated.
type Stated<'s> = (&'s Source, &'s Specification);

/// Lines of mistakes, as they are printed.
type Lines = Vec<String>;

/// A mistake and its place in the file.
type Placed = (Place, String);

/// The machines of the runs, each found once.
type Machines<'s> = BTreeMap<With<'s, String>, Result<Target, worlds::Error>>;

/// Every mistake in the runs of a study, and the machines whose calibration was disturbed. Conflicts between values of
/// a run are only checked if all runs `are_whole`.
fn runs(app: &App, study: &Study, are_whole: bool) -> (Vec<Placed>, Vec<Target>) {
    let mut found = Found { file: &study.file, mistakes: Vec::new() };
    let mut machines = Machines::new();
    let mut subjects: BTreeMap<With<'_, &str>, Vec<Stated<'_>>> = BTreeMap::new();
    for source in &study.sources {
        let Origin::Run(run) = &source.origin else { continue };
        let machine = (reads::machine(run), run.settings.as_slice());
        machines.entry(machine).or_insert_with_key(|(name, set)| Target::find(name, set));
        subjects.entry((&run.program, &run.inputs)).or_default().push((source, run));
    }
    for ((program, _), runs) in subjects {
        let entry = app.programs.find(program).map_err(|unknown| lines(&unknown));
        // The inputs of an unknown program are unknown.
        let subject = entry.as_ref().ok().map(|entry| loaded(entry, runs[0].1)).transpose();
        let mut jobs = Jobs::new();
        for (source, run) in runs {
            let target = &machines[&(reads::machine(run), run.settings.as_slice())];
            found.add(source, "program", entry.as_ref().err());
            found.add(source, "machine", target.as_ref().err().map(lines).as_ref());
            found.add(source, "inputs", subject.as_ref().err());
            let choices = found.choices(app, source, run);
            let (Ok(entry), Some(choices), true) = (&entry, choices, are_whole) else { continue };
            let (subject, target) = (subject.as_ref().ok().and_then(Option::as_ref), target.as_ref().ok());
            One { source, run, entry, subject, target }.check(&choices, &mut found, &mut jobs);
        }
    }
    // Another setting does not make a calibration another one.
    let targets = machines.into_iter().filter_map(|((name, _), target)| Some((name, target.ok()?)));
    let disturbed: BTreeMap<_, _> = targets.filter(|(_, target)| target.disturbed().is_some()).collect();
    (found.mistakes, disturbed.into_values().collect())
}

fn lines(error: &impl ToString) -> Lines {
    error.to_string().lines().map(str::to_owned).collect()
}

/// The program with the inputs of a run, or the inputs that it does not take and the files that cannot be read.
fn loaded(entry: &Entry, run: &Specification) -> Result<Subject, Lines> {
    let inputs = reads::inputs(entry, run);
    let inputs: Vec<_> = inputs.iter().map(|(key, input)| (*key, input.text.as_str())).collect();
    Subject::load(entry, &inputs).map_err(|error| lines(&error))
}

/// The mistakes in a file, each with its place.
struct Found<'f> {
    file: &'f str,
    mistakes: Vec<Placed>,
}

/// Choices of a run beside program, machine, inputs and sizes; where it says nothing, the defaults of the command.
struct Choices {
    /// `None` for the program's first that the machine can do.
    mechanism: Option<Mechanism>,
    /// `None` for the machine's usual one.
    policy: Option<Policy>,
    sharing: Sharing,
    baseline: Option<Baseline>,
}

impl Found<'_> {
    /// Adds mistakes of the value of a key.
    fn add(&mut self, source: &Source, key: &str, told: Option<&Lines>) {
        let place = source.places.field(key);
        let text = |why: &String| (place, format!("{}:{place}: {RUN}.{key}: {why}", self.file));
        self.mistakes.extend(told.into_iter().flatten().map(text));
    }

    /// Adds a mistake of a value, which is quoted in it.
    fn refuse(&mut self, source: &Source, key: &str, value: &str, why: &str) {
        let place = source.places.field(key);
        self.mistakes.push((place, format!("{}:{place}: {RUN}.{key} = {value}: {why}", self.file)));
    }

    /// Adds mistakes of a run as a whole.
    fn add_whole(&mut self, source: &Source, told: &Lines) {
        let place = source.places.table;
        self.mistakes.extend(told.iter().map(|why| (place, format!("{}:{place}: {RUN}: {why}", self.file))));
    }

    /// The values of a run that are right or wrong by themselves; `None` if one is wrong.
    fn choices(&mut self, app: &App, source: &Source, run: &Specification) -> Option<Choices> {
        let mut read = |key, told: Result<(), String>| {
            self.add(source, key, told.as_ref().err().map(lines).as_ref());
            told.is_ok()
        };
        let policy = run.policy.as_deref().map(parse_policy).transpose();
        let mechanism = run.mechanism.as_deref().map(parse_mechanism).transpose();
        let protocol = run.protocol.as_deref().map(|name| Coherence::find(name, app.protocols)).transpose();
        let protocol = protocol.map_err(|unknown| unknown.to_string());
        let mut are_read = read("policy", policy.as_ref().map(drop).map_err(String::clone));
        are_read &= read("mechanism", mechanism.as_ref().map(drop).map_err(String::clone));
        are_read &= read("protocol", protocol.as_ref().map(drop).map_err(String::clone));
        let baseline = run.baseline.as_deref().map(str::parse::<Baseline>).transpose();
        are_read &= read("baseline", baseline.as_ref().map(drop).map_err(ToString::to_string));
        let usual = Sharing::default();
        let block = run.block.unwrap_or(usual.block);
        if let Err(expected) = known_block(block) {
            self.refuse(source, "block", &block.to_string(), &expected);
            are_read = false;
        }
        let (Ok(policy), Ok(mechanism), Ok(protocol), Ok(baseline), true) =
            (policy, mechanism, protocol, baseline, are_read)
        else {
            return None;
        };
        let sharing = Sharing { block, protocol: protocol.unwrap_or(&app.protocols[0]) };
        Some(Choices { mechanism, policy, sharing, baseline })
    }
}

/// The plans by which programs prepare their jobs, and whether they can. A preparation may take as long as a run, so that runs with
/// equal plans share one.
type Jobs = BTreeMap<PlanKey, Result<(), Lines>>;

/// Identity of a plan: the mechanism, the protocol, the seed, nodes, threads of each, and bytes of a block.
type PlanKey = (&'static str, Option<&'static str>, u64, [u32; 3]);

/// A run whose values are right by themselves, as far as they are there.
struct One<'a> {
    source: &'a Source,
    run: &'a Specification,
    entry: &'a Entry,
    subject: Option<&'a Subject>,
    target: Option<&'a Target>,
}

impl One<'_> {
    /// Adds mistakes that the values of a run make together.
    fn check(&self, choices: &Choices, found: &mut Found<'_>, jobs: &mut Jobs) {
        let Self { source, entry, .. } = *self;
        let usual = || self.target.map_or(entry.mechanisms[0], |target| target.usual_mechanism(entry));
        let mechanism = choices.mechanism.unwrap_or_else(usual);
        if let Err(error) = Subject::check(entry, &[mechanism]) {
            return found.add(source, "mechanism", Some(&lines(&error)));
        }
        self.check_sharing(mechanism, found);
        let ignored = self.subject.and_then(|subject| subject.check_inputs(&[mechanism]).err());
        found.add(source, "inputs", ignored.as_ref().map(lines).as_ref());
        let Some(target) = self.target else { return };
        let policy = choices.policy.clone().unwrap_or_else(|| target.usual_policy(mechanism));
        match target.check(mechanism, &policy) {
            Err(refusal) => {
                let key = if matches!(refusal, Refusal::Mechanism { .. }) { "mechanism" } else { "policy" };
                let typed =
                    |mechanism, policies: &str| format!("mechanism = \"{mechanism}\" with policy {policies}");
                let why = target.refusing(refusal);
                let instead = || asked::instead(entry, target, (mechanism, &policy), typed);
                let told = if why.contains(EXPECTED) { why } else { format!("{why}; {}", instead()) };
                found.add(source, key, Some(&lines(&told)));
            }
            Ok(()) => {
                let Some(subject) = self.subject else { return };
                let setting = self.setting(subject, target, (mechanism, policy), choices);
                can_be(&setting, jobs).unwrap_or_else(|told| found.add_whole(source, &told));
                let alone = choices.baseline.map(|baseline| setting.baseline(baseline)).transpose();
                found.add(source, "baseline", alone.err().as_ref().map(lines).as_ref());
            }
        }
    }

    /// Adds options on shared memory that have no use.
    fn check_sharing(&self, mechanism: Mechanism, found: &mut Found<'_>) {
        let shared = format!("mechanism = {:?}", Mechanism::SharedMemory.name());
        let Some(why) = asked::useless(self.entry, &[mechanism], &shared) else { return };
        let block = self.run.block.map(|block| block.to_string());
        let protocol = self.run.protocol.as_ref().map(|protocol| format!("{protocol:?}"));
        for (key, value) in [("block", block), ("protocol", protocol)] {
            if let Some(value) = value {
                found.refuse(self.source, key, &value, &why);
            }
        }
    }

    fn setting(
        &self,
        subject: &Subject,
        target: &Target,
        (mechanism, policy): (Mechanism, Policy),
        choices: &Choices,
    ) -> Setting {
        let Specification { nodes, processors, threads, seed, .. } = *self.run;
        let least = subject.instance.least();
        let shape = target.shape(AskedShape { nodes, processors }, least);
        Setting {
            subject: subject.clone().sharing(choices.sharing),
            target: target.clone(),
            mechanism,
            nodes: shape.nodes,
            processors: shape.processors,
            threads: threads.unwrap_or(least.threads),
            policy,
            seed,
            hosting: asked::hosting_of(self.run),
            stall_limit: None,
            host_limit: None,
            trace: None,
            progress: None,
        }
    }
}

/// Whether a run can be so large, and the program can prepare for it.
fn can_be(setting: &Setting, jobs: &mut Jobs) -> Result<(), Lines> {
    let size = setting.target.check_size(&setting.policy, setting.machine_shape(), setting.threads);
    size.map_err(|refusal| lines(&setting.target.refusing(refusal)))?;
    setting.check_place().map_err(|refusal| lines(&refusal))?;
    let plan = setting.plan().map_err(|error| lines(&error))?;
    let prepare = || setting.subject.instance.job(&plan).map(drop).map_err(|error| lines(&error));
    let Plan { mechanism, shape, seed, block, protocol, problem: _ } = plan;
    let key = (mechanism.name(), protocol.map(|it| it.name), seed, [shape.nodes, shape.threads, block]);
    jobs.entry(key).or_insert_with(prepare).clone()
}
