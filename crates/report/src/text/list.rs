//! The text of `list`: machines, programs, policies and so on. This module must never know any one of them.

use crate::document::{Input, Item, List, Policy, Program};
use crate::page::Page;

/// Summaries stand beside names that are not wider than this, and below wider ones.
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

/// The lines that print a list. `options` are the options that may be written behind a policy.
pub fn list(list: &List, options: &[OptionItem], page: &Page) -> Vec<String> {
    let items = |title: &str, items: &Option<Vec<Item>>| {
        let rows = items.iter().flatten().map(|item| (item.name.as_str(), item.summary.clone()));
        items.as_ref().map_or_else(Vec::new, |_| section(title, rows.collect(), page))
    };
    let mut lines = items("machines", &list.machines);
    lines.extend(list.programs.as_ref().map_or_else(Vec::new, |all| programs(all, page)));
    lines.extend(list.policies.as_ref().map_or_else(Vec::new, |all| policies(all, options, page)));
    lines.extend(items("mechanisms", &list.mechanisms));
    lines.extend(items("studies", &list.studies));
    lines.extend(items("claims", &list.claims));
    lines
}

fn section(title: &str, rows: Vec<(&str, String)>, page: &Page) -> Vec<String> {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let row = |(name, summary): (&str, String)| match width > WIDEST_NAME {
        true => vec![format!("  {name}"), page.fold("      ", &summary)],
        false => vec![page.fold(&format!("  {name:width$}  "), &summary)],
    };
    let rows = rows.into_iter().flat_map(row);
    std::iter::once(title.to_owned()).chain(rows).chain([String::new()]).collect()
}

fn programs(programs: &[Program], page: &Page) -> Vec<String> {
    let width = programs.iter().map(|program| program.name.len()).max().unwrap_or(0);
    let mut lines = vec!["programs".to_owned()];
    for Program { name, summary, inputs } in programs {
        lines.push(page.fold(&format!("  {name:width$}  "), summary));
        for Input { key, default, kind, meaning, mechanisms } in inputs {
            let only = match &mechanisms[..] {
                [] => String::new(),
                some => format!("  (by {} only)", some.join(", ")),
            };
            lines.push(format!("  {:width$}    --input {key}={default}{only}", ""));
            lines.push(page.fold(&format!("  {:width$}        ", ""), &format!("{kind}: {meaning}")));
        }
    }
    lines.push(String::new());
    lines
}

fn policies(policies: &[Policy], options: &[OptionItem], page: &Page) -> Vec<String> {
    let row = |policy: &'_ Policy| (policy.name.clone(), needing(&policy.summary, &policy.needs));
    let rows: Vec<_> = policies.iter().map(row).collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let rows = rows.iter().map(|(name, said)| (name.as_str(), said.clone())).collect();
    let mut lines = section("policies", rows, page);
    let end = lines.pop();
    lines.push(page.fold("  ", "options, behind any of them, such as floating+keyed+every=16:"));
    for OptionItem { option, meaning, needs } in options {
        lines.push(page.fold(&format!("  {option:width$}  "), &needing(meaning, needs)));
    }
    lines.extend(end);
    lines
}

/// A summary, and what stands behind it.
fn needing(summary: &str, needs: &[String]) -> String {
    match needs.is_empty() {
        true => summary.to_owned(),
        false => format!("{summary}; needs {}", needs.join(", ")),
    }
}
