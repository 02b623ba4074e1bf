//! `tradewind explain`: every value of a machine, its source, and its consequences.
//!
//! | module | contents |
//! |---|---|
//! | `derived` | consequences of the values alone |
//! | `parts` | the parts of each price with bus transactions |
//! | `round_trip` | the time of a message on an idle machine, as a sum of prices |
//! | `measured` | the time of a message between two nodes, by a run |
//! | `sources` | the meaning of the sources of values: works, words, claims |
//! | `abilities` | the policies and mechanisms that the machine can run |
//!
//! This module must never know how an explanation looks.

mod abilities;
mod derived;
mod measured;
mod parts;
mod round_trip;
mod sources;

use std::io::Write;
use std::process::ExitCode;

use machine::Machine;
use report::document::{self, VERSION, Value};
use report::text;
use tempest::Policy;
use worlds::{NATIVE, Target};

use crate::app::App;
use crate::arguments::Explain;
use crate::asked::target;
use crate::deferred::optional;
use crate::print::print;
use crate::problem::{All, Problem};

/// Prints the explanation of a machine.
pub(crate) fn explain(app: &App, arguments: &Explain, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let machine = target(&arguments.machine, &arguments.settings);
    let (target, policy, page) = (machine, optional(&arguments.policy), arguments.output.page()).all()?;
    let Target::Model { machine, .. } = &target else {
        return Err(Problem::wrong(format!(
            "machine `{NATIVE}` is this host and has no values to explain; expected a model, such as `tradewind calibrate` writes of it, or \
             one of `tradewind list machines`"
        )));
    };
    target.check_nodes(machine.nodes).map_err(|why| Problem::wrong(target.refusing(why)))?;
    let refusal = policy.as_ref().and_then(|policy| abilities::refusal(&target, policy));
    let refusal = refusal.map(|refusal| refusal.to_string());
    let found = document(app, &target, machine, policy.as_ref(), refusal.is_some());
    let lines = |page: &_| text::explain(&found, refusal.as_deref(), page);
    print(out, arguments.output.json, &page, &found, lines)?;
    Ok(ExitCode::SUCCESS)
}

/// The explanation of a machine under all policies that it can run.
pub(crate) fn of_machine(app: &App, target: &Target, machine: &Machine) -> document::Explain {
    document(app, target, machine, None, false)
}

/// The explanation of a machine, under a policy if one is named.
fn document(
    app: &App,
    target: &Target,
    machine: &Machine,
    policy: Option<&Policy>,
    is_refused: bool,
) -> document::Explain {
    let under = policy.map_or_else(|| machine.clone(), |policy| machine.under(policy.preset()));
    let (runs, refused) = abilities::of(target);
    let asked = match policy {
        None => runs.policies.clone(),
        Some(policy) if !is_refused => vec![policy.to_string()],
        Some(_) => Vec::new(),
    };
    let (round_trips, trips, not_derived) = round_trip::derive(&under, &asked);
    let ways: Vec<_> = trips.iter().map(|trip| trip.policy.clone()).collect();
    let (measured, not_measured) = measured::measure(app, target, &ways);
    let named = policy.map(Policy::preset);
    let holds = |value: &&machine::Value| {
        named.is_none() || policy_of(value).is_none_or(|policy| Some(policy) == named)
    };
    // A machine states its own name, even if it extends another.
    let file = machine.values().iter().find(|value| value.key == "name").map(|value| value.file.clone());
    let values: Vec<_> = under.values().iter().filter(holds).cloned().collect();
    document::Explain {
        version: VERSION,
        machine: under.name.clone(),
        machine_file: file.unwrap_or_default(),
        machine_digest: format!("{:016x}", machine.digest()),
        summary: under.summary.clone(),
        policy: policy.map(ToString::to_string),
        values: values.iter().map(value).collect(),
        derived: derived::derive(&under)
            .into_iter()
            .chain(parts::derive(&under))
            .chain(round_trips)
            .collect(),
        not_derived,
        trips,
        measured,
        not_measured,
        runs,
        refused,
        sources: sources::of(&app.name, machine, &values),
    }
}

fn value(value: &machine::Value) -> Value {
    Value {
        key: value.key.clone(),
        policy: policy_of(value).map(str::to_owned),
        written: value.text.clone(),
        value: value.resolved.clone(),
        source: value.source.clone(),
        file: value.line.is_some().then(|| value.file.clone()),
        line: value.line,
    }
}

/// The policy that a value holds under, if it does under one only.
fn policy_of(value: &machine::Value) -> Option<&str> {
    value.key.strip_prefix("policy.")?.split_once('.').map(|(policy, _)| policy)
}
