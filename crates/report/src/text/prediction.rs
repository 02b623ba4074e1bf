//! The table of predictions beside measurements, and what they show. This module must never pair or score.

use anstyle::Style;
use compare::Prediction;
use compare::prediction::{Doubt, Pair};
use tempest::Mechanism;

use super::cores;
use super::ranked::short;
use crate::page::{Page, QUIET, STRONG};
use crate::quantity::{percent, signed, time};
use crate::table::{Column, Table, dash};
use crate::words;

/// The lines of a prediction, on a host of so many cores and of this description.
pub(super) fn lines(prediction: &Prediction, page: &Page, cores: usize, host: &str) -> Vec<String> {
    let title = words::title(prediction);
    let said = words::prediction(prediction, host);
    let mut lines = vec![page.fold_strong(&prediction.model.name, "", &title)];
    lines.extend(table(&prediction.pairs, page, cores));
    lines.push(page.fold_strong("Prediction:", "Prediction: ", &said));
    lines
}

/// A table, and a note where pairs are not scored; nothing if there is no pair.
fn table(pairs: &[Pair], page: &Page, host_cores: usize) -> Vec<String> {
    if pairs.is_empty() {
        return Vec::new();
    }
    let full = columns(pairs, Mechanism::name);
    let columns = if Table::fits(&full, page, 0) { full } else { columns(pairs, short) };
    let style = |row: usize| match (pairs[row].is_scored(), row) {
        (false, _) => QUIET,
        (true, 0) => STRONG,
        (true, _) => Style::new(),
    };
    let mut lines = Table::lines(columns, page, style);
    let doubts = [Doubt::Turns, Doubt::Taken, Doubt::Wide];
    for doubt in doubts.into_iter().filter(|&doubt| pairs.iter().any(|pair| pair.doubt == Some(doubt))) {
        let note = match doubt {
            Doubt::Turns => format!("more processors than {}, where they took turns", cores(host_cores)),
            Doubt::Taken => "the operating system took much of the processors' time".to_owned(),
            Doubt::Wide => "the interval is as wide as the time measured".to_owned(),
        };
        let note = format!("cannot tell: {note}");
        lines.push(page.paint(QUIET, &page.fold(&format!("  {} ", mark(doubt)), &note)));
    }
    lines
}

fn mark(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::Turns => "*",
        Doubt::Taken => "!",
        Doubt::Wide => "?",
    }
}

fn columns(pairs: &[Pair], name: fn(Mechanism) -> &'static str) -> Vec<Column> {
    let cells = |cell: &dyn Fn(&Pair) -> String| pairs.iter().map(cell).collect::<Vec<_>>();
    let error = |pair: &Pair| if pair.is_scored() { signed(pair.error()) } else { dash() };
    let marks = |pair: &Pair| pair.doubt.map_or("", mark).to_owned();
    let all = [
        Column::left("  mechanism", cells(&|pair| format!("  {}", name(pair.way.mechanism)))),
        Column::left("policy", cells(&|pair| pair.way.policy.clone())),
        Column::left("", cells(&marks)).wanted(3),
        Column::right("measured", cells(&|pair| time(pair.measured_ns))),
        Column::right("+/-", cells(&|pair| pair.uncertainty.map_or_else(dash, percent))).wanted(1),
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

    #[test]
    fn predictions_stand_beside_measurements_on_any_page() {
        let measured = rows(&[(Messages, "single", 1000), (SharedMemory, "floating+keyed", 2000)]);
        let mut measured: Vec<_> = measured.into_iter().map(|row| row.within(0.05)).collect();
        measured[1].oversubscribed = true;
        let predicted = rows(&[(Messages, "single", 1200), (SharedMemory, "floating+keyed", 1500)]);
        let mut model = ranking("model", &predicted);
        model.machine.calibration =
            Some(Calibration { of: "native".to_owned(), host: None, disturbed: None });
        let predictions = compare::prediction::of(&[ranking("native", &measured), model]);
        let lines = |width| table(&predictions[0].pairs, &Page { width, colour: false, unicode: false }, 2);
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
