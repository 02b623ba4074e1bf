//! How the measurement is printed: tables for people at a terminal, or one for a README.

use crate::contenders::{ALL, Kind, Name};
use crate::measure::Measured;
use crate::workload::Topology;

const LEGEND: &str = "\
M items/s, medians of rounds; ratios are medians of ratios within a round. Every run checks exclusion and counts, and:
  ours, ours-single, partition, inline-lock, tokio, strands: the order of each producer's items of one key
  segqueue (spin lock per key), segqueue-pl (parking_lot), channel (spin lock per key): that order only with one worker;
    with two they do not keep it, so they do less than ours and are compared all the same
  rayon (a job per item, spin lock per key): no order at all
  tokio: an actor per key; 1M keys share 1024 actors, as nobody keeps a million channels
  ours-single: the producer beside a worker enqueues item by item, as the rivals' do, not through a `Producer`
  strands: another design for ours: a queue per bucket of keys (8192), buckets with work in deques with stealing
  bounds: partition (a worker per key for ever, rings) and inline-lock (no queue; threads run what they draw, spin lock)";

/// `-` for what was not run.
fn number(value: Option<f64>, width: usize) -> String {
    value.map_or(format!("{:>width$}", "-"), |value| format!("{value:>width$.2}"))
}

fn columns(all: &[Measured]) -> Vec<Name> {
    let ran = |name: &Name| name.kind() != Kind::Reference && all.iter().any(|one| one.rate(*name).is_some());
    ALL.into_iter().filter(ran).collect()
}

/// A table for each topology and handler.
pub(crate) fn print(all: &[Measured], rounds: usize) {
    println!("{rounds} rounds; {LEGEND}");
    let names = columns(all);
    let mut groups: Vec<(Topology, u32)> = Vec::new();
    for one in all {
        let group = (one.cell.topology, one.cell.handler);
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    for (topology, handler) in groups {
        println!("\n{}, {handler} ns", topology.name());
        print!("{:<14}", "keys");
        for name in &names {
            print!(" {:>11}", name.text());
        }
        println!(" | {:>7} {:>11} {:>7}  best rival, better bound", "/rival", "/partition", "/bound");
        for one in all.iter().filter(|one| (one.cell.topology, one.cell.handler) == (topology, handler)) {
            print!("{:<14}", one.cell.keys);
            for &name in &names {
                print!(" {}", number(one.rate(name), 11));
            }
            let best = |kind| one.best(kind).map_or("-", Name::text);
            println!(
                " | {} {} {}  {}, {}",
                number(one.ours_by_best(Kind::Rival), 7),
                number(one.ours_by(Name::Partition), 11),
                number(one.ours_by_best(Kind::Bound), 7),
                best(Kind::Rival),
                best(Kind::Bound),
            );
        }
    }
}

/// How much the tables are worth.
pub(crate) fn print_disturbance(all: &[Measured]) {
    let disturbed: usize = all.iter().map(|one| one.disturbed).sum();
    let runs: usize = all.iter().map(Measured::runs).sum();
    println!(
        "\n{disturbed} of {runs} runs were disturbed: their threads had to wait for a core, as others used the host"
    );
}

/// One table with a line for each cell.
pub(crate) fn markdown(all: &[Measured]) {
    println!(
        "| threads | handler | keys | ours | best rival | static partition | ours / rival | ours / partition |"
    );
    println!("|---|---:|---|---:|---:|---:|---:|---:|");
    let mut lines: Vec<&Measured> = all.iter().collect();
    // By topology, then by handler; the keys stay in their order.
    lines.sort_by_key(|one| (one.cell.topology == Topology::Both, one.cell.handler));
    for one in lines {
        let rival = one.best(Kind::Rival);
        let plain = |value| number(value, 0);
        println!(
            "| {} | {} ns | {} | {} | {} {} | {} | {} | {} |",
            one.cell.topology.name(),
            one.cell.handler,
            one.cell.keys,
            plain(one.rate(Name::Ours)),
            plain(rival.and_then(|rival| one.rate(rival))),
            rival.map_or("", Name::text),
            plain(one.rate(Name::Partition)),
            plain(one.ours_by_best(Kind::Rival)),
            plain(one.ours_by(Name::Partition)),
        );
    }
}
