//! Completions of a command for a shell: its subcommands and options, and the names of programs, machines, policies, mechanisms, protocols,
//! inputs and studies. This module must never know whether a name fits another argument.

use std::collections::BTreeSet;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};
use clap_complete::Shell;
use tempest::Mechanism;
use tempest::policy::PRESETS;
use worlds::{NATIVE, machines};

use crate::app::App;
use crate::{arguments, studies};

/// The script that completes a command in a shell.
pub(crate) fn script(app: &App, shell: Shell) -> Vec<u8> {
    let mut command = with_names(arguments::command(app), app);
    // On a closed pipe the generator would panic.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, &app.name, &mut script);
    script
}

/// The command, whose arguments know the names that they take.
fn with_names(mut command: Command, app: &App) -> Command {
    for part in command.get_subcommands_mut() {
        let subcommand = part.get_name().to_owned();
        *part = part.clone().mut_args(|arg| match names(app, &subcommand, &arg) {
            Some(names) => arg.value_parser(PossibleValuesParser::new(names)),
            None => arg,
        });
    }
    command
}

/// The names that an argument of a subcommand takes; `None` if it takes no name. Names that are made here are never freed: a process
/// prints completions once.
fn names(app: &App, subcommand: &str, arg: &Arg) -> Option<Vec<&'static str>> {
    let shipped = || machines::ALL.iter().map(|file| file.name);
    match (subcommand, arg.get_id().as_str()) {
        ("run" | "compare", "program") => {
            Some(app.programs.entries().iter().map(|entry| entry.name).collect())
        }
        ("explain", "machine") | ("machine", "name") => Some(shipped().collect()),
        (_, "machine") => Some(std::iter::once(NATIVE).chain(shipped()).collect()),
        (_, "policy") => Some(PRESETS.iter().map(|preset| preset.name).collect()),
        (_, "mechanism") => Some(Mechanism::ALL.map(Mechanism::name).into()),
        (_, "protocol") => Some(app.protocols.iter().map(|protocol| protocol.name).collect()),
        (_, "inputs") => Some(inputs(app, "=")),
        (_, "free") => Some(inputs(app, "")),
        ("study", "study") | ("report", "of") => {
            Some(studies::studies().into_iter().map(|study| &*study.name.leak()).collect())
        }
        _ => None,
    }
}

/// The keys of the inputs of all programs, each with an end.
fn inputs(app: &App, end: &str) -> Vec<&'static str> {
    let inputs = app.programs.entries().iter().flat_map(|entry| entry.inputs);
    let keys: BTreeSet<_> = inputs.map(|input| format!("{}{end}", input.key)).collect();
    keys.into_iter().map(|key| &*key.leak()).collect()
}
