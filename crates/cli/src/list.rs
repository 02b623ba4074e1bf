//! `tradewind list`: programs, machines, policies and so on. This module must never know how a list looks.

use std::io::Write;
use std::process::ExitCode;

use report::document::{self, Item, Program};
use report::page::Page;
use report::text::{self, OptionItem};
use tempest::entry::{Coherence, Entry, Input, UnknownName};
use tempest::policy::{OPTIONS, PRESETS, Preset};
use tempest::{Mechanism, Policy};
use units::plural::several;
use worlds::{NATIVE, machines};

use crate::app::App;
use crate::arguments::{List, What};
use crate::asked::mechanism_names;
use crate::print::print;
use crate::problem::Problem;
use crate::shipped::CLAIMS;
use crate::studies;

/// End of the name of a policy that takes a number.
const COUNT: &str = ":COUNT";

/// Lists the requested kind, or the requested entry of it.
pub(crate) fn list(app: &App, arguments: &List, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let page = arguments.output.page()?;
    // Claims are very many, and none of them can be said to another command as a whole.
    let is_shown = |what| arguments.what.map_or(what != What::Claims, |asked| asked == what);
    let mut found = document::List {
        version: document::VERSION,
        machines: is_shown(What::Machines).then(models),
        programs: is_shown(What::Programs).then(|| app.programs.entries().iter().map(program).collect()),
        policies: is_shown(What::Policies).then(|| PRESETS.iter().map(policy).collect()),
        mechanisms: is_shown(What::Mechanisms).then(|| mechanisms(app)),
        studies: is_shown(What::Studies)
            .then(|| studies::studies().into_iter().map(|study| item(study.name, study.summary)).collect()),
        claims: is_shown(What::Claims).then(claims),
    };
    if let Some(name) = &arguments.name {
        keep(&mut found, name)?;
    }
    let is_full = arguments.name.is_some();
    let print_text = |page: &Page| text::list(&found, &options(), is_full, page);
    print(out, arguments.output.json, &page, &found, print_text)?;
    Ok(ExitCode::SUCCESS)
}

/// Takes everything out of a list but the entry of one name.
fn keep(list: &mut document::List, name: &str) -> Result<(), Problem> {
    let document::List { version: _, machines, programs, policies, mechanisms, studies, claims } = list;
    let items = [("machine", machines), ("mechanism", mechanisms), ("study", studies), ("claim", claims)];
    for (kind, items) in items {
        keep_in(items, kind, name, |item| &item.name)?;
    }
    keep_in(programs, "program", name, |program| &program.name)?;
    keep_in(policies, "policy", name, |policy| policy.name.trim_end_matches(COUNT))
}

/// Takes everything out of a section but the entry of one name; a section that is not asked for stays so.
fn keep_in<T>(
    section: &mut Option<Vec<T>>,
    kind: &'static str,
    name: &str,
    named: impl Fn(&T) -> &str,
) -> Result<(), Problem> {
    let Some(entries) = section else { return Ok(()) };
    match entries.iter().position(|entry| named(entry) == name.trim_end_matches(COUNT)) {
        Some(place) => *entries = vec![entries.swap_remove(place)],
        None => {
            let unknown = UnknownName::new(kind, name, entries.iter().map(named));
            return Err(Problem::wrong(unknown.to_string()));
        }
    }
    Ok(())
}

fn item(name: impl Into<String>, summary: impl Into<String>) -> Item {
    Item { name: name.into(), summary: summary.into() }
}

/// This host and the shipped models.
fn models() -> Vec<Item> {
    let host = format!("this host: every processor is an OS thread; {} cores", worlds::cores());
    let model = |file: &machines::Shipped| {
        let machine = machines::get(file.name).expect("shipped machine files are valid: a test parses each");
        let nodes = several(machine.nodes, "node");
        // Most summaries begin with their size.
        let said = match machine.summary.contains(&nodes) {
            true => format!("{} ({})", machine.summary, file.path),
            false => {
                let processors = several(machine.processors, "processor");
                format!("{} ({nodes} of {processors}, {})", machine.summary, file.path)
            }
        };
        item(machine.name, said)
    };
    std::iter::once(item(NATIVE, host)).chain(machines::ALL.iter().map(model)).collect()
}

fn program(entry: &Entry) -> Program {
    let input = |input: &Input| document::Input {
        key: input.key.to_owned(),
        default: input.default.to_owned(),
        kind: input.kind.to_string(),
        meaning: input.meaning.to_owned(),
        mechanisms: input.only.iter().map(|mechanism| mechanism.name().to_owned()).collect(),
        free: input.free.map(str::to_owned),
    };
    Program {
        name: entry.name.to_owned(),
        summary: format!("{} ({})", entry.summary, mechanism_names(entry.mechanisms)),
        inputs: entry.inputs.iter().map(input).collect(),
    }
}

fn policy(preset: &Preset) -> document::Policy {
    let count = if preset.counted { COUNT } else { "" };
    let policy = preset.name.parse::<Policy>().expect("the name of a preset is a policy");
    document::Policy {
        name: format!("{}{count}", preset.name),
        summary: preset.summary.to_owned(),
        needs: texts(&policy.needs()),
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The options that may be written behind a policy.
fn options() -> Vec<OptionItem> {
    let choice = |option: &tempest::policy::PolicyOption| OptionItem {
        option: option.text.to_owned(),
        meaning: option.meaning.to_owned(),
        needs: texts(&option.needs()),
    };
    OPTIONS.iter().map(choice).collect()
}

fn mechanisms(app: &App) -> Vec<Item> {
    let protocol = |protocol: &Coherence| format!("{protocol}: {}", protocol.summary);
    let protocols = app.protocols.iter().map(protocol).collect::<Vec<_>>().join("; ");
    let row = |mechanism: Mechanism| match mechanism {
        Mechanism::SharedMemory => {
            item(mechanism.name(), format!("{} (--protocol {protocols})", mechanism.summary()))
        }
        _ => item(mechanism.name(), mechanism.summary()),
    };
    Mechanism::ALL.map(row).into()
}

fn claims() -> Vec<Item> {
    let all = CLAIMS.iter().flat_map(studies::shipped_claims);
    all.map(|claim| item(claim.id, format!("{}: {}", claim.place, claim.statement))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_runs_on_this_host_or_on_a_shipped_machine() {
        let names = machines::ALL.iter().map(|file| file.name).chain([NATIVE]);
        let targets: Vec<_> = names.map(|name| worlds::Target::find(name, &[]).unwrap()).collect();
        for preset in PRESETS {
            let policy: Policy = preset.name.parse().unwrap();
            let can = |mechanism| targets.iter().any(|target| target.check(mechanism, &policy).is_ok());
            assert!(Mechanism::ALL.into_iter().any(can), "{policy}");
        }
    }
}
