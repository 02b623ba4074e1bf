//! The table of predictions beside measurements, and its summary. This module must never pair or score.

use anstyle::Style;

use super::cores;
use super::ranked::short;
use crate::document::{Comparison, Pair, Prediction};
use crate::page::{Page, QUIET, STRONG};
use crate::quantity::{percent, signed, time};
use crate::table::{Column, Table, dash};
use crate::words::{DOUBTS, DoubtWords, label};

/// The lines of a prediction of a comparison, on a host of this number of cores.
pub(super) fn lines(found: &Comparison, prediction: &Prediction, page: &Page, cores: usize) -> Vec<String> {
    let Prediction { on, of, .. } = prediction;
    let model = label(&on.machine, on.machine_file.as_deref());
    let title = format!("{model}, calibrated on {of}: its times beside those measured there");
    let mut lines = vec![page.fold_strong(&on.machine, "", &title)];
    lines.extend(table(found, prediction, page, cores));
    lines.push(conclusion(prediction, page));
    lines
}

/// The conclusion from a prediction.
pub(super) fn conclusion(prediction: &Prediction, page: &Page) -> String {
    page.fold_strong("Prediction:", "Prediction: ", &prediction.text)
}

/// A table, and a note where pairs are not scored; nothing if there is no pair.
fn table(found: &Comparison, prediction: &Prediction, page: &Page, host_cores: usize) -> Vec<String> {
    let pairs = &prediction.rows;
    if pairs.is_empty() {
        return Vec::new();
    }
    let full = columns(found, prediction, |mechanism| mechanism);
    let columns = if Table::fits(&full, page, 0) { full } else { columns(found, prediction, short) };
    let style = |row: usize| match (pairs[row].scored, row) {
        (false, _) => QUIET,
        (true, 0) => STRONG,
        (true, _) => Style::new(),
    };
    let mut lines = Table::lines(columns, page, style);
    let is_there = |it: &&DoubtWords| pairs.iter().any(|pair| pair.cannot_tell.as_deref() == Some(it.name));
    for DoubtWords { mark, note, .. } in DOUBTS.iter().filter(is_there) {
        let note = format!("cannot tell: {}", note.replace("CORES", &cores(host_cores)));
        lines.push(page.fold_in(QUIET, &format!("  {mark} "), &note));
    }
    lines
}

fn columns(found: &Comparison, prediction: &Prediction, name: fn(&str) -> &str) -> Vec<Column> {
    let pairs = &prediction.rows;
    let cells = |cell: &dyn Fn(&Pair) -> String| pairs.iter().map(cell).collect::<Vec<_>>();
    let error = |pair: &Pair| pair.error.filter(|_| pair.scored).map_or_else(dash, signed);
    let mark = |pair: &Pair| {
        let doubt = DOUBTS.iter().find(|it| pair.cannot_tell.as_deref() == Some(it.name));
        doubt.map_or("", |it| it.mark).to_owned()
    };
    let uncertainty = |pair: &Pair| {
        let row = found.row(&prediction.of, (prediction.nodes, prediction.processors), &pair.way);
        row.and_then(|row| row.measured.uncertainty()).map_or_else(dash, percent)
    };
    let all = [
        Column::left("  mechanism", cells(&|pair| format!("  {}", name(&pair.way.mechanism)))),
        Column::left("policy", cells(&|pair| pair.way.policy.clone())),
        Column::left("", cells(&mark)).wanted(3),
        Column::right("measured", cells(&|pair| time(pair.measured_ns))),
        Column::right("+/-", cells(&uncertainty)).wanted(1),
        Column::right("predicted", cells(&|pair| time(pair.predicted_ns))),
        Column::right("error", cells(&error)),
    ];
    all.into_iter().filter(|column| column.stays() || !column.is_blank()).collect()
}

#[cfg(test)]
mod tests {
    use compare::ranking::Calibration;
    use compare::samples::{ranking, rows};
    use tempest::Mechanism::{Messages, SharedMemory};

    use super::*;
    use crate::document::samples::comparison;

    #[test]
    fn predictions_stand_beside_measurements_on_any_page() {
        let measured = rows(&[(Messages, "single", 1000), (SharedMemory, "floating+keyed", 2000)]);
        let mut measured: Vec<_> = measured.into_iter().map(|row| row.within(0.05)).collect();
        measured[1].oversubscribed = true;
        let predicted = rows(&[(Messages, "single", 1200), (SharedMemory, "floating+keyed", 1500)]);
        let mut model = ranking("model", &predicted);
        model.machine.calibration =
            Some(Calibration { of: "native".to_owned(), host: None, world: None, disturbed: None });
        let found = comparison(&[ranking("native", &measured), model]);
        let page = |width| Page { width, colour: false, unicode: false };
        let lines = |width| table(&found, &found.predictions[0], &page(width), 2);
        assert_eq!(
            lines(80)[..3],
            [
                "  mechanism      policy             measured  +/-  predicted  error",
                "  messages       single             1.000 ms  5 %   1.200 ms  +20 %",
                "  shared-memory  floating+keyed  *  2.000 ms  5 %   1.500 ms      -",
            ]
        );
        assert!(lines(80)[3].starts_with("  * cannot tell: more processors than the 2 cores"));
        assert_eq!(lines(60)[2], "  shared    floating+keyed * 2.000 ms 5 %  1.500 ms     -");
        assert_eq!(lines(55)[2], "  shared    floating+keyed * 2.000 ms  1.500 ms     -");
    }
}
