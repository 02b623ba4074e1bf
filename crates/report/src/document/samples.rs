//! Documents for tests.

use super::run::Volume;
use super::spent::Breakdown;
use super::{
    Claim, Comparison, Explain, OneWay, ProgramInput, Scalar, Setting, Stage, Study, StudyColumn,
    StudyNumber, StudyRow, StudyTable, Trip, Value,
};

/// A claim of this value in us, of which 5 % more was measured.
pub(crate) fn claim(id: &str, stated: f64, basis: &str) -> Claim {
    Claim {
        id: id.to_owned(),
        place: "Table 1".to_owned(),
        role: "result".to_owned(),
        statement: "a round trip".to_owned(),
        unit: "us".to_owned(),
        fixes: basis == "set",
        stated: Some(Scalar::Number(stated)),
        tolerance: Some(0.1 * stated),
        measured: Some(Scalar::Number(stated * 1.05)),
        error: Some(0.05),
        verdict: "holds".to_owned(),
        basis: Some(basis.to_owned()),
        ..Claim::default()
    }
}

/// A machine of few values.
pub(crate) fn explain() -> Explain {
    let value = |(key, value): (&str, &str)| Value {
        key: key.to_owned(),
        value: value.to_owned(),
        ..Value::default()
    };
    let values =
        [("nodes", "8"), ("processors", "4"), ("processor.clock", "50 MHz"), ("memory.line", "32 B")];
    let stage = |name: &str, time_ns: f64| Stage { name: name.to_owned(), time_ns };
    Explain {
        machine: "toy".to_owned(),
        machine_file: "machines/toy.toml".to_owned(),
        summary: "a toy".to_owned(),
        values: values.map(value).into(),
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
        ..Explain::default()
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
            numbers: [("time".to_owned(), Some(number))].into_iter().collect(),
            time_ns: Some(scale / 4.0),
            breakdown_ns: Some(Breakdown {
                compute: 0.6 * scale,
                memory: 0.1 * scale,
                overhead: 0.2 * scale,
                synchronization: 0.1 * scale,
                ..Breakdown::default()
            }),
            volume_bytes: Some(Volume { data: (0.48 * scale) as u64, headers: 16, ..Volume::default() }),
            ..StudyRow::default()
        }
    };
    Study {
        study: "toy".to_owned(),
        summary: "what a toy does".to_owned(),
        file: "toy.toml".to_owned(),
        runs: 2,
        tables: vec![StudyTable {
            fields: vec!["machine".to_owned(), "program".to_owned()],
            columns: vec![StudyColumn { name: "time".to_owned(), unit: "ns".to_owned() }],
            rows: vec![row("paragon", 100.0), row("t3d", 50.0)],
            free: None,
        }],
        leaves_out: vec!["A toy has no parts.".to_owned()],
        ..Study::default()
    }
}

/// The document of a comparison of `em3d` on a host called `toy`.
pub(crate) fn comparison(rankings: &[compare::Ranking]) -> Comparison {
    let asked = ProgramInput { program: "em3d".to_owned(), ..ProgramInput::default() };
    let (protocol, place) = ("stache".to_owned(), "local".to_owned());
    let setting = Setting { threads: 1, seed: 1, protocol, block_bytes: 64, place };
    Comparison::new(asked, &setting, rankings, "toy")
}
