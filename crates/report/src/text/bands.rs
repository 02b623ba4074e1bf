//! The bands of a study over free axes as text: a table, and a sentence for each ranking. This module must never find anything itself.

use anstyle::Style;
use indexmap::IndexSet;

use crate::document::{StudyBand, StudyColumn, StudyEnds, StudyFree, StudyTable};
use crate::page::{Page, STRONG};
use crate::table::{Column, Table, dash};

/// The bands of a table of a study; no lines if it has no free axis.
pub(super) fn bands(table: &StudyTable, page: &Page) -> Vec<String> {
    let Some(free) = &table.free else { return Vec::new() };
    let axes: Vec<_> =
        free.axes.iter().map(|(name, values)| format!("{name} {}", values.join(", "))).collect();
    let head = format!("least .. greatest over {}", axes.join("; "));
    let mut lines = vec![page.fold_in(STRONG, "", &head)];
    let cells = |cell: &dyn Fn(&StudyBand) -> String| free.bands.iter().map(cell).collect::<Vec<_>>();
    let field = |name: &&String| {
        Column::left(name, cells(&|band| band.fields.get(*name).cloned().unwrap_or_else(dash)))
    };
    let mut columns: Vec<_> = free.varying().iter().map(field).collect();
    for (at, column) in table.columns.iter().enumerate() {
        let wanted = u8::try_from(table.columns.len() - at).unwrap_or(u8::MAX);
        let values = Column::right(&column.head("\n"), cells(&|band| band.ends(column)));
        columns.push(if at == 0 { values } else { values.wanted(wanted) });
    }
    lines.extend(Table::lines(columns, page, |_| Style::new()));
    lines.extend(free.fates.iter().map(|fate| page.fold("", &fate.text)));
    lines
}

impl StudyFree {
    /// The names of fields that differ between bands.
    pub(crate) fn varying(&self) -> Vec<&String> {
        let names: IndexSet<&String> = self.bands.iter().flat_map(|band| band.fields.keys()).collect();
        let values = |name: &String| -> IndexSet<Option<&String>> {
            self.bands.iter().map(|band| band.fields.get(name)).collect()
        };
        names.into_iter().filter(|name| values(name).len() > 1).collect()
    }
}

impl StudyBand {
    /// The ends of a number, with a mark where a run is missing.
    pub(crate) fn ends(&self, column: &StudyColumn) -> String {
        let ends = self.numbers.get(&column.name).and_then(Option::as_ref);
        ends.map_or_else(dash, |StudyEnds { least, greatest, missing }| {
            let mark = if *missing > 0 { "?" } else { "" };
            format!("{} .. {}{mark}", column.shown(*least), column.shown(*greatest))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{StudyFate, StudyNumber, StudyRow};

    #[test]
    fn a_band_has_a_row_for_each_choice_and_a_sentence_for_the_ranking() {
        let row = |policy: &str, steps: &str, time: f64| {
            let fields = [("policy", policy), ("steps", steps), ("machine", "toy")];
            let number = StudyNumber { median: time, interval: None, samples: vec![time] };
            StudyRow {
                fields: fields.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect(),
                numbers: [("time".to_owned(), Some(number))].into_iter().collect(),
                ..StudyRow::default()
            }
        };
        let fields = ["policy", "steps", "machine"].map(str::to_owned);
        let columns = [StudyColumn { name: "time".to_owned(), unit: "ns".to_owned() }];
        let said = |rows: &[StudyRow]| {
            let free = StudyFree::of(&["steps".to_owned()], &fields, &columns, rows);
            let table = StudyTable { columns: columns.to_vec(), free: Some(free), ..StudyTable::default() };
            bands(&table, &Page { width: 80, colour: false, unicode: true })
        };
        let rows =
            [row("proc", "10", 1e3), row("proc", "100", 9e3), row("np", "10", 2e3), row("np", "100", 4e3)];
        assert_eq!(
            said(&rows),
            [
                "least .. greatest over steps 10, 100",
                "policy                  time",
                "proc    1.000 us .. 9.000 us",
                "np      2.000 us .. 4.000 us",
                "The ranking does not survive: the fastest is proc at steps 10; np at steps 100.",
            ]
        );
        let lines = said(&rows[..3]);
        assert_eq!(lines[3], "np      2.000 us .. 2.000 us");
        let mut failed = rows.clone();
        failed[3].numbers.clear();
        let lines = said(&failed);
        assert!(lines[3].ends_with("2.000 us .. 2.000 us?"), "{lines:#?}");
        assert_eq!(lines[4], "The ranking is not known: runs are missing at steps 100.");
        assert_eq!(StudyFate::default().survives, None);
    }
}
