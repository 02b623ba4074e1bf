//! The tables of a comparison as ranked bars. This module must never measure or find anything.

use compare::parts::{region, shares};
use compare::ranking::{Ranking, Row, ratio};
use compare::tie::{is_tied, is_unclear};
use tempest::policy::Split;

use crate::document::{Asked, Partial};
use crate::quantity::{list, several};
use crate::words::{self, label};
use plot::{Bar, Bars, Content, Interval, Panel, Picture, Shared};

/// The longest bar stands for no more than so many times the fastest, so that the pieces of the fast ones are seen.
const LONGEST_RATIO: f64 = 8.0;

/// The picture of a comparison: its verdict as the title, and a panel for each table, with its bars in the order of the table. Where runs
/// are missing, `partial` says so.
pub fn comparison(asked: &Asked, rankings: &[Ranking], partial: Option<&Partial>) -> Picture {
    let rows = || rankings.iter().flat_map(Ranking::rows);
    let input: Vec<_> = asked.input.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let intervals: Vec<_> = rows().filter_map(|row| row.interval).collect();
    let measured =
        (!intervals.is_empty()).then_some(match intervals.iter().all(|interval| interval.is_enough) {
            true => {
                "Black lines: intervals in which, with 95 % for all of a panel at once, the true medians lie."
            }
            false => {
                "Black lines: the ranges of all runs, which were too few for intervals that one can rely on."
            }
        });
    let tied = rows().any(|row| row.verified).then_some(
        "x: times the first bar. No difference: black lines that overlap, or times that differ by no more than 3 %. Unclear: black lines that \
         overlap, and leave room for a difference of more than 10 %.",
    );
    let cut = rankings.iter().any(|ranking| end(&ranking.rows()).is_some());
    let mut verdict = words::verdict(&asked.program, rankings).into_iter();
    let title = verdict.next().unwrap_or_else(|| asked.program.clone());
    let more = verdict.collect::<Vec<_>>().join(" ");
    let said = [
        (!more.is_empty()).then_some(more),
        partial.map(|partial| format!("Partial: {partial}.")),
        (!input.is_empty()).then(|| format!("Input: {}.", input.join(", "))),
        measured.map(str::to_owned),
        tied.map(str::to_owned),
        cut.then(|| "Bars with two white strokes are cut off; their parts keep their shares.".to_owned()),
    ];
    Picture {
        title,
        caption: said.into_iter().flatten().collect::<Vec<_>>().join(" "),
        panels: rankings.iter().map(panel).collect(),
        shared: Shared::default(),
    }
}

fn panel(ranking: &Ranking) -> Panel {
    let rows = ranking.rows();
    let several_mechanisms = rows.windows(2).any(|pair| pair[0].mechanism != pair[1].mechanism);
    let all = Split { computing: ranking.shape.processors, dedicated: 0 };
    let several_splits = rows.iter().any(|row| row.split != all);
    let mut bars: Vec<Bar> =
        rows.iter().map(|row| bar(rows[0], row, several_mechanisms, several_splits)).collect();
    bars.extend(ranking.failed.iter().map(|failed| Bar {
        label: [failed.mechanism.name(), failed.policy.as_deref().unwrap_or_default()].join(" "),
        note: "failed".to_owned(),
        ..Bar::default()
    }));
    let content = Bars { label: "time".to_owned(), unit: "ns".to_owned(), bars, to: end(&rows) };
    Panel { title: title(ranking, &rows), content: Content::Bars(content) }
}

/// The time at which bars are cut off; `None` if none is that long.
fn end(rows: &[&Row]) -> Option<f64> {
    let most = LONGEST_RATIO * rows.first()?.outcome.timed().as_nanoseconds();
    rows.iter().any(|row| row.outcome.timed().as_nanoseconds() > most).then_some(most)
}

fn title(ranking: &Ranking, rows: &[&Row]) -> String {
    let (machine, shape) = (&ranking.machine, ranking.shape);
    let shape = format!("{} of {}", several(shape.nodes, "node"), several(shape.processors, "processor"));
    let runs = rows.first().filter(|_| machine.native).map(|row| match row.runs() {
        1 => ", one run each".to_owned(),
        runs => format!(", median of {runs} runs"),
    });
    format!("{}, {shape}{}", label(&machine.name, machine.file.as_deref()), runs.unwrap_or_default())
}

fn bar(first: &Row, row: &Row, several_mechanisms: bool, several_splits: bool) -> Bar {
    let procs = if several_splits { format!(", {} procs", row.split) } else { String::new() };
    let policies = list(&row.policies) + &procs;
    let mechanism = if several_mechanisms { format!("{} ", row.mechanism) } else { String::new() };
    let shares = shares(&region(&row.outcome).breakdown);
    Bar {
        label: format!("{mechanism}{policies}"),
        value: Some(row.outcome.timed().as_nanoseconds()),
        pieces: super::spent::parts(shares),
        interval: row
            .interval
            .map(|it| Interval { low: it.low.as_nanoseconds(), high: it.high.as_nanoseconds() }),
        note: note(first, row),
        ..Bar::default()
    }
}

/// What else there is to say of a row: how much slower it is than the first, or that its answer is wrong.
fn note(first: &Row, row: &Row) -> String {
    let is_first = std::ptr::eq(first, row);
    let marked = match row.disturbed() {
        _ if row.oversubscribed => ", took turns",
        Some(_) => ", disturbed",
        None => "",
    };
    match ratio(first, row) {
        None => "WRONG ANSWER".to_owned(),
        Some(ratio) if !is_first && is_tied(first, row) => {
            let tie = if is_unclear(&[first, row]) { "unclear" } else { "no difference" };
            format!("{}, {tie}{marked}", times(ratio))
        }
        Some(ratio) => times(ratio) + marked,
    }
}

/// A ratio with three digits or more.
fn times(ratio: f64) -> String {
    let decimals = match ratio {
        few if few < 9.995 => 2,
        tens if tens < 99.95 => 1,
        _ => 0,
    };
    format!("{ratio:.decimals$}x")
}

#[cfg(test)]
mod tests {
    use compare::samples::{ranking, row};
    use indexmap::IndexMap;
    use tempest::Mechanism::{Bulk, Messages};

    use super::*;
    use crate::document::Given;

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
        let given = Given { input: Vec::new(), set: Vec::new() };
        let asked = Asked { program: "em3d".to_owned(), given, input: IndexMap::new() };
        let partial = Partial::interrupted("SIGINT", (4, 9));
        let picture = comparison(&asked, &[ranking("native", &rows)], Some(&partial));
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
            caption.contains("Partial: interrupted by SIGINT when 4 of 9 were done. Black lines:"),
            "{caption}"
        );
        assert!(plot::svg(&picture).contains("messages floating"));
    }
}
