//! The legend of a comparison: the meanings of its bars, words and heads of columns, each once. This module must never know a
//! measurement.

use tempest::policy::PRESETS;
use tempest::{Mechanism, Policy};

use super::ranked::{self, Tables};
use crate::bar;
use crate::document::{Verdict, World};
use crate::page::{Page, QUIET};
use crate::words;

/// Words to be explained, in the order in which they came.
#[derive(Default)]
pub(super) struct Legend {
    /// The name of the command that people type.
    command: String,
    mechanisms: Vec<Mechanism>,
    policies: Vec<String>,
    /// Models, each with the name or the file by which the command knows it, and its summary.
    models: Vec<(String, String, String)>,
    native: bool,
    heads: Vec<String>,
    dropped: Vec<String>,
    is_cut: bool,
    has_same: bool,
    is_disturbed: bool,
}

/// Adds an item unless it is there.
fn add<T: PartialEq>(to: &mut Vec<T>, item: T) {
    if !to.contains(&item) {
        to.push(item);
    }
}

impl Legend {
    /// Adds the words in the tables of one machine, which has this summary if it is a model.
    pub(super) fn add(&mut self, world: &World, summary: Option<&str>, tables: &Tables) {
        let mechanisms = world.rows.iter().filter_map(|row| row.combination.mechanism.parse().ok());
        mechanisms.for_each(|mechanism| add(&mut self.mechanisms, mechanism));
        self.native |= world.is_native();
        if let Some(summary) = summary {
            let (name, file) = (&world.on.machine, &world.on.machine_file);
            let known = file.as_ref().unwrap_or(name);
            add(&mut self.models, (name.clone(), known.clone(), summary.to_owned()));
        }
        tables.heads.iter().for_each(|head| add(&mut self.heads, head.clone()));
        tables.dropped.iter().for_each(|head| add(&mut self.dropped, head.clone()));
        self.is_cut |= tables.is_cut;
        self.has_same |= tables.has_same;
        self.is_disturbed |= tables.is_disturbed;
    }

    /// The legend of a page that begins with this verdict, whose policies it explains.
    pub(super) fn of(command: &str, verdict: &Verdict) -> Self {
        let mut policies = Vec::new();
        named_policies(verdict).for_each(|policy| add(&mut policies, policy.to_owned()));
        Self { command: command.to_owned(), policies, ..Self::default() }
    }

    /// The legend, at most as wide as the page.
    pub(super) fn lines(&self, page: &Page) -> Vec<String> {
        let words = self.words(page);
        let width = words.iter().map(|(word, _)| word.len()).max().unwrap_or_default();
        let told = words.iter().map(|(word, meaning)| {
            let text = page.fold(&format!("{word:width$}  "), meaning);
            page.paint(QUIET, &text)
        });
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
        words.extend(ranked::meanings(&self.heads));
        words.extend(self.marks(page));
        words
    }

    /// Marks in tables, and the columns for which there was no room.
    fn marks(&self, page: &Page) -> impl Iterator<Item = (String, String)> {
        let same =
            self.has_same.then(|| ("a, b", "policies in one row, which ran exactly the same".to_owned()));
        let cut = self.is_cut.then(|| (bar::cut(page), "the bar is cut off".to_owned()));
        let disturbed = self.is_disturbed.then(|| {
            (
                ranked::DISTURBED,
                "the OS took more than 3 % of the processors' time: the row decides nothing".to_owned(),
            )
        });
        let heads = self.dropped.join(", ");
        let dropped =
            (!heads.is_empty()).then(|| ("no room", format!("for {heads}: see --width and --json")));
        [same, disturbed, cut, dropped]
            .into_iter()
            .flatten()
            .map(|(mark, meaning)| (mark.to_owned(), meaning))
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
