//! Documents made from the laboratory's results: verdicts, ledgers, calibrations, models. This module must never decide a verdict or
//! evaluate a model.

use std::collections::BTreeMap;

use lab::calibrate::Calibration;
use lab::ledger::{self, Entry, FixedBy};
use lab::model::curves;
use lab::model::fixed_floating::{NAME, Node, SETTINGS};
use lab::sensitivity;
use lab::survey::{self, Survey, Surveyed};
use lab::{Basis, Kind, Laboratory, Role, Stated};

use super::Partial;
use super::calibrate::{Calibrate, Distance, Quantity};
use super::claims::{
    Claim, Claims, Counts, Elsewhere, FailedRun, FixedMachine, FreeStudy, Ledger, OpenInput, Parameter,
    Predictions, Relation, Scalar, Score, Standing, Summary,
};
use super::documented::{Documented, documented};
use super::model::{Cell, Curve, FixedFloating, SurveyTable, SurveyedMachine, Surveys};
use super::sensitivity::Moved;

impl Claims {
    /// Makes the document of verdicts on claims. `runs` is the number of runs that the claims needed; `failed_runs`
    /// are the runs without a result, `partial` the mark that others were not done.
    pub fn new(
        laboratory: &Laboratory,
        findings: &[lab::Finding<'_>],
        runs: usize,
        failed_runs: Vec<FailedRun>,
        partial: Option<Partial>,
    ) -> Self {
        let claims = Claim::all(laboratory, findings);
        let results = || claims.iter().filter(|claim| claim.role == Role::Result.name());
        let fit = |fixes: bool| Counts::of(results().filter(|claim| claim.fixes == fixes));
        let all = Counts::of(results());
        Self {
            version: super::VERSION,
            partial,
            circumstances: None,
            summary: summary(findings, &claims),
            score: Standing::all(&claims),
            predictions: Predictions::all(&claims),
            fit: fit(true),
            not_fit: fit(false),
            measured: all.measured(),
            results: all.all(),
            runs,
            failed_runs,
            claims,
        }
    }
}

/// The verdicts on results for each study and kind, in the order of their names.
fn summary(findings: &[lab::Finding<'_>], claims: &[Claim]) -> Vec<Summary> {
    let mut groups: BTreeMap<(&str, Kind), Vec<&Claim>> = BTreeMap::new();
    let results = findings.iter().zip(claims).filter(|(finding, _)| finding.claim.role == Role::Result);
    for (finding, claim) in results {
        groups.entry((finding.claim.study(), finding.claim.kind)).or_default().push(claim);
    }
    let row = |((study, kind), claims): ((&str, Kind), Vec<&Claim>)| Summary {
        study: study.to_owned(),
        kind: kind.name().to_owned(),
        counts: Counts::of(claims.into_iter()),
    };
    groups.into_iter().map(row).collect()
}

/// The verdicts on results of each basis.
pub(crate) struct Grid(Vec<(Basis, Counts)>);

impl Grid {
    /// The verdicts on the results of a basis.
    pub(crate) fn of(&self, basis: Basis) -> Counts {
        self.0.iter().find(|(of, _)| *of == basis).map(|(_, counts)| *counts).unwrap_or_default()
    }

    /// How many of a basis hold, of those that could; a dash for none.
    pub(crate) fn holds(&self, basis: Basis) -> String {
        match Score::of(self.of(basis)) {
            Score { of: 0, .. } => "–".to_owned(),
            Score { holds, of, .. } => format!("{holds} of {of}"),
        }
    }

    /// Claims that no study asks.
    pub(crate) fn not_measured(&self) -> usize {
        self.0.iter().map(|(_, counts)| counts.not_measured).sum()
    }

    /// Measured claims without a stated number to compare with, which are no blind predictions.
    pub(crate) fn unknown(&self) -> usize {
        let known = self.0.iter().filter(|(basis, _)| *basis != Basis::Blind);
        known.map(|(_, counts)| counts.held_out + counts.unknown).sum()
    }

    /// Claims that an open input decides.
    pub(crate) fn undecidable(&self) -> usize {
        self.0.iter().map(|(_, counts)| counts.undecidable).sum()
    }
}

impl Standing {
    /// The verdicts by study, and last, where there are several studies, those of all together, with `None` for a name.
    pub(crate) fn rows(standings: &[Self]) -> Vec<(Option<&str>, Grid)> {
        let mut studies: Vec<&str> = standings.iter().map(|it| it.study.as_str()).collect();
        studies.dedup();
        let grid = |study: Option<&str>| {
            let counts = |basis: Basis| {
                let is_asked =
                    |it: &&Self| study.is_none_or(|study| it.study == study) && it.basis == basis.name();
                let asked = standings.iter().filter(is_asked);
                asked.map(|it| it.counts).fold(Counts::default(), Counts::with)
            };
            Grid(Basis::ALL.map(|basis| (basis, counts(basis))).into())
        };
        let all = (studies.len() > 1).then_some(None);
        studies.into_iter().map(Some).chain(all).map(|study| (study, grid(study))).collect()
    }

    /// The verdicts on results for each study and basis, in the order of the studies' names and of [`Basis::ALL`].
    pub fn all(claims: &[Claim]) -> Vec<Self> {
        let mut groups: BTreeMap<(&str, Basis), Vec<&Claim>> = BTreeMap::new();
        for claim in claims {
            let Some(basis) = claim.basis() else { continue };
            groups.entry((claim.study(), basis)).or_default().push(claim);
        }
        let row = |((study, basis), claims): ((&str, Basis), Vec<&Claim>)| Self {
            study: study.to_owned(),
            basis: basis.name().to_owned(),
            counts: Counts::of(claims.into_iter()),
        };
        groups.into_iter().map(row).collect()
    }
}

/// The greatest distances of measured values from stated ones that are counted.
const WITHIN: [f64; 2] = [0.05, 0.15];

impl Predictions {
    /// The distances of a study's predictions, or of all together for `None`.
    pub(crate) fn of(all: &[Self], study: Option<&str>) -> Self {
        let asked = all.iter().filter(|it| study.is_none_or(|study| it.study == study));
        asked.fold(Self::default(), |sum, it| Self {
            study: sum.study,
            numbers: sum.numbers + it.numbers,
            within_5: sum.within_5 + it.within_5,
            within_15: sum.within_15 + it.within_15,
        })
    }

    /// The distances for each study with a prediction, in the order of the studies' names.
    pub fn all(claims: &[Claim]) -> Vec<Self> {
        let mut studies: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for claim in claims {
            if let Some(error) = claim.distance() {
                studies.entry(claim.study()).or_default().push(error);
            }
        }
        let row = |(study, errors): (&str, Vec<f64>)| {
            let [within_5, within_15] =
                WITHIN.map(|share| errors.iter().filter(|error| **error <= share).count());
            Self { study: study.to_owned(), numbers: errors.len(), within_5, within_15 }
        };
        studies.into_iter().map(row).collect()
    }
}

impl Score {
    /// The score of claims that hold, differ or are undecidable.
    pub fn of(counts: Counts) -> Self {
        let Counts { holds, differs, undecidable, .. } = counts;
        Self { holds, of: holds + differs, undecidable }
    }

    /// The undecidable claims behind a score, in words; empty if there is none.
    pub(crate) fn rest(self) -> String {
        match self.undecidable {
            0 => String::new(),
            undecidable => format!(", {undecidable} more undecidable"),
        }
    }
}

impl Claim {
    /// The documents of all findings. The reason of one that is decided by no expression is that of its declaration, if it has one.
    pub fn all(laboratory: &Laboratory, findings: &[lab::Finding<'_>]) -> Vec<Self> {
        let because = |id: &str| laboratory.because(id).or_else(|| laboratory.declared(id));
        findings.iter().map(|it| Self::new(it, because(&it.claim.id), laboratory.cause(it))).collect()
    }

    /// The document of a bound that a study states itself.
    pub(super) fn bound(finding: &lab::Finding<'_>) -> Self {
        Self::new(finding, None, None)
    }

    /// The study of the literature that the claim belongs to: the first part of its id.
    pub(crate) fn study(&self) -> &str {
        self.id.split('.').next().unwrap_or(&self.id)
    }

    /// The distance of the measured value from the stated one, as a share of it, of an independent prediction of a number; `None` of any
    /// other claim.
    fn distance(&self) -> Option<f64> {
        let is_share = matches!(self.stated, Some(Scalar::Number(stated)) if stated != 0.0);
        let is_decided = matches!(self.verdict.as_str(), "holds" | "differs");
        let is_counted = is_share && is_decided && self.basis() == Some(Basis::Predicted);
        self.error.filter(|_| is_counted).map(f64::abs)
    }

    /// The basis; `None` of inputs and bounds.
    pub(crate) fn basis(&self) -> Option<Basis> {
        Basis::ALL.into_iter().find(|basis| self.basis.as_deref() == Some(basis.name()))
    }

    fn new(finding: &lab::Finding<'_>, because: Option<&str>, cause: Option<&str>) -> Self {
        let claim = finding.claim;
        Self {
            id: claim.id.clone(),
            place: claim.place.clone(),
            role: claim.role.name().to_owned(),
            kind: claim.kind.name().to_owned(),
            statement: claim.statement.clone(),
            unit: claim.unit.clone(),
            confidence: claim.confidence.clone(),
            may_fit: claim.fit,
            fixes: finding.fixes,
            is_held_out: claim.held_out,
            stated: claim.value.documented(),
            relation: match claim.relation {
                lab::claim::Relation::About => Relation::About,
                lab::claim::Relation::AtLeast => Relation::AtLeast,
                lab::claim::Relation::AtMost => Relation::AtMost,
            },
            tolerance: finding.tolerance,
            measured: finding.measured.documented(),
            error: finding.error,
            verdict: finding.verdict.name().to_owned(),
            band: finding.band.documented(),
            basis: finding.basis.map(|basis| basis.name().to_owned()),
            needs: finding.needs.clone(),
            because: because.map(str::to_owned),
            cause: cause.map(str::to_owned),
        }
    }
}

documented!(|it: lab::verdict::Elsewhere<'_>| Elsewhere {
    open: it.open.to_owned(),
    at: it.at.to_owned(),
    measured,
    verdict: it.verdict.name().to_owned(),
});

impl Ledger {
    /// Makes the document that lists, for each modelled machine, the values that nobody published and the claims that each
    /// was fixed by. `failed_runs` are the runs without a result, `partial` the mark that others were not done.
    pub fn new<'s>(
        entries: &[Entry],
        studies: impl Iterator<Item = &'s lab::Study>,
        failed_runs: Vec<FailedRun>,
        partial: Option<Partial>,
    ) -> Self {
        let machines = entries.iter().map(FixedMachine::from).collect();
        let studies = studies.map(FreeStudy::from);
        let studies = studies.filter(|study| !study.fixed_by.is_empty() || !study.open.is_empty()).collect();
        Self { version: super::VERSION, partial, machines, studies, failed_runs }
    }
}

documented!(|it: lab::Study| FreeStudy {
    study: it.name.clone(),
    fixed_by: it.fits.clone(),
    open: open(&it.bands)
});

/// The inputs that bands leave open, each once.
fn open(bands: &[lab::study::Band]) -> Vec<OpenInput> {
    let mut inputs: Vec<OpenInput> = Vec::new();
    for band in bands {
        let known = inputs.iter().position(|known| known.input == band.open);
        let place = known.unwrap_or_else(|| {
            let (input, because) = (band.open.clone(), band.because.clone());
            inputs.push(OpenInput { input, at: Vec::new(), because });
            inputs.len() - 1
        });
        if !inputs[place].at.contains(&band.at) {
            inputs[place].at.push(band.at.clone());
        }
    }
    inputs
}

documented!(|it: Entry| FixedMachine { machine, parameters, fixing, fixing_nothing: it.free.documented() });

documented!(|it: ledger::Score| Score { holds, of, undecidable });

documented!(|it: ledger::Parameter| Parameter {
    key,
    value,
    line,
    fixed_by: match &it.fixed_by {
        FixedBy::Claims(claims) => Some(claims.clone()),
        FixedBy::Choice(_) => None,
    },
    choice: match &it.fixed_by {
        FixedBy::Claims(_) => None,
        FixedBy::Choice(choice) => Some(choice.clone()),
    },
});

documented!(|it: sensitivity::Moved| Moved { claim, from, to, share: it.share() });

impl Documented<Scalar> for lab::Value {
    fn documented(&self) -> Scalar {
        match *self {
            Self::Number(number) => Scalar::Number(number),
            Self::Flag(flag) => Scalar::Flag(flag),
        }
    }
}

impl Documented<Scalar> for Stated {
    fn documented(&self) -> Scalar {
        match self {
            Self::Number(number, _) => Scalar::Number(*number),
            Self::Text(text) => Scalar::Text(text.clone()),
        }
    }
}

impl Calibrate {
    /// The document of a calibration whose machine file was written here.
    pub fn new(calibration: &Calibration, file: String, world: &str) -> Self {
        let of_several = |number: f64| (calibration.rounds > 1).then_some(number);
        let quantity = |it: &lab::calibrate::Quantity| Quantity {
            key: it.key.to_owned(),
            number: it.median.value,
            unit: it.unit.name().to_owned(),
            low: of_several(it.median.low),
            high: of_several(it.median.high),
            level: of_several(it.median.level),
            disturbed: it.is_disturbed(),
            vague: it.is_vague(),
            from: it.from.to_owned(),
        };
        Self {
            version: super::VERSION,
            file,
            world: world.to_owned(),
            rounds: calibration.rounds,
            disturbed: !calibration.disturbed().is_empty(),
            measured: calibration.quantities.iter().map(quantity).collect(),
            distances: calibration.distances.documented(),
        }
    }
}

documented!(|it: lab::calibrate::Distance| Distance {
    cores: it.cores.into(),
    round_trip_ns: it.nanoseconds
});

impl FixedFloating {
    /// The document of the model for a node.
    pub fn new(node: &Node) -> Self {
        let figures = node.figures().into_iter();
        Self {
            version: super::VERSION,
            model: NAME.to_owned(),
            input: SETTINGS.iter().map(|setting| (setting.name.to_owned(), setting.of(node))).collect(),
            figures: figures.map(|figure| (figure.name.to_owned(), figure.value)).collect(),
            curves: curves::samples(node).documented(),
        }
    }
}

documented!(|it: curves::Samples| Curve { k: it.overhead_ratio, is_own, by_factor, by_step, by_utilization });

impl Surveys {
    /// The document of these surveys.
    pub fn new<'s>(surveys: impl Iterator<Item = &'s Survey>) -> Self {
        Self {
            version: super::VERSION,
            model: "alewife-tables".to_owned(),
            tables: surveys.map(SurveyTable::from).collect(),
        }
    }
}

documented!(|it: Survey| SurveyTable { summary, machines });

documented!(|it: Surveyed| SurveyedMachine {
    name,
    title,
    topology,
    published: survey::COLUMNS.iter().map(|it| it.key.to_owned()).zip(it.cells.iter().map(cell)).collect(),
    bytes_per_local_miss: it.bytes_per_local_miss(),
    latency_in_local_misses: it.latency_in_local_misses(),
});

/// A published number or range; `None` where it is missing or cannot be read.
fn cell(cell: &survey::Cell) -> Option<Cell> {
    let (from, to, confidence) = match cell {
        survey::Cell::Number(number, confidence) => (*number, *number, confidence.clone()),
        survey::Cell::Range(from, to, confidence) => (*from, *to, confidence.clone()),
        survey::Cell::Unknown | survey::Cell::None => return None,
    };
    Some(Cell { from, to, confidence })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::samples::claim;

    #[test]
    fn independent_numbers_are_counted_by_their_distance() {
        let off = |id: &str, error: f64| Claim { error: Some(error), ..claim(id, 10.0, "predicted") };
        let verdict = |verdict: &str, of: Claim| Claim { verdict: verdict.to_owned(), ..of };
        let claims = [
            off("a.near", -0.049),
            verdict("differs", off("a.off", 0.15)),
            verdict("differs", off("a.far", 0.16)),
            off("b.near", 0.0),
            // None of these is a decided, independent prediction of a number.
            claim("a.set", 10.0, "set"),
            claim("a.repeated", 10.0, "repeated"),
            claim("a.zero", 0.0, "predicted"),
            verdict("undecidable", off("a.open", 0.01)),
            Claim { error: None, ..claim("a.order", 10.0, "predicted") },
        ];
        let counted = Predictions::all(&claims);
        let counts = |it: &Predictions| (it.study.clone(), it.numbers, it.within_5, it.within_15);
        let expected = [("a".to_owned(), 3, 1, 2), ("b".to_owned(), 1, 1, 1)];
        assert_eq!(counted.iter().map(counts).collect::<Vec<_>>(), expected);
        assert_eq!(counts(&Predictions::of(&counted, None)), (String::new(), 4, 2, 3));
    }
}
