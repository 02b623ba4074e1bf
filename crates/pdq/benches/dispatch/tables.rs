//! Printing of the measurement: one Markdown table with a line for each cell, and notes below it.

use crate::contenders::{ALL, Kind, Name};
use crate::measure::Measured;
use crate::uncontended::Uncontended;
use crate::workload::Topology;

const LEGEND: &str = "
M items/s, medians of rounds; ratios are medians of ratios within a round. Every run checks exclusion and counts, and:
  ours, ours-single, partition, inline-lock, tokio: the order of each producer's items of one key
  segqueue (spin lock per key), segqueue-pl (parking_lot), channel (spin lock per key): that order only with one worker;
    with two they do not keep it, so they do less than ours and are compared all the same
  rayon (a job per item, spin lock per key): no order at all
  tokio: an actor per key; 1M keys share 1024 actors, as nobody keeps a million channels
  ours-single: the producer beside a worker enqueues item by item, as the rivals' do, not through a `Producer`
  bounds: partition (a worker per key for ever, rings) and inline-lock (no queue; threads run what they draw, spin lock)
";

/// Contenders whose columns a brief table leaves out.
fn other_columns(all: &[Measured]) -> Vec<Name> {
    let shown = [Name::Ours, Name::Partition];
    let ran = |name: Name| all.iter().any(|one| one.rate(name).is_some());
    ALL.into_iter()
        .filter(|&name| name.kind() != Kind::Reference && !shown.contains(&name) && ran(name))
        .collect()
}

/// A line for each cell: by topology, then by handler. A brief table has the best rival for all others.
pub(crate) fn print(all: &[Measured], brief: bool) {
    let others = if brief { Vec::new() } else { other_columns(all) };
    let mut titles: Vec<_> =
        ["threads", "handler", "keys", "ours", "best rival", "static partition"].map(String::from).into();
    titles.extend(others.iter().map(|name| name.text().to_owned()));
    titles.extend(["ours / rival", "ours / partition"].map(String::from));
    print_row(&titles);
    print_row(&vec!["---".to_owned(); titles.len()]);

    let mut lines: Vec<&Measured> = all.iter().collect();
    lines.sort_by_key(|one| (one.cell.topology == Topology::Both, one.cell.handler));
    for one in lines {
        let rival = one.best(Kind::Rival);
        let mut row = vec![
            one.cell.topology.name().to_owned(),
            format!("{} ns", one.cell.handler),
            one.cell.keys.to_string(),
            number(one.rate(Name::Ours)),
            rival.map_or("-".to_owned(), |rival| format!("{} {}", number(one.rate(rival)), rival.text())),
            number(one.rate(Name::Partition)),
        ];
        row.extend(others.iter().map(|&name| number(one.rate(name))));
        row.extend([number(one.ours_by_best(Kind::Rival)), number(one.ours_by(Name::Partition))]);
        print_row(&row);
    }
}

fn print_row(cells: &[String]) {
    println!("| {} |", cells.join(" | "));
}

/// `-` for a contender that was not run.
fn number(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.2}"))
}

/// Meaning and reliability of the table, and comparisons that have no column.
pub(crate) fn print_notes(all: &[Measured], rounds: usize, uncontended: &Uncontended) {
    println!("{LEGEND}");
    let disturbed: usize = all.iter().map(|one| one.disturbed).sum();
    let runs: usize = all.iter().map(Measured::runs).sum();
    println!(
        "{rounds} rounds; {disturbed} of {runs} runs were disturbed: their threads had to wait for a core"
    );
    for one in all {
        if let Some(ratio) = one.ours_by(Name::OursAlone) {
            println!("{}: {ratio:.2} of one worker alone", one.cell);
        }
        if let Some(ratio) = one.ours_by_ceiling() {
            println!("{}: {ratio:.2} of what the shares of the keys allow", one.cell);
        }
    }
    let Uncontended { worker, guard, hold } = uncontended;
    println!(
        "one item on one thread: {worker:.1} ns as a worker, {guard:.1} ns with a guard; a hold: {hold:.1} ns"
    );
}
