//! Documents for tests.

use super::run::Volume;
use super::spent::Breakdown;
use super::{
    Claim, Comparison, Explain, Given, OneWay, ProgramInput, Relation, Runs, Scalar, Setting, Stage, Study,
    StudyColumn, StudyNumber, StudyRow, StudyTable, Trip, Value,
};

/// A claim of this value in us, of which 5 % more was measured.
pub(crate) fn claim(id: &str, stated: f64, basis: &str) -> Claim {
    Claim {
        id: id.to_owned(),
        place: "Table 1".to_owned(),
        role: "result".to_owned(),
        kind: "value".to_owned(),
        statement: "a round trip".to_owned(),
        unit: "us".to_owned(),
        confidence: "exact".to_owned(),
        may_fit: basis == "set",
        fixes: basis == "set",
        is_held_out: false,
        stated: Some(Scalar::Number(stated)),
        relation: Relation::About,
        tolerance: Some(0.1 * stated),
        measured: Some(Scalar::Number(stated * 1.05)),
        error: Some(0.05),
        verdict: "holds".to_owned(),
        needs: Vec::new(),
        basis: Some(basis.to_owned()),
        because: None,
        cause: None,
    }
}

/// A machine of few values.
pub(crate) fn explain() -> Explain {
    let value = |(key, value): (&str, &str)| Value {
        key: key.to_owned(),
        policy: None,
        written: value.to_owned(),
        value: value.to_owned(),
        source: None,
        file: None,
        line: None,
    };
    let values =
        [("nodes", "8"), ("processors", "4"), ("processor.clock", "50 MHz"), ("memory.line", "32 B")];
    let stage = |name: &str, time_ns: f64| Stage { name: name.to_owned(), time_ns };
    Explain {
        version: super::VERSION,
        machine: "toy".to_owned(),
        machine_file: "machines/toy.toml".to_owned(),
        machine_digest: "0".to_owned(),
        summary: "a toy".to_owned(),
        policy: None,
        values: values.map(value).into(),
        derived: Vec::new(),
        not_derived: Vec::new(),
        trips: vec![Trip {
            policy: "single".to_owned(),
            there: vec![stage("send_header", 1000.0), stage("network", 200.0)],
            back: vec![stage("send_header", 1000.0)],
        }],
        measured: vec![OneWay {
            policy: "single".to_owned(),
            time_ns: 1300.0,
            stages: vec![stage("send_header", 1000.0), stage("network", 300.0)],
        }],
        not_measured: Vec::new(),
        runs: Runs::default(),
        refused: Vec::new(),
        sources: Vec::new(),
    }
}

/// A study of two runs, on two machines.
pub(crate) fn study() -> Study {
    let row = |machine: &str, scale: f64| {
        let fields = [("machine", machine), ("program", "toy")];
        let number = StudyNumber { median: 20.0 * scale, interval: None, samples: vec![20.0 * scale] };
        StudyRow {
            fields: fields.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect(),
            rounds: 1,
            oversubscribed: false,
            numbers: [("time".to_owned(), Some(number))].into_iter().collect(),
            time_ns: Some(scale / 4.0),
            breakdown_ns: Some(Breakdown {
                compute: 0.6 * scale,
                memory: 0.1 * scale,
                overhead: 0.2 * scale,
                synchronization: 0.1 * scale,
                idle: 0.0,
                taken: None,
            }),
            volume_bytes: Some(Volume {
                data: (0.48 * scale) as u64,
                headers: 16,
                requests: 0,
                invalidations: 0,
            }),
        }
    };
    Study {
        version: super::VERSION,
        partial: None,
        study: "toy".to_owned(),
        summary: "what a toy does".to_owned(),
        file: "toy.toml".to_owned(),
        runs: 2,
        failed_runs: Vec::new(),
        tables: vec![StudyTable {
            fields: vec!["machine".to_owned(), "program".to_owned()],
            columns: vec![StudyColumn { name: "time".to_owned(), unit: "ns".to_owned() }],
            rows: vec![row("paragon", 100.0), row("t3d", 50.0)],
        }],
        metrics: indexmap::IndexMap::new(),
        derived: Vec::new(),
        checks: Vec::new(),
        bounds: Vec::new(),
        figures: Vec::new(),
        leaves_out: vec!["A toy has no parts.".to_owned()],
    }
}

/// The document of a comparison of `em3d` on a host called `toy`.
pub(crate) fn comparison(rankings: &[compare::Ranking]) -> Comparison {
    let given = Given { input: Vec::new(), set: Vec::new() };
    let asked = ProgramInput { program: "em3d".to_owned(), given, input: Default::default() };
    let setting = Setting { threads: 1, seed: 1, protocol: "stache".to_owned(), block_bytes: 64 };
    Comparison::new(asked, &setting, rankings, "toy")
}
