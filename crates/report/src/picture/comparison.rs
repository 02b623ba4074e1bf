//! The tables of a comparison as ranked bars. This module must never measure or find anything.

use tempest::policy::Split;
use units::plural::several;

use crate::document::{Comparison, TableRow, Way, World, has_several_mechanisms};
use crate::quantity::{list, times};
use crate::words::procs;
use plot::{Bar, Bars, Content, Interval, Panel, Picture, Shared};

/// The greatest ratio to the fastest row of a row that is drawn.
const GREATEST_RATIO: f64 = 4.0;

/// The picture of a comparison: its verdict as the title, and a panel for each table, with its bars in the order of the table.
pub fn comparison(found: &Comparison) -> Picture {
    let rows = || found.worlds.iter().flat_map(|world| &world.rows);
    let input: Vec<_> = found.asked.input.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let intervals: Vec<_> = rows().filter_map(|row| row.measured.interval.as_ref()).collect();
    let measured =
        (!intervals.is_empty()).then_some(match intervals.iter().all(|interval| interval.enough) {
            true => {
                "Thin lines: intervals in which, with 95 % for all of a panel at once, the true medians lie."
            }
            false => {
                "Thin lines: the ranges of all runs, which were too few for intervals that one can rely on."
            }
        });
    let tied = rows().any(|row| row.is_right()).then_some(
        "x: times the first bar. No difference: thin lines that overlap, or times that differ by no more than 3 %. Unclear: thin lines that \
         overlap, and leave room for a difference of more than 10 %.",
    );
    let folded = found.worlds.iter().map(|world| world.table().iter().filter(|row| !is_drawn(row)).count());
    let folded: usize = folded.sum();
    let mut verdict = found.verdict.text.0.iter();
    let title = verdict.next().unwrap_or(&found.asked.program);
    let more = verdict.map(String::as_str).collect::<Vec<_>>().join(" ");
    let said = [
        (!more.is_empty()).then_some(more),
        found.partial.as_ref().map(|partial| format!("Partial: {partial}.")),
        (!input.is_empty()).then(|| format!("Input: {}.", input.join(", "))),
        measured.map(str::to_owned),
        tied.map(str::to_owned),
        (folded > 0).then(|| {
            let rows = several(folded as u64, "row");
            format!("Not drawn: {rows} more than {GREATEST_RATIO} times as slow as the fastest.")
        }),
    ];
    Picture {
        title: title.clone(),
        caption: said.into_iter().flatten().collect::<Vec<_>>().join(" "),
        panels: found.worlds.iter().map(panel).collect(),
        shared: Shared::default(),
    }
}

fn panel(world: &World) -> Panel {
    let rows = world.table();
    let several_mechanisms = has_several_mechanisms(&rows);
    let all = Split { computing: world.processors, dedicated: 0 };
    let several_splits = rows.iter().any(|row| row.combination.split() != all);
    let mut bars: Vec<Bar> = rows
        .iter()
        .filter(|row| is_drawn(row))
        .map(|row| bar(world, &rows[0], row, several_mechanisms, several_splits))
        .collect();
    bars.extend(world.failed.iter().map(|failed| Bar {
        label: [failed.mechanism.as_str(), failed.policy.as_deref().unwrap_or_default()].join(" "),
        note: "failed".to_owned(),
        ..Bar::default()
    }));
    let content = Bars { label: "time".to_owned(), unit: "ns".to_owned(), bars, ..Bars::default() };
    Panel { title: title(world, &rows), content: Content::Bars(content) }
}

/// Whether a row is fast enough to be drawn, or has a wrong answer.
fn is_drawn(row: &TableRow<'_>) -> bool {
    row.ratio_to_best.is_none_or(|ratio| ratio <= GREATEST_RATIO)
}

fn title(world: &World, rows: &[TableRow<'_>]) -> String {
    let runs = rows.first().filter(|_| world.is_native()).map(|row| match row.measured.runs {
        1 => ", one run each".to_owned(),
        runs => format!(", median of {runs} runs"),
    });
    world.place() + &runs.unwrap_or_default()
}

fn bar(
    world: &World,
    first: &TableRow<'_>,
    row: &TableRow<'_>,
    several_mechanisms: bool,
    several_splits: bool,
) -> Bar {
    let procs = if several_splits {
        format!(", {}", procs(&row.combination.split().to_string()))
    } else {
        String::new()
    };
    let policies: Vec<_> = row.policies.iter().map(|&policy| policy.to_owned()).collect();
    let policies = list(&policies) + &procs;
    let mechanism =
        if several_mechanisms { format!("{} ", row.combination.mechanism) } else { String::new() };
    Bar {
        label: format!("{mechanism}{policies}"),
        value: Some(row.measured.time_ns),
        pieces: super::spent::parts(row.measured.region().breakdown.shares()),
        interval: row.measured.interval.as_ref().map(|it| Interval { low: it.low_ns, high: it.high_ns }),
        note: note(&world.finding.tied, first, row),
        ..Bar::default()
    }
}

/// A note on a row: its ratio to the first row, or that its answer is wrong.
fn note(tied: &[Way], first: &TableRow<'_>, row: &TableRow<'_>) -> String {
    let marked = match row.measured.disturbed {
        _ if row.combination.oversubscribed => ", took turns",
        true => ", disturbed",
        false => "",
    };
    match row.ratio_to_best {
        None => "WRONG ANSWER".to_owned(),
        Some(ratio) if tied.contains(&row.way()) => {
            let tie = if row.is_unclear(first) { "unclear" } else { "no difference" };
            format!("{}x, {tie}{marked}", times(ratio))
        }
        Some(ratio) => format!("{}x{marked}", times(ratio)),
    }
}

#[cfg(test)]
mod tests {
    use compare::Row;
    use compare::samples::{ranking, row};
    use tempest::Mechanism::{Bulk, Messages};

    use super::*;
    use crate::document::{Partial, samples};

    #[test]
    fn every_row_is_a_bar_with_its_interval_and_what_it_means() {
        let wrong = Row { verified: false, ..row(Bulk, "single", [1, 0, 0, 0]) };
        let rows = [
            row(Messages, "single", [100, 20, 5, 0]).within(0.01),
            row(Messages, "floating", [101, 20, 5, 0]).within(0.01),
            row(Bulk, "fixed:1", [150, 0, 0, 50]).within(0.01),
            row(Bulk, "floating", [150, 0, 0, 60]).within(0.9),
            wrong,
        ];
        let partial = Some(Partial::interrupted("SIGINT", (4, 9)));
        let found = Comparison { partial, ..samples::comparison(&[ranking("native", &rows)]) };
        let picture = comparison(&found);
        let Content::Bars(bars) = &picture.panels[0].content else { panic!("a table is drawn as bars") };
        let told: Vec<_> = bars.bars.iter().map(|bar| (bar.label.as_str(), bar.note.as_str())).collect();
        let wanted = [
            ("messages single", "1.00x"),
            ("messages floating", "1.01x, no difference"),
            ("bulk fixed:1", "1.60x"),
            ("bulk floating", "1.68x, unclear"),
            ("bulk single", "WRONG ANSWER"),
        ];
        assert_eq!(told, wanted);
        let interval = bars.bars[0].interval.expect("this host was measured");
        assert!(interval.low < 125_000.0 && 125_000.0 < interval.high);
        assert_eq!(bars.bars[4].interval, None);
        assert!(picture.title.ends_with("too much to tell mechanisms apart."), "{}", picture.title);
        let caption = &picture.caption;
        assert!(
            caption.contains("Partial: interrupted by SIGINT when 4 of 9 were done. Thin lines:"),
            "{caption}"
        );
        assert!(plot::svg(&picture).contains("messages floating"));
    }
}
