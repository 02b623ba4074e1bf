//! Inputs that the source of claims leaves open: the settings that their bands change, and the runs of a study that they
//! move. This module must never know a measured value.

use std::collections::{BTreeMap, BTreeSet};

use crate::assembly::Laboratory;
use crate::lineage::Lineage;
use crate::mistake::{Mistake, Mistakes, Place};
use crate::specification::FIELDS;
use crate::study::Band;
use crate::{Specification, Study};

/// The number of metrics that a mistake names.
const NAMED: usize = 3;

/// Reports claims of a study with a part that has a value at a further value of an open input of the study, and another part that
/// the input moves and that has none. Held there, the claim would compare runs of different inputs.
pub(crate) fn half_moved<'a>(laboratory: &'a Laboratory, lineage: &Lineage<'a>) -> Mistakes {
    let mut mistakes = Mistakes::new();
    for study in laboratory.studies().iter().filter(|study| !study.bands.is_empty()) {
        let claims = laboratory.decided_by(study).into_iter().map(|id| (id, lineage.leaves(id, |_| false)));
        let claims: Vec<_> = claims.collect();
        let leaves: BTreeSet<_> = claims.iter().flat_map(|(_, leaves)| leaves).copied().collect();
        let runs: Vec<_> =
            leaves.into_iter().filter_map(|leaf| Some((leaf, Run::of(lineage, leaf)?))).collect();
        for value in Value::all(study, lineage) {
            let moved = value.moved(&runs);
            for (id, leaves) in &claims {
                let missing = value.missing(leaves, &moved);
                if !missing.is_empty() {
                    mistakes.push(half(study, id, &value, &missing));
                }
            }
        }
    }
    mistakes
}

/// A run, with its settings by name.
struct Run<'a> {
    specification: &'a Specification,
    settings: BTreeMap<String, String>,
}

impl<'a> Run<'a> {
    /// The run of a metric; `None` of a metric without one.
    fn of(lineage: &Lineage<'a>, metric: &str) -> Option<Self> {
        let specification = lineage.run(metric)?;
        Some(Self { specification, settings: specification.fields().into_iter().collect() })
    }
}

/// A further value of an open input of a study, with its bands.
struct Value<'a> {
    open: &'a str,
    at: &'a str,
    /// The first band.
    place: Place,
    metrics: BTreeSet<&'a str>,
    opened: Vec<Opened<'a>>,
}

impl<'a> Value<'a> {
    fn all(study: &'a Study, lineage: &Lineage<'a>) -> Vec<Self> {
        let mut values: Vec<Self> = Vec::new();
        for band in &study.bands {
            let opened = Opened::of(lineage, band);
            match values.iter_mut().find(|it| it.open == band.open && it.at == band.at) {
                Some(value) => {
                    value.metrics.insert(&band.metric);
                    let is_new = opened.as_ref().is_some_and(|it| !value.opened.contains(it));
                    value.opened.extend(opened.filter(|_| is_new));
                }
                None => values.push(Self {
                    open: &band.open,
                    at: &band.at,
                    place: band.place,
                    metrics: BTreeSet::from([band.metric.as_str()]),
                    opened: opened.into_iter().collect(),
                }),
            }
        }
        values
    }

    /// The metrics of these runs that the input moves and that have no value here.
    fn moved(&self, runs: &[(&'a str, Run<'a>)]) -> BTreeSet<&'a str> {
        let is_moved = |run: &Run<'a>| self.opened.iter().any(|opened| opened.moves(run));
        let without = runs.iter().filter(|(metric, _)| !self.metrics.contains(metric));
        without.filter(|(_, run)| is_moved(run)).map(|(metric, _)| *metric).collect()
    }

    /// The metrics of a claim that are `moved`, if others of it have a value here.
    fn missing(&self, metrics: &BTreeSet<&'a str>, moved: &BTreeSet<&'a str>) -> Vec<&'a str> {
        if metrics.is_disjoint(&self.metrics) {
            return Vec::new();
        }
        metrics.intersection(moved).copied().collect()
    }
}

/// The settings in which the two runs of a band differ, with their values in the run of the band's metric.
#[derive(PartialEq)]
struct Opened<'a> {
    program: &'a str,
    mechanism: Option<&'a str>,
    settings: BTreeMap<String, Option<String>>,
}

impl<'a> Opened<'a> {
    /// `None` if the band's numbers are not of two runs.
    fn of(lineage: &Lineage<'a>, band: &Band) -> Option<Self> {
        let (run, there) = (Run::of(lineage, &band.metric)?, Run::of(lineage, &band.by)?);
        let (here, there) = (&run.settings, &there.settings);
        let keys = here.keys().chain(there.keys()).filter(|key| here.get(*key) != there.get(*key));
        let settings = keys.map(|key| (key.clone(), here.get(key).cloned())).collect();
        let Specification { program, mechanism, .. } = run.specification;
        Some(Self { program, mechanism: mechanism.as_deref(), settings })
    }

    /// Whether the open input moves a run: the program is that of the band, and each setting has the band's value. A run that
    /// does not set an input leaves it open too. By another mechanism it may not matter.
    fn moves(&self, run: &Run<'_>) -> bool {
        self.program == run.specification.program
            && self.settings.iter().all(|(key, value)| match run.settings.get(key) {
                None if !FIELDS.contains(&key.as_str()) => {
                    self.mechanism == run.specification.mechanism.as_deref()
                }
                stated => stated == value.as_ref(),
            })
    }
}

/// The mistake of a claim with parts that have no value at a further value of an open input.
fn half(study: &Study, id: &str, value: &Value<'_>, missing: &[&str]) -> Mistake {
    let (key, place) = decided(study, id);
    let named: Vec<_> = missing.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    let more = match missing.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let expected = format!(
        "a value at {:?} of each metric in it that {:?} moves, as the [[band]] in line {} gives: add a run and a [[band]] for \
         {}{more}",
        value.at,
        value.open,
        value.place.line,
        named.join(", ")
    );
    let (file, key, value) = (study.file.clone(), key.to_owned(), Some(format!("{id:?}")));
    Mistake { file, place, key, value, expected }
}

/// The key and the place of the expression by which a study decides a claim; of the file for a claim of one part.
fn decided(study: &Study, id: &str) -> (&'static str, Place) {
    let check = study.checks.iter().find(|check| check.claim == id).map(|it| ("check.claim", it.place));
    let derived = || study.derived.iter().find(|derived| derived.metric == id);
    check.or_else(|| derived().map(|it| ("derived.metric", it.place))).unwrap_or(("claim", Place::FIRST))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::{Laboratory, claim, study};

    const STUDY: &str = r#"
summary = "s"

[[run]]
program = "toy"
machine = "toy"
policy = "floating"
inputs = { steps = "5" }
metrics = [{ answer = "time_ns", metric = "time" }, { answer = "counters.messages", metric = "messages" }]

[[run]]
program = "toy"
machine = "toy"
policy = "{policy}"
inputs = { steps = "{steps}" }
each = { "policy turns steps" = ["floating idle 9", "floating+strict strict 5"] }
metrics = [{ answer = "time_ns", metric = "time.{turns}.{steps}" }]

[[run]]
program = "toy"
machine = "toy"
policy = "floating"
metrics = [{ answer = "time_ns", metric = "unset" }]

[[run]]
program = "toy"
machine = "toy"
metrics = [{ answer = "time_ns", metric = "usual" }]

[[run]]
program = "other"
machine = "toy"
policy = "floating"
inputs = { steps = "5" }
metrics = [{ answer = "time_ns", metric = "other" }]

[[model]]
name = "fixed-floating"
metrics = [{ figure = "k", metric = "model" }]

[[derived]]
metric = "half"
value = "PARTS / 2"
because = "half"

[[check]]
claim = "order"
holds = "PARTS < 6"
because = "an order"

[[run]]
program = "toy"
machine = "toy"
policy = "floating"
mechanism = "bulk"
metrics = [{ answer = "time_ns", metric = "unset.bulk" }]
"#;

    const STEPS: &str = "open = \"steps\"\nat = \"9\"\nmetric = \"time\"\nby = \"time.idle.9\"";
    const TURNS: &str = "open = \"turns\"\nat = \"strict\"\nmetric = \"time\"\nby = \"time.strict.5\"";

    /// The mistakes of the study with these claims, with these parts of the first two, and with this band.
    fn said(claims: &[&str], parts: &str, band: &str) -> Vec<String> {
        let claim = |id: &&str| {
            let rest = "where = \"t\"\nrole = \"result\"\nkind = \"order\"\nstatement = \"s\"\nconfidence = \"exact\"";
            format!("[[claim]]\nid = \"{id}\"\n{rest}\n")
        };
        let claims = claim::read("c.toml", &claims.iter().map(claim).collect::<String>()).unwrap();
        let text = STUDY.replace("PARTS", parts);
        let study = study::read("toy.toml", &format!("{text}\n[[band]]\n{band}\nbecause = \"b\"\n")).unwrap();
        let laboratory = Laboratory::new(claims, vec![study], BTreeMap::new(), Vec::new());
        laboratory.map_or_else(|mistakes| mistakes.iter().map(ToString::to_string).collect(), |_| Vec::new())
    }

    #[test]
    fn a_claim_with_a_part_that_an_open_input_does_not_move_is_refused_with_its_line() {
        let expected = "expected a value at \"9\" of each metric in it that \"steps\" moves, as the [[band]] in line 58 gives: \
                        add a run and a [[band]] for `messages`";
        let all = [
            format!("toy.toml:41:1: derived.metric = \"half\": {expected}"),
            format!("toy.toml:46:1: check.claim = \"order\": {expected}"),
        ];
        assert_eq!(said(&["half", "order"], "(time + messages)", STEPS), all);
        // No part has a value there, or each has.
        assert_eq!(said(&["half", "order"], "messages", STEPS), [""; 0]);
        assert_eq!(said(&["half", "order"], "time", STEPS), [""; 0]);
        // Nothing claims it.
        assert_eq!(said(&["elsewhere"], "(time + messages)", STEPS), [""; 0]);
    }

    #[test]
    fn an_open_input_moves_the_runs_of_its_program_with_the_same_settings() {
        let is_moved =
            |part: &str, band: &str| !said(&["half"], &format!("(time + {part})"), band).is_empty();
        for (part, by_steps, by_turns) in [
            ("messages", true, true),
            // A run that does not set the input leaves it open; the policy has to be the same.
            ("unset", true, true),
            ("unset.bulk", false, true),
            ("usual", true, false),
            ("time.idle.9", false, true),
            ("time.strict.5", true, false),
            ("other", false, false),
            ("model", false, false),
        ] {
            assert_eq!((is_moved(part, STEPS), is_moved(part, TURNS)), (by_steps, by_turns), "{part}");
        }
    }

    #[test]
    fn a_mistake_names_few_of_many_metrics() {
        let parts = "(time + unset + usual + messages + time.strict.5)";
        let [said] = said(&["half"], parts, STEPS).try_into().unwrap();
        assert!(said.ends_with("for `messages`, `time.strict.5`, `unset` and 1 more"), "{said}");
    }
}
