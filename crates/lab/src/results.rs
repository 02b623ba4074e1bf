//! Results of the runs of a study: a row of numbers for each, with a sample for each round; and the points of its
//! figures. This module must never run anything, nor know how a number looks.

use std::collections::BTreeMap;

use serde_json::Value;
use units::median::upper;

use crate::laboratory::Metrics;
use crate::specification::{FIGURES, numbers};
use crate::study::{Mapping, Origin, Source, Study};
use crate::{Finding, Laboratory};

/// The numbers of an answer that a study keeps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// Numbers, each with its way through the answer.
    numbers: Vec<(String, f64)>,
    /// The units that the program states, by the ways of its figures.
    units: BTreeMap<String, String>,
    /// The run had more processors than this host has cores.
    is_oversubscribed: bool,
    /// The processors of each node that computed, and the others at work.
    split: Option<(u32, u32)>,
    /// The world of the run, as the answer names it.
    world: Option<String>,
    /// The circumstances of a run on this host; null of others.
    circumstances: Value,
    spent: Spent,
}

/// Parts of a run's time, and purposes of its bytes, from the answer: of its first timed region, or of the whole run if
/// it has none. Null if the answer lacks them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spent {
    /// Nanoseconds from the beginning to the end of the region.
    pub length: Option<f64>,
    /// Nanoseconds by part.
    pub time: Value,
    /// Bytes by purpose.
    pub volume: Value,
}

/// A run of a study: its source's place in [`Study::sources`], and its round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceRound {
    /// The place of the source.
    pub source: usize,
    /// The round, from 0.
    pub round: u32,
}

/// The result of a study.
#[derive(Debug)]
pub struct Results<'s> {
    /// The study.
    pub study: &'s Study,
    /// The laboratory whose study it is.
    pub(crate) laboratory: &'s Laboratory,
    /// A row for each source, in their order.
    pub rows: Vec<Row<'s>>,
    /// All metrics, derived ones included.
    pub metrics: Metrics,
    /// The study's bounds, held against its metrics.
    pub bounds: Vec<Finding<'s>>,
}

/// Results of a source.
#[derive(Debug)]
pub struct Row<'s> {
    /// The source.
    pub source: &'s Source,
    /// Numbers of the row by their names in the study.
    pub columns: Vec<(String, Number)>,
    /// The rounds that are done and went well.
    pub rounds: u32,
    /// The run had more processors than this host has cores, so that times mean little.
    pub is_oversubscribed: bool,
    /// The processors of each node that computed in the first round, and the others at work; `None` without a round, and of models and
    /// surveys.
    pub split: Option<(u32, u32)>,
    /// The world of the first round, as its answer names it; `None` without a round, and for models and surveys.
    pub world: Option<String>,
    /// The circumstances of the first round on this host; null of others.
    pub circumstances: Value,
    /// Parts of the time and the bytes of its first round; `None` without a round, and for models and surveys.
    pub spent: Option<Spent>,
}

/// A number, as often as it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// A value for each round; at least one. All are finite.
    pub samples: Vec<f64>,
    /// The unit; empty if there is none or it is not known.
    pub unit: String,
}

impl Number {
    /// The [median](upper) of the samples.
    pub fn median(&self) -> f64 {
        let mut sorted = self.samples.clone();
        sorted.sort_by(f64::total_cmp);
        *upper(&sorted).expect("a number has a sample")
    }
}

impl Source {
    /// The numbers of an answer that become something.
    pub fn kept(&self, answer: &Value) -> Kept {
        let is_kept = |(way, _): &(String, f64)| {
            self.metrics.iter().any(|mapping| mapping.figure.capture(way).is_some())
        };
        let numbers: Vec<_> = numbers(answer).into_iter().filter(is_kept).collect();
        let stated = answer["report"]["units"].as_object().into_iter().flatten();
        let unit = |(figure, unit): (&String, &Value)| {
            Some((format!("{FIGURES}{figure}"), unit.as_str()?.to_owned()))
        };
        let is_oversubscribed = answer["oversubscribed"].as_bool().unwrap_or(false);
        let count = |key: &str| answer[key].as_u64().and_then(|count| u32::try_from(count).ok());
        let split = count("computing_processors").zip(count("other_processors"));
        let region = answer["phases"].get(0).unwrap_or(answer);
        let spent = Spent {
            length: region["time_ns"].as_f64(),
            time: region["breakdown_ns"].clone(),
            volume: region["volume_bytes"].clone(),
        };
        Kept {
            numbers,
            units: stated.filter_map(unit).collect(),
            is_oversubscribed,
            split,
            world: answer["world"].as_str().map(str::to_owned),
            circumstances: answer["circumstances"].clone(),
            spent,
        }
    }

    /// The names that the source was to yield and does not: of mappings that are no families.
    pub fn missing(&self, kept: &Kept) -> Vec<&Mapping> {
        let is_there =
            |mapping: &&Mapping| kept.numbers.iter().any(|(way, _)| mapping.figure.capture(way).is_some());
        self.metrics.iter().filter(|mapping| !mapping.figure.is_family() && !is_there(mapping)).collect()
    }

    /// The numbers of its rounds, by their names in the study.
    fn columns(&self, rounds: &[&Kept]) -> Vec<(String, Number)> {
        let mut columns: Vec<(String, Number)> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for mapping in &self.metrics {
            // A name belongs to the first that yields it.
            let earlier = columns.len();
            for kept in rounds {
                for (way, value) in &kept.numbers {
                    let Some((name, value)) = mapping.column(way, *value).filter(|it| it.1.is_finite())
                    else {
                        continue;
                    };
                    let place = *places.entry(name.clone()).or_insert_with(|| {
                        let unit =
                            mapping.unit.clone().or_else(|| kept.units.get(way).cloned()).unwrap_or_default();
                        columns.push((name, Number { samples: Vec::new(), unit }));
                        columns.len() - 1
                    });
                    if place >= earlier {
                        columns[place].1.samples.push(value);
                    }
                }
            }
        }
        columns
    }

    /// The median of each number of its rounds, by its way.
    fn medians(&self, rounds: &[&Kept]) -> Vec<(String, f64)> {
        let mut samples: Vec<(&str, Number)> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for (way, value) in
            rounds.iter().flat_map(|kept| &kept.numbers).filter(|(_, value)| value.is_finite())
        {
            let place = *places.entry(way).or_insert_with(|| {
                samples.push((way, Number { samples: Vec::new(), unit: String::new() }));
                samples.len() - 1
            });
            samples[place].1.samples.push(*value);
        }
        samples.into_iter().map(|(way, number)| (way.to_owned(), number.median())).collect()
    }
}

impl Study {
    /// All runs, in the order in which they are to be done: first on models, then on this host in rounds. Each round
    /// begins with another source than the one before, so that no source always comes first.
    pub fn asked(&self, is_native: impl Fn(&Source) -> bool) -> Vec<SourceRound> {
        let is_run = |source: &Source| matches!(source.origin, Origin::Run(_));
        let runs = self.sources.iter().enumerate().filter(|(_, source)| is_run(source));
        let (native, models): (Vec<_>, Vec<_>) = runs.partition(|(_, source)| is_native(source));
        let mut asked: Vec<_> =
            models.iter().map(|(source, _)| SourceRound { source: *source, round: 0 }).collect();
        let rounds = native.iter().map(|(_, source)| source.rounds).max().unwrap_or(0);
        for round in 0..rounds {
            let (before, after) = native.split_at(round as usize % native.len());
            let turn = after.iter().chain(before).filter(|(_, source)| round < source.rounds);
            asked.extend(turn.map(|(source, _)| SourceRound { source: *source, round }));
        }
        asked
    }
}

impl<'s> Results<'s> {
    /// Puts together the results of a study of this laboratory: `kept` has the rounds of each of [`Study::sources`].
    /// Models and surveys are evaluated, and all derived metrics.
    pub fn new(laboratory: &'s Laboratory, study: &'s Study, kept: &[Vec<&Kept>]) -> Self {
        let rounds = |place: usize| kept.get(place).map(Vec::as_slice).unwrap_or_default();
        let runs = laboratory.runs_of(study).into_iter().filter(|(place, _)| !rounds(*place).is_empty());
        let runs: Vec<_> =
            runs.map(|(place, it)| (it, study.sources[place].medians(rounds(place)))).collect();
        let row = |(place, source): (usize, &'s Source)| {
            let own = Kept { numbers: laboratory.evaluated(source), ..Kept::default() };
            let rounds = match source.origin {
                Origin::Run(_) => rounds(place).to_vec(),
                Origin::Model { .. } | Origin::Survey { .. } => vec![&own],
            };
            Row {
                source,
                columns: source.columns(&rounds),
                rounds: rounds.len() as u32,
                is_oversubscribed: rounds.iter().any(|kept| kept.is_oversubscribed),
                split: rounds.first().and_then(|kept| kept.split),
                world: rounds.first().and_then(|kept| kept.world.clone()),
                circumstances: rounds.first().map(|kept| kept.circumstances.clone()).unwrap_or_default(),
                spent: rounds.first().map(|kept| kept.spent.clone()),
            }
        };
        let rows = study.sources.iter().enumerate().map(row).collect();
        let metrics = laboratory.metrics(&runs);
        let bounds = laboratory.bounds(study, &metrics);
        Self { study, laboratory, rows, metrics, bounds }
    }
}

impl Row<'_> {
    /// The number of this name.
    pub fn column(&self, name: &str) -> Option<&Number> {
        self.columns.iter().find(|(known, _)| known == name).map(|(_, number)| number)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::study;

    const STUDY: &str = r#"
summary = "s"
[[run]]
program = "toy"
machine = ["cm-5", "native"]
inputs = { size = [1, 2] }
repeat = 3
metrics = ["time", { figure = "rate.*", metric = "rate.{machine}.{size}.*" }, { figure = "rate.get", name = "get", factor = 10 }]

[[model]]
name = "fixed-floating"
"#;

    fn study() -> Study {
        study::read("toy.toml", STUDY).unwrap()
    }

    fn answer(time: f64) -> Value {
        let report =
            json!({ "figures": { "rate.get": time * 2.0, "other": 1 }, "units": { "rate.get": "MB/s" } });
        json!({ "time_ns": time, "seed": 1, "report": report })
    }

    #[test]
    fn a_row_has_a_sample_for_each_round_and_a_metric_is_their_median() {
        let laboratory = Laboratory::new(Vec::new(), vec![study()], BTreeMap::new(), Vec::new()).unwrap();
        let [study] = laboratory.studies() else { panic!("one study") };
        let kept: Vec<_> = [30.0, 10.0, 20.0].map(|time| study.sources[2].kept(&answer(time))).into();
        assert_eq!(kept[0].numbers.len(), 2);
        let results = Results::new(&laboratory, study, &[vec![], vec![&kept[0]], kept.iter().collect()]);
        let number = |row: usize, name: &str| {
            results.rows[row]
                .column(name)
                .map(|number| (number.samples.len(), number.median(), number.unit.as_str()))
        };
        assert_eq!(
            (results.rows[0].columns.len(), results.rows[0].rounds, number(1, "time")),
            (0, 0, Some((1, 30.0, "ns")))
        );
        assert_eq!(
            (number(2, "time"), number(2, "rate.get")),
            (Some((3, 20.0, "ns")), Some((3, 40.0, "MB/s")))
        );
        assert_eq!((number(2, "get"), number(2, "other")), (Some((3, 400.0, "")), None));
        let metric = |name: &str| results.metrics.number(name);
        assert_eq!(
            (metric("rate.native.1.get"), metric("rate.cm-5.2.get"), metric("rate.cm-5.1.get")),
            (Some(40.0), Some(60.0), None)
        );
        assert!(number(4, "k").is_some_and(|(samples, _, _)| samples == 1));
    }

    #[test]
    fn a_number_that_the_study_names_and_the_answer_lacks_is_missing() {
        let study = study();
        let missing = |answer: &Value| -> Vec<_> {
            let source = &study.sources[0];
            source.missing(&source.kept(answer)).iter().map(|it| it.name.text().to_owned()).collect()
        };
        assert_eq!(missing(&answer(1.0)), [""; 0]);
        assert_eq!(missing(&json!({ "time_ns": 1 })), ["get"]);
    }

    #[test]
    fn runs_on_this_host_come_last_and_in_rounds_that_begin_elsewhere_each_time() {
        let asked = study().asked(|source| source.field("machine") == Some("native"));
        let asked: Vec<_> = asked.iter().map(|asked| (asked.source, asked.round)).collect();
        assert_eq!(asked, [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (2, 1), (2, 2), (3, 2)]);
    }
}
