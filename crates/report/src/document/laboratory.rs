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
    Claim, Claims, Counts, FailedRun, FixedMachine, Ledger, Parameter, Relation, Scalar, Score, Standing,
    Summary,
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
            summary: summary(findings, &claims),
            score: Standing::all(&claims),
            fit: fit(true),
            not_fit: fit(false),
            measured: all.measured(),
            results: results().count(),
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
            Score { holds, of } => format!("{holds} of {of}"),
        }
    }

    /// Claims that no study asks.
    pub(crate) fn not_measured(&self) -> usize {
        self.0.iter().map(|(_, counts)| counts.not_measured).sum()
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
            let study = claim.id.split('.').next().unwrap_or(&claim.id);
            groups.entry((study, basis)).or_default().push(claim);
        }
        let row = |((study, basis), claims): ((&str, Basis), Vec<&Claim>)| Self {
            study: study.to_owned(),
            basis: basis.name().to_owned(),
            counts: Counts::of(claims.into_iter()),
        };
        groups.into_iter().map(row).collect()
    }
}

impl Score {
    /// The score of claims that hold or differ.
    pub fn of(counts: Counts) -> Self {
        Self { holds: counts.holds, of: counts.holds + counts.differs }
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
            basis: finding.basis.map(|basis| basis.name().to_owned()),
            needs: finding.needs.clone(),
            because: because.map(str::to_owned),
            cause: cause.map(str::to_owned),
        }
    }
}

impl Ledger {
    /// Makes the document that lists, for each modelled machine, the values that nobody published and the claims that each
    /// was fixed by. `failed_runs` are the runs without a result, `partial` the mark that others were not done.
    pub fn new(entries: &[Entry], failed_runs: Vec<FailedRun>, partial: Option<Partial>) -> Self {
        let machines = entries.iter().map(FixedMachine::from).collect();
        Self { version: super::VERSION, partial, machines, failed_runs }
    }
}

documented!(|it: Entry| FixedMachine { machine, parameters, fixing, fixing_nothing: it.free.documented() });

documented!(|it: ledger::Score| Score { holds, of });

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
    pub fn new(calibration: &Calibration, file: String) -> Self {
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
