//! What is aimed at, and how far the measurement is from it.
//!
//! An aim is met, or its floor is (half of the aim; for times, twice), or it is missed.

use crate::contenders::{Kind, Name};
use crate::measure::Measured;
use crate::uncontended::Uncontended;
use crate::workload::{Cell, Keys, Topology};

/// A ratio to reach in every cell of some.
struct Aim {
    what: &'static str,
    value: f64,
    cells: fn(Cell) -> bool,
    ratio: fn(&Measured) -> Option<f64>,
}

fn uniform(cell: Cell, from: usize, to: usize) -> bool {
    matches!(cell.keys, Keys::Uniform(keys) if (from..=to).contains(&keys))
}

fn two(cell: Cell) -> bool {
    cell.topology == Topology::Both
}

const AIMS: [Aim; 7] = [
    Aim {
        what: "every cell, by the best rival",
        value: 1.0,
        cells: |_| true,
        ratio: |measured| measured.ours_by_best(Kind::Rival),
    },
    Aim {
        what: "0 ns, up to 1024 keys, by the best rival",
        value: 3.0,
        cells: |cell| cell.handler == 0 && uniform(cell, 1, 1024),
        ratio: |measured| measured.ours_by_best(Kind::Rival),
    },
    Aim {
        what: "0 ns, 2 workers, 16 to 1024 keys, by static partition",
        value: 0.4,
        cells: |cell| cell.handler == 0 && two(cell) && uniform(cell, 16, 1024),
        ratio: |measured| measured.ours_by(Name::Partition),
    },
    Aim {
        what: "0 ns, 2 workers, 1M keys, by static partition",
        value: 0.5,
        cells: |cell| cell.handler == 0 && two(cell) && uniform(cell, 1 << 20, 1 << 20),
        ratio: |measured| measured.ours_by(Name::Partition),
    },
    Aim {
        what: "200 ns, 16 keys and more, by the better bound",
        value: 0.95,
        cells: |cell| cell.handler == 200 && uniform(cell, 16, usize::MAX),
        ratio: |measured| measured.ours_by_best(Kind::Bound),
    },
    Aim {
        what: "1 key, 2 workers, by one worker alone",
        value: 0.8,
        cells: |cell| two(cell) && uniform(cell, 1, 1),
        ratio: |measured| measured.ours_by(Name::OursAlone),
    },
    Aim {
        what: "skewed keys, 200 ns, 2 workers, by the ceiling of the shares",
        value: 0.9,
        cells: |cell| cell.handler == 200 && two(cell) && cell.keys.skewed(),
        ratio: Measured::ours_by_ceiling,
    },
];

/// How far a measured `merit` (1: the aim) reaches.
fn verdict(merit: f64) -> &'static str {
    match merit {
        merit if merit >= 1.0 => "met",
        merit if merit >= 0.5 => "floor",
        _ => "MISSED",
    }
}

/// One line for each aim, with the worst of its cells, and below it the other cells in which it is not met.
pub(crate) fn print(all: &[Measured], uncontended: &Uncontended) {
    println!("\naims (floor: half of the aim, for times twice); each with the worst of its cells");
    println!("{:<62} {:>6} {:>9}  {:<7} {:>6}  worst", "aim", "value", "measured", "verdict", "met");
    for aim in &AIMS {
        let mut cells: Vec<(f64, Cell)> = all
            .iter()
            .filter(|measured| (aim.cells)(measured.cell))
            .filter_map(|measured| Some(((aim.ratio)(measured)?, measured.cell)))
            .collect();
        cells.sort_by(|a, b| a.0.total_cmp(&b.0));
        let Some(&(worst, cell)) = cells.first() else {
            println!("{:<62} {:>6.2} {:>9}  not run", aim.what, aim.value, "-");
            continue;
        };
        let met = cells.iter().filter(|(ratio, _)| *ratio >= aim.value).count();
        println!(
            "{:<62} {:>6.2} {worst:>9.2}  {:<7} {met:>2} of {:<2} {cell}",
            aim.what,
            aim.value,
            verdict(worst / aim.value),
            cells.len(),
        );
        for (ratio, cell) in cells.iter().skip(1).filter(|(ratio, _)| *ratio < aim.value) {
            println!("{:<62} {:>6} {ratio:>9.2}  {:<7} {:>8} {cell}", "", "", verdict(ratio / aim.value), "");
        }
    }
    for (what, value, measured) in [
        ("uncontended enqueue, dispatch and completion as a worker, ns", 40.0, uncontended.worker),
        ("the same with a guard, ns", 40.0, uncontended.guard),
        ("hold at the serial dispatcher, ns", 3.0, uncontended.hold),
    ] {
        println!("{what:<62} {value:>6.2} {measured:>9.2}  {:<7}", verdict(value / measured));
    }
}
