//! Meanings of the sources of a machine's values: works named by number, words for our own choices, and works named by
//! their claims. This module must never know a value.

use lab::ledger::WORDS;
use machine::{Machine, Value};
use report::document::Meaning;
use worlds::machines;

use crate::shipped::{CLAIMS, Shipped};
use crate::studies::shipped_claims;

/// The meanings of all that lines and sources of these values name, each once: files, works by number, words, claims. A mark that two
/// files explain in different ways has a row for each.
pub(super) fn of(command: &str, machine: &Machine, values: &[Value]) -> Vec<Meaning> {
    let told: Vec<_> = values
        .iter()
        .filter(|value| value.line.is_some())
        .filter_map(|value| Some((value.file.as_str(), value.source.as_deref()?)))
        .collect();
    let mut found = Vec::new();
    for mark in marks(machine, &told) {
        for (file, _) in told.iter().filter(|(_, source)| names(source, &mark)) {
            let meaning = meaning(machine, file, &mark);
            if !found.iter().any(|other: &Meaning| other.mark == mark && other.text == meaning.text) {
                found.push(meaning);
            }
        }
    }
    let works = works(&told, &found);
    [files(command, values), found, works].concat()
}

/// The numbers in brackets and the words that sources name, numbers first.
fn marks(machine: &Machine, told: &[(&str, &str)]) -> Vec<String> {
    let mut numbers: Vec<_> = told.iter().flat_map(|(_, source)| numbers(source)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut words: Vec<_> = WORDS.iter().map(|(word, _)| *word).collect();
    for note in machine.notes().filter(|note| !note.mark.starts_with('[')) {
        if !words.contains(&note.mark.as_str()) {
            words.push(&note.mark);
        }
    }
    let used = words.into_iter().filter(|word| told.iter().any(|(_, source)| names(source, word)));
    numbers.iter().map(|number| format!("[{number}]")).chain(used.map(str::to_owned)).collect()
}

/// The numbers that stand in brackets in a source.
fn numbers(source: &str) -> Vec<u32> {
    let inside = source.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    inside.filter_map(|(number, _)| number.parse().ok()).collect()
}

/// Whether a source names a mark: a number in brackets anywhere; a word that stands alone between commas, colons and semicolons.
fn names(source: &str, mark: &str) -> bool {
    match mark.starts_with('[') {
        true => source.contains(mark),
        false => source.split([',', ':', ';']).any(|part| part.trim() == mark),
    }
}

fn meaning(machine: &Machine, file: &str, mark: &str) -> Meaning {
    let general = || WORDS.iter().find(|(word, _)| *word == mark).map(|(_, text)| (*text).to_owned());
    let noted = machine.note(file, mark).map(|note| note.text.clone()).or_else(general);
    Meaning { mark: mark.to_owned(), file: file.to_owned(), text: noted }
}

/// The works whose claims are named by their ids: that of `split-c.table1.gap.get.cm5.proc` for `split-c`. `known` are the
/// meanings before them, which may have the work already.
fn works(told: &[(&str, &str)], known: &[Meaning]) -> Vec<Meaning> {
    let work = |claims: &Shipped| {
        let prefix = format!("{}.", claims.name);
        let is_id = |source: &str| source.split_whitespace().any(|word| word.starts_with(&prefix));
        let (file, _) = told.iter().find(|(_, source)| is_id(source))?;
        let work = shipped_claims(claims).into_iter().next()?.work?;
        let is_work = |one: &&Meaning| one.text.as_ref().is_some_and(|text| text.starts_with(&work));
        let work = known.iter().find(is_work).map_or(work.clone(), |one| {
            let is_clear = known.iter().filter(|other| other.mark == one.mark).count() == 1;
            if is_clear { one.mark.clone() } else { format!("{} in {}", one.mark, one.file) }
        });
        let text = Some(format!("claims of {work}"));
        Some(Meaning { mark: format!("{prefix}*"), file: (*file).to_owned(), text })
    };
    CLAIMS.iter().filter_map(work).collect()
}

/// Commands that show the shipped files in which values stand, with `command` as the name of the command.
fn files(command: &str, values: &[Value]) -> Vec<Meaning> {
    let is_used = |shipped: &&machines::Shipped| {
        values.iter().any(|value| value.line.is_some() && value.file == shipped.path)
    };
    let prints = |shipped: &machines::Shipped| Meaning {
        mark: "line".to_owned(),
        file: shipped.path.to_owned(),
        text: Some(format!("`{command} machine {}` prints {}.toml", shipped.name, shipped.name)),
    };
    machines::ALL.iter().filter(is_used).map(prints).collect()
}
