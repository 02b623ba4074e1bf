//! Whether the runs of a study can be done: everything that can be told before any of them is. This module must never run
//! anything.

use std::collections::BTreeMap;

use lab::mistake::{Mistakes, Place};
use lab::study::{Origin, Source, Study};
use lab::{Laboratory, Specification};
use tempest::entry::{Coherence, Entry};
use tempest::{Mechanism, Policy};
use worlds::{Subject, Target};

use crate::asked;
use crate::house::House;
use crate::problem::Problem;
use crate::reads;
use crate::told;

use super::source::Read;

/// A laboratory of the study alone, or every mistake in its file and its runs, each with its place in the file.
pub(super) fn laboratory(house: &House, read: Read) -> Result<Laboratory, Problem> {
    let Read { study, surveys, mut mistakes } = read;
    let (mut found, disturbed) = study.as_ref().map(|study| runs(house, study)).unwrap_or_default();
    let laboratory = match study {
        Some(study) => Laboratory::new(Vec::new(), vec![study], surveys, Vec::new()),
        None => Err(Mistakes::new()),
    };
    mistakes.extend(laboratory.as_ref().err().cloned().unwrap_or_default());
    found.extend(mistakes.into_iter().map(|mistake| (mistake.place, mistake.to_string())));
    found.sort();
    found.dedup();
    Problem::check(found.into_iter().map(|(_, text)| text).collect())?;
    asked::warn(&house.name, &disturbed);
    laboratory.map_err(|_| Problem::Wrong(Vec::new()))
}

/// A name with settings or inputs.
type With<'s, N> = (N, &'s [(String, String)]);

/// A run, and where it is stated.
type Stated<'s> = (&'s Source, &'s Specification);

/// A mistake and its place in the file.
type Placed = (Place, String);

/// Every mistake in the runs of a study, and the machines whose calibration was disturbed.
fn runs(house: &House, study: &Study) -> (Vec<Placed>, Vec<Target>) {
    let mut warned = BTreeMap::new();
    let mut found = Found { file: &study.file, mistakes: Vec::new() };
    let mut machines: BTreeMap<With<'_, String>, Vec<Stated<'_>>> = BTreeMap::new();
    let mut subjects: BTreeMap<With<'_, &str>, Stated<'_>> = BTreeMap::new();
    for source in &study.sources {
        let Origin::Run(run) = &source.origin else { continue };
        machines.entry((reads::machine(run), &run.settings)).or_default().push((source, run));
        subjects.entry((&run.program, &run.inputs)).or_insert((source, run));
    }
    for (source, run) in subjects.into_values() {
        found.add(source, "inputs", of_inputs(house, run));
    }
    for ((name, settings), runs) in machines {
        let target = Target::find(&name, settings);
        // Another setting does not make a calibration another one.
        warned.extend(
            target.iter().filter(|target| target.disturbed().is_some()).map(|it| (name.clone(), it.clone())),
        );
        for (source, run) in runs {
            found.add(source, "program", of_program(house, run).map(drop));
            match &target {
                Ok(target) => of_run(house, &mut found, source, run, target),
                Err(error) => found.add(source, "machine", Err(lines(error))),
            }
        }
    }
    (found.mistakes, warned.into_values().collect())
}

/// The mistakes in a file, each with its place.
struct Found<'f> {
    file: &'f str,
    mistakes: Vec<Placed>,
}

impl Found<'_> {
    /// Adds what is wrong with the value of a key.
    fn add(&mut self, source: &Source, key: &str, verdict: Result<(), Vec<String>>) {
        let place = source.places.field(key);
        let text = |why: String| (place, format!("{}:{place}: run.{key}: {why}", self.file));
        self.mistakes.extend(verdict.err().unwrap_or_default().into_iter().map(text));
    }
}

fn lines(error: &impl ToString) -> Vec<String> {
    error.to_string().lines().map(str::to_owned).collect()
}

fn of_problem<T>(told: Result<T, Problem>) -> Result<T, Vec<String>> {
    told.map_err(|problem| match problem {
        Problem::Wrong(mistakes) => mistakes,
        other => vec![format!("{other:?}")],
    })
}

fn of_program<'h>(house: &'h House, run: &Specification) -> Result<&'h Entry, Vec<String>> {
    house.programs.find(&run.program).map_err(|unknown| lines(&unknown))
}

/// Inputs that the program does not take, or whose files cannot be read.
fn of_inputs(house: &House, run: &Specification) -> Result<(), Vec<String>> {
    // What inputs there are, nobody knows.
    let Ok(entry) = of_program(house, run) else { return Ok(()) };
    let inputs = reads::inputs(entry, run);
    let inputs: Vec<_> = inputs.iter().map(|(key, input)| (*key, input.text.as_str())).collect();
    Subject::load(entry, &inputs).map(drop).map_err(|error| lines(&error))
}

/// What is wrong with the policy, the mechanism and the rest, by themselves and with each other.
fn of_run(house: &House, found: &mut Found<'_>, source: &Source, run: &Specification, target: &Target) {
    let protocol = run.protocol.as_ref().map(|name| Coherence::find(name, house.protocols).map(drop));
    found.add(source, "protocol", protocol.unwrap_or(Ok(())).map_err(|unknown| lines(&unknown)));
    let block = run.block.map(|block| of_problem(told(told::block(&block.to_string()))));
    found.add(source, "block", block.unwrap_or(Ok(0)).map(drop));
    let policy = run.policy.as_ref().map(|policy| of_problem(told(told::policy(policy)))).transpose();
    let mechanism = run.mechanism.as_ref().map(|it| of_problem(told(told::mechanism(it)))).transpose();
    let mechanism = mechanism.and_then(|asked| {
        let Ok(entry) = of_program(house, run) else { return Ok(None) };
        let asked = asked.as_slice();
        Subject::check(entry, asked).map_err(|error| lines(&error))?;
        Ok(Some(asked.first().copied().unwrap_or(entry.mechanisms[0])))
    });
    if let (Ok(Some(policy)), Ok(Some(mechanism))) = (&policy, &mechanism) {
        found.add(source, "policy", of_machine(target, *mechanism, policy));
    }
    found.add(source, "policy", policy.map(drop));
    found.add(source, "mechanism", mechanism.map(drop));
}

fn of_machine(target: &Target, mechanism: Mechanism, policy: &Policy) -> Result<(), Vec<String>> {
    target.check(mechanism, policy).map_err(|refusal| lines(&target.refusing(refusal)))
}

/// A value that was read, or its mistake.
fn told<T: Clone>(read: Result<told::Told<T>, std::convert::Infallible>) -> Result<T, Problem> {
    read.unwrap_or_else(|never| match never {}).get()
}
