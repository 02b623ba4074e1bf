//! The legend of a comparison: the meanings of its bars, words and heads of columns, each once. This module must never know a
//! measurement.

use indexmap::IndexSet;
use tempest::policy::PRESETS;
use tempest::{Mechanism, Policy};

use super::ranked::{self, Marks, Tables};
use crate::bar;
use crate::document::{Row, Verdict, World};
use crate::page::{Page, QUIET};
use crate::words;

/// Words to be explained, in the order in which they came.
#[derive(Default)]
pub(super) struct Legend {
    /// The name of the command that people type.
    command: String,
    mechanisms: IndexSet<Mechanism>,
    policies: IndexSet<String>,
    /// Models, each with the name or the file by which the command knows it, and its summary.
    models: IndexSet<(String, String, String)>,
    native: bool,
    marks: Marks,
}

impl Legend {
    /// Adds the words in the tables of one machine, which has this summary if it is a model.
    pub(super) fn add(&mut self, world: &World, summary: Option<&str>, tables: &Tables) {
        let mechanism = |row: &Row| row.combination.mechanism.parse::<Mechanism>().ok();
        self.mechanisms.extend(world.rows.iter().filter_map(mechanism));
        self.native |= world.is_native();
        let name = &world.on.machine;
        let known = world.on.machine_file.as_ref().unwrap_or(name);
        self.models.extend(summary.map(|summary| (name.clone(), known.clone(), summary.to_owned())));
        self.marks.heads.extend(tables.marks.heads.iter().cloned());
        self.marks.dropped.extend(tables.marks.dropped.iter().cloned());
        self.marks.is_cut |= tables.marks.is_cut;
        self.marks.has_same |= tables.marks.has_same;
        self.marks.is_disturbed |= tables.marks.is_disturbed;
    }

    /// The legend of a page that begins with this verdict, whose policies it explains.
    pub(super) fn of(command: &str, verdict: &Verdict) -> Self {
        let policies = named_policies(verdict).map(str::to_owned).collect();
        Self { command: command.to_owned(), policies, ..Self::default() }
    }

    /// The legend, at most as wide as the page.
    pub(super) fn lines(&self, page: &Page) -> Vec<String> {
        let words = self.words(page);
        let width = words.iter().map(|(word, _)| word.len()).max().unwrap_or_default();
        let told =
            words.iter().map(|(word, meaning)| page.fold_in(QUIET, &format!("{word:width$}  "), meaning));
        std::iter::once(bar::legend(page, "bars:", self.native)).chain(told).collect()
    }

    /// Each word with its meaning.
    fn words(&self, page: &Page) -> Vec<(String, String)> {
        let mut words = vec![("NI".to_owned(), "network interface".to_owned())];
        words.push(("node".to_owned(), node(self.native)));
        words.extend(self.mechanisms.iter().map(|one| (one.name().to_owned(), one.summary().to_owned())));
        words.push(("policy".to_owned(), format!("{POLICY}; `{} list policies` has all", self.command)));
        let meaning = |policy: &String| Some((policy.clone(), meaning(policy)?));
        words.extend(self.policies.iter().filter_map(meaning));
        let explained = |(name, known, summary): &(String, String, String)| {
            (name.clone(), format!("{summary}; `{} explain {known}`", self.command))
        };
        words.extend(self.models.iter().map(explained));
        words.extend(ranked::meanings(&self.marks.heads));
        words.extend(self.marks(page));
        words
    }

    /// Marks in tables, and the columns for which there was no room.
    fn marks(&self, page: &Page) -> Vec<(String, String)> {
        let Marks { dropped, is_cut, has_same, is_disturbed, .. } = &self.marks;
        let dropped = dropped.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let disturbed = "the OS took more than 3 % of the processors' time: the row decides nothing";
        let no_room = format!("for {dropped}: see --width and --json");
        let marks = [
            (*has_same, "a, b", "policies in one row, which ran exactly the same"),
            (*is_disturbed, ranked::DISTURBED, disturbed),
            (*is_cut, bar::cut(page), "the bar is cut off"),
            (!dropped.is_empty(), "no room", &no_room),
        ];
        let there = marks.into_iter().filter(|(is_there, ..)| *is_there);
        there.map(|(_, mark, meaning)| (mark.to_owned(), meaning.to_owned())).collect()
    }
}

/// The policies that the words of a verdict name.
fn named_policies(verdict: &Verdict) -> impl Iterator<Item = &str> {
    let leads = verdict.tables.iter().filter_map(|answer| answer.policy.as_ref());
    leads
        .filter(|lead| lead.next.is_some())
        .flat_map(|lead| lead.best.iter().take(words::NAMED))
        .map(String::as_str)
}

/// The meaning of a policy.
const POLICY: &str = "which processors of a node send and which run the handlers of messages";

/// The meaning of a node, on models and on this host.
fn node(native: bool) -> String {
    let anywhere = "processors with a memory of their own";
    match native {
        true => format!("{anywhere}; on this host each processor is a thread"),
        false => anywhere.to_owned(),
    }
}

/// The meaning of a policy with a name of its own.
fn meaning(policy: &str) -> Option<String> {
    let policy: Policy = policy.parse().ok()?;
    let preset = PRESETS.iter().find(|preset| preset.name == policy.preset())?;
    Some(preset.summary.replace("COUNT", &policy.count.to_string()))
}

#[cfg(test)]
mod tests {
    use compare::samples::{ranking, rows};
    use tempest::Mechanism::{Bulk, Messages};

    use super::*;
    use crate::document::samples::comparison;

    #[test]
    fn what_is_shown_is_explained_once_and_nothing_else() {
        let page = Page { width: 80, colour: false, unicode: false };
        let ranking = ranking("toy", &rows(&[(Bulk, "fixed:2", 10), (Messages, "np", 20), (Bulk, "np", 30)]));
        let mut found = comparison(&[ranking.clone(), ranking]);
        let mut legend = Legend::of("tradewind", &found.verdict);
        for world in &found.worlds {
            legend.add(
                world,
                Some("a toy"),
                &ranked::tables(&page, &world.table(), 2, ranked::Look::Counters),
            );
        }
        let lines = legend.lines(&page).join("\n");
        assert!(
            lines.contains("\nfixed:2   2 of the node's processors run handlers and nothing else\n"),
            "{lines}"
        );
        assert!(lines.contains("\ntoy       a toy; `tradewind explain toy`\n"), "{lines}");
        // The command does not know a machine of a user's file by its name.
        let world = &mut found.worlds[0];
        world.on.machine_file = Some("mine.toml".to_owned());
        let mut of_file = Legend::default();
        of_file.add(world, Some("a toy"), &ranked::tables(&page, &world.table(), 2, ranked::Look::Counters));
        assert!(of_file.lines(&page).concat().contains("explain mine.toml`"));
        assert!(lines.contains("\nbulk      values gathered"), "{lines}");
        assert!(
            !lines.contains("\nnp  ") && !lines.contains("deposit") && !lines.contains("this host"),
            "{lines}"
        );
        assert!(lines.lines().all(|line| line.len() <= 80), "{lines}");
    }
}
