//! A study's results as tab-separated values, for other tools: a line for each run. This module must never know how a number is
//! measured.

use indexmap::IndexSet;
use units::text;

use crate::document::{Claim, Claims, Scalar, Study, StudyColumn, StudyRow};

/// A line for each run of a study, below a line of names: everything that is stated of any of them, the number of rounds, the world,
/// and for each number its median and the ends of its interval. A cell is empty where something does not apply or was not measured.
pub fn runs(study: &Study) -> String {
    let rows =
        || study.tables.iter().flat_map(|table| table.rows.iter().map(move |row| (row, &table.columns)));
    let fields: IndexSet<&String> = study.tables.iter().flat_map(|table| &table.fields).collect();
    let columns: IndexSet<(&str, &str)> = study
        .tables
        .iter()
        .flat_map(|table| &table.columns)
        .map(|it| (it.name.as_str(), it.unit.as_str()))
        .collect();
    let named = columns.iter().flat_map(|(name, unit)| {
        let name = if unit.is_empty() { (*name).to_owned() } else { format!("{name} ({unit})") };
        [name.clone(), format!("{name} low"), format!("{name} high")]
    });
    let of_row = ["rounds", "world"].map(str::to_owned);
    let head = fields.iter().map(|name| (*name).clone()).chain(of_row).chain(named);
    let line = |(row, of): (&StudyRow, &Vec<StudyColumn>)| {
        let stated = fields.iter().map(|name| row.fields.get(*name).cloned().unwrap_or_default());
        let numbers = columns.iter().flat_map(|column| numbers(row, of, *column));
        let of_row = [row.rounds.to_string(), row.world.clone().unwrap_or_default()];
        joined(stated.chain(of_row).chain(numbers))
    };
    std::iter::once(joined(head)).chain(rows().map(line)).collect()
}

/// The median of a number and the ends of its interval.
fn numbers(row: &StudyRow, columns: &[StudyColumn], (name, unit): (&str, &str)) -> [String; 3] {
    // Numbers of one name and different units are different columns.
    let is_it = columns.iter().any(|column| column.name == name && column.unit == unit);
    let number = row.numbers.get(name).filter(|_| is_it).and_then(Option::as_ref);
    let interval = number.and_then(|number| number.interval);
    let values = [number.map(|it| it.median), interval.map(|it| it.low), interval.map(|it| it.high)];
    values.map(|value| value.map(|value| value.to_string()).unwrap_or_default())
}

/// Every metric of a study with its value, below a line of names.
pub fn metrics(study: &Study) -> String {
    let lines =
        study.metrics.iter().map(|(name, value)| joined([name.clone(), value.to_string()].into_iter()));
    std::iter::once(joined(["metric", "value"].map(str::to_owned).into_iter())).chain(lines).collect()
}

/// Every claim with its verdict, below a line of names. A cell is empty where something does not apply or was not measured.
pub fn claims(claims: &Claims) -> String {
    let scalar = |scalar: &Option<Scalar>| scalar.as_ref().map_or_else(String::new, Scalar::to_string);
    let head =
        ["claim", "role", "basis", "verdict", "stated", "measured", "unit", "error"].map(str::to_owned);
    let line = |claim: &Claim| {
        let cells = [
            claim.id.clone(),
            claim.role.clone(),
            claim.basis.clone().unwrap_or_default(),
            claim.verdict.clone(),
            scalar(&claim.stated),
            scalar(&claim.measured),
            claim.unit.clone(),
            claim.error.map(|error| error.to_string()).unwrap_or_default(),
        ];
        joined(cells.into_iter())
    };
    std::iter::once(joined(head.into_iter())).chain(claims.claims.iter().map(line)).collect()
}

/// Cells as a line. A tab or a line end in a cell is a blank; another control character is shown.
fn joined(cells: impl Iterator<Item = String>) -> String {
    let shown = |cell: String| text::shown(&cell.replace(['\t', '\n', '\r'], " ")).into_owned();
    let cells: Vec<_> = cells.map(shown).collect();
    cells.join("\t") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Bounds, StudyNumber, StudyTable};

    #[test]
    fn every_run_is_a_line_with_all_names_of_the_study() {
        let number = |median, interval| Some(StudyNumber { median, interval, samples: vec![median] });
        let row = |name: &str, value: &str, number| StudyRow {
            fields: [(name.to_owned(), value.to_owned())].into_iter().collect(),
            rounds: 1,
            world: Some("model".to_owned()),
            numbers: [("time".to_owned(), number)].into_iter().collect(),
            ..StudyRow::default()
        };
        let table = |name: &str, unit: &str, row| StudyTable {
            fields: vec![name.to_owned()],
            columns: vec![StudyColumn { name: "time".to_owned(), unit: unit.to_owned() }],
            rows: vec![row],
            free: None,
        };
        let interval = Some(Bounds { low: 1.0, high: 2.5, level: 0.96 });
        let study = Study {
            tables: vec![
                table("size", "ns", row("size", "1\t2", number(1.5, interval))),
                table("g", "us", row("g", "3", number(0.001, None))),
            ],
            metrics: [("a.b".to_owned(), 0.25)].into_iter().collect(),
            ..Study::default()
        };
        assert_eq!(
            runs(&study),
            "size\tg\trounds\tworld\ttime (ns)\ttime (ns) low\ttime (ns) high\ttime (us)\ttime (us) low\ttime (us) high\n\
             1 2\t\t1\tmodel\t1.5\t1\t2.5\t\t\t\n\t3\t1\tmodel\t\t\t\t0.001\t\t\n"
        );
        assert_eq!(metrics(&study), "metric\tvalue\na.b\t0.25\n");
    }
}
