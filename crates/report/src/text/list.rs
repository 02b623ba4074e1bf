//! The text of `list`: machines, programs, policies and so on. This module must never know any one of them.

use crate::document::{Input, Item, List, Policy, Program};
use crate::page::Page;

/// Width of the widest column of names: the summary of a longer name begins further right.
const WIDEST_NAME: usize = 30;

/// An option of policies.
#[derive(Clone, Debug)]
pub struct OptionItem {
    /// The option, as it is written behind a policy.
    pub option: String,
    /// The meaning, for people.
    pub meaning: String,
    /// The capabilities that a machine must have for it.
    pub needs: Vec<String>,
}

/// The lines that print a list: a line for each entry, or, `is_full`, everything about each entry. `options` are the options that may be
/// written behind a policy.
pub fn list(list: &List, options: &[OptionItem], is_full: bool, page: &Page) -> Vec<String> {
    let section = |title: &str, rows: Vec<(String, String)>| section(title, &rows, is_full, page);
    let items = |title: &str, items: &Option<Vec<Item>>| match items {
        Some(items) => section(title, items.iter().map(|it| (it.name.clone(), it.summary.clone())).collect()),
        None => Vec::new(),
    };
    let mut lines = items("machines", &list.machines);
    if let Some(programs) = &list.programs {
        let row = |program: &Program| (program.name.clone(), program.summary.clone());
        lines.extend(section("programs", programs.iter().map(row).collect()));
        if is_full {
            lines.extend(programs.iter().flat_map(|program| inputs(program, page)));
        }
    }
    if let Some(policies) = &list.policies {
        let row = |policy: &Policy| (policy.name.clone(), needing(&policy.summary, &policy.needs));
        lines.extend(section("policies", policies.iter().map(row).collect()));
        let row = |option: &OptionItem| (option.option.clone(), needing(&option.meaning, &option.needs));
        let title = "options, behind any policy, such as floating+keyed+every=16";
        lines.extend(section(title, options.iter().map(row).collect()));
    }
    lines.extend(items("mechanisms", &list.mechanisms));
    lines.extend(items("studies", &list.studies));
    lines.extend(items("claims", &list.claims));
    lines
}

/// A title, a line for each row or all of it, and an empty line.
fn section(title: &str, rows: &[(String, String)], is_full: bool, page: &Page) -> Vec<String> {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0).min(WIDEST_NAME);
    let row = |(name, summary): &(String, String)| match is_full {
        true => page.fold(&format!("  {name:width$}  "), summary),
        false => page.cut(&format!("  {name:width$}  "), summary),
    };
    std::iter::once(title.to_owned()).chain(rows.iter().map(row)).chain([String::new()]).collect()
}

/// The inputs of a program: key and default of each, then the values it takes and its meaning.
fn inputs(program: &Program, page: &Page) -> Vec<String> {
    let input = |Input { key, default, kind, meaning, mechanisms, free }: &Input| {
        let only = match &mechanisms[..] {
            [] => String::new(),
            some => format!("  (by {} only)", some.join(", ")),
        };
        let free = free.as_ref().map_or_else(String::new, |free| format!("  (free: {free})"));
        [
            format!("    --input {key}={default}{only}{free}"),
            page.fold("        ", &format!("{kind}: {meaning}")),
        ]
    };
    program.inputs.iter().flat_map(input).chain([String::new()]).collect()
}

/// A summary with the capabilities that a machine must have.
fn needing(summary: &str, needs: &[String]) -> String {
    match needs.is_empty() {
        true => summary.to_owned(),
        false => format!("{summary}; needs {}", needs.join(", ")),
    }
}
