//! The table of predictions beside measurements. Must never pair or score.

use anstyle::Style;
use tempest::Mechanism;

use super::pairs::{Pair, Prediction};
use crate::columns::{ALWAYS, Column, Side, Table};
use crate::page::{Page, QUIET, STRONG};
use crate::quantity::{percent, time};
use crate::table::short;
use crate::target;

/// A table, and a note where pairs are not scored; nothing if there is no pair.
pub(super) fn lines(page: &Page, prediction: &Prediction<'_>) -> Vec<String> {
    let pairs = &prediction.pairs;
    if pairs.is_empty() {
        return Vec::new();
    }
    let full = columns(pairs, Mechanism::name);
    let columns = if Table::fits(&full, page, 0) { full } else { columns(pairs, short) };
    let table = Table::lay(columns, page, 0);
    let mut lines = table.heads(page, "");
    for (index, pair) in pairs.iter().enumerate() {
        let style = match (pair.is_scored(), index) {
            (false, _) => QUIET,
            (true, 0) => STRONG,
            (true, _) => Style::new(),
        };
        lines.extend(table.row(page, index, style, ""));
    }
    if pairs.iter().any(|pair| pair.measured.oversubscribed) {
        let note = format!("not scored: more processors than {}, where they took turns", target::cores());
        lines.push(page.paint(QUIET, &page.fold("  * ", &note)));
    }
    lines
}

fn columns(pairs: &[Pair<'_>], name: fn(Mechanism) -> &'static str) -> Vec<Column> {
    let column = |head, side, wanted, cell: &dyn Fn(&Pair<'_>) -> String| Column {
        group: "",
        head,
        side,
        wanted,
        cells: pairs.iter().map(cell).collect(),
    };
    let all = [
        column("  mechanism", Side::Left, ALWAYS, &|pair| format!("  {}", name(pair.measured.mechanism))),
        column("policy", Side::Left, ALWAYS, &|pair| pair.policy.to_owned()),
        column("", Side::Left, 3, &|pair| if pair.measured.oversubscribed { "*" } else { "" }.to_owned()),
        column("measured", Side::Right, ALWAYS, &|pair| time(pair.measured.outcome.timed())),
        column("spread", Side::Right, 1, &spread),
        column("predicted", Side::Right, ALWAYS, &|pair| time(pair.predicted.outcome.timed())),
        column("error", Side::Right, ALWAYS, &error),
    ];
    all.into_iter().filter(|column| column.wanted == ALWAYS || !column.is_blank()).collect()
}

/// From the fastest run to the slowest.
fn spread(pair: &Pair<'_>) -> String {
    pair.measured.spread.map_or_else(dash, |(least, greatest)| {
        percent((greatest.as_seconds() - least.as_seconds()) / pair.measured.seconds())
    })
}

/// With its sign; nothing where it means nothing.
fn error(pair: &Pair<'_>) -> String {
    if pair.is_scored() { signed(pair.error()) } else { dash() }
}

/// A share in percent, with its sign if it has one that is seen.
pub(super) fn signed(share: f64) -> String {
    match format!("{:+.0}", share * 100.0).as_str() {
        "+0" | "-0" => "0 %".to_owned(),
        percent => format!("{percent} %"),
    }
}

fn dash() -> String {
    "-".to_owned()
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::{Messages, SharedMemory};

    use super::super::pairs::samples::{prediction, rows};
    use super::*;

    #[test]
    fn what_rounds_to_nothing_has_no_sign() {
        assert_eq!([-0.004, 0.0, 0.006, -0.25].map(signed), ["0 %", "0 %", "+1 %", "-25 %"]);
    }

    #[test]
    fn predictions_stand_beside_measurements_on_any_page() {
        let mut measured: Vec<_> =
            rows(&[(Messages, "single", 1000), (SharedMemory, "floating+keyed", 2000)])
                .into_iter()
                .map(|row| row.spread_by(0.05))
                .collect();
        measured[1].oversubscribed = true;
        let predicted = rows(&[(Messages, "single", 1200), (SharedMemory, "floating+keyed", 1500)]);
        let prediction = prediction(&measured, &predicted);
        let page = Page { width: 80, colour: false, unicode: false };
        let wide = lines(&page, &prediction);
        assert_eq!(
            wide[..3],
            [
                "  mechanism      policy             measured  spread  predicted  error",
                "  messages       single             1.000 ms    10 %   1.200 ms  +20 %",
                "  shared-memory  floating+keyed  *  2.000 ms    10 %   1.500 ms      -",
            ]
        );
        assert!(wide[3].starts_with("  * not scored: more processors than the "));
        let narrow = |width| lines(&Page { width, ..page }, &prediction);
        assert_eq!(narrow(60)[2], "  shared    floating+keyed * 2.000 ms   10 %  1.500 ms     -");
        assert_eq!(narrow(55)[2], "  shared    floating+keyed * 2.000 ms  1.500 ms     -");
    }
}
