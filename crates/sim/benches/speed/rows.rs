//! The rows of the table: the run, its bound, the aim and the floor. This file must never know how a run is made.

use crate::accesses;
use crate::alone::{self, Alone, Count};
use crate::bare;
use crate::by_hand::Answer;
use crate::cases::{self, Case};
use crate::trial::Taken;
use tradewind_bench::median;
use tradewind_bench::table::{Aim, Figures, TableRow, Unit, paired};

const LOOP: &str = "bare heap and fibers";

const BY_HAND: &str = "this model by hand";

/// Eight nodes.
const FEW: u32 = 8;

/// Rounds of the runs that take seconds.
const LONG_ROUNDS: usize = 3;

/// Operations of a node in the shorter of two runs of very many nodes. The window is full from then on.
const SHORT: u32 = cases::WINDOW;

/// A name under which rows are asked for, and the rows.
pub(crate) type Group = (&'static str, fn() -> Vec<TableRow>);

pub(crate) const GROUPS: &[Group] = &[
    ("no-bus", || {
        rate("fetch-add, 8 nodes without a bus", &cases::NO_BUS, 20_000, (1, Aim::Value(6.0, 3.0)))
    }),
    ("bus", || {
        rate("fetch-add, hurricane-1:2, 8 nodes of 2", &cases::BUS, 10_000, (2, Aim::Value(2.5, 1.25)))
    }),
    ("np", || rate("fetch-add, paragon, np, 8 nodes", &cases::NP, 20_000, (2, Aim::Value(3.0, 1.5)))),
    ("by-hand", by_hand),
    ("em3d", em3d),
    ("accesses", || accesses::rows(&cases::hurricane_1())),
    ("no-bus-1024", || {
        many("fetch-add without a bus, 1024 nodes", &cases::NO_BUS_1024, 1024, Aim::Value(350.0, 700.0))
    }),
    ("no-bus-16384", || {
        many("fetch-add without a bus, 16384 nodes", &cases::NO_BUS_16384, 16_384, Aim::Value(700.0, 1400.0))
    }),
    ("cm-5-1024", || {
        many("fetch-add, cm-5, proc, 1024 nodes", &cases::CM5_1024, 1024, Aim::Value(500.0, 1000.0))
    }),
    ("cm-5-16384", || {
        many("fetch-add, cm-5, proc, 16384 nodes", &cases::CM5_16384, 16_384, Aim::Value(1000.0, 2000.0))
    }),
    ("threads", threads),
    ("handlers", handlers),
    ("instructions", instructions),
    ("lines", lines),
];

/// Messages a second, and the time of a message.
fn rate(what: &str, case: &Case, size: u32, (fibers, aim): (u32, Aim)) -> Vec<TableRow> {
    per_second(what, "a message", case, size, (FEW * fibers, aim), |taken| taken.answer.messages)
}

/// Messages a second without a bus, the time and the instructions of a message, beside a model of that run alone.
fn by_hand() -> Vec<TableRow> {
    const OPERATIONS: u32 = 20_000;
    let trial = (cases::NO_BUS.trial)(OPERATIONS);
    let expected = trial.run().answer;
    let rate = |(seconds, answer): (f64, Answer)| {
        assert_eq!(answer, expected, "both models have the same modelled time and counts");
        answer.messages as f64 / seconds / 1e6
    };
    let of_run = || {
        let Taken { seconds, answer } = trial.run();
        rate((seconds, answer))
    };
    let figures = paired(of_run, || rate(cases::no_bus_by_hand(OPERATIONS).run()));
    let row = |what: &str, unit, figures| TableRow::new(what, unit, figures, BY_HAND, Aim::Nothing);
    let mut rows = vec![
        row("fetch-add, 8 nodes without a bus", Unit::Millions, figures),
        row("  a message", Unit::Nanoseconds, inverse(figures)),
    ];
    let counted = |name| alone::a_message(Count::Instructions, name, 500);
    if let Some((ours, bound)) = counted(cases::NO_BUS.name).zip(counted(cases::BY_HAND)) {
        rows.push(row("  instructions of a message", Unit::Instructions, beside(ours, bound)));
    }
    rows
}

/// Handlers a second, and the time of a handler.
fn em3d() -> Vec<TableRow> {
    let (what, aim) = ("em3d, shared memory, hurricane-1, 8 nodes of 8", Aim::Value(1.5, 0.75));
    per_second(what, "a handler", &cases::EM3D, 4000, (64, aim), |taken| taken.answer.handlers)
}

/// The rate of a run per second, and the time of each event. The bound makes the same number of steps with `fibers`
/// fibers.
fn per_second(
    what: &str,
    each: &str,
    case: &Case,
    size: u32,
    (fibers, aim): (u32, Aim),
    count: fn(Taken) -> u64,
) -> Vec<TableRow> {
    let trial = (case.trial)(size);
    let of_run = || {
        let taken = trial.run();
        count(taken) as f64 / taken.seconds / 1e6
    };
    let steps = count(trial.run());
    let pending = u64::from(FEW * cases::WINDOW);
    let of_loop = || steps as f64 / bare::seconds(fibers, pending, steps) / 1e6;
    let figures = paired(of_run, of_loop);
    vec![
        TableRow::new(what, Unit::Millions, figures, LOOP, aim),
        TableRow::new(format!("  {each}"), Unit::Nanoseconds, inverse(figures), LOOP, Aim::Nothing),
    ]
}

/// Nanoseconds of each, from millions a second.
fn inverse(Figures { ours, bound, ratio }: Figures) -> Figures {
    Figures { ours: 1e3 / ours, bound: 1e3 / bound, ratio: 1.0 / ratio }
}

/// The time of a message on very many nodes, as the slope between two lengths of run, and the time before the first message.
fn many(what: &str, case: &Case, nodes: u32, aim: Aim) -> Vec<TableRow> {
    let rounds: Vec<_> = (0..LONG_ROUNDS).map(|_| round_of_many(case, nodes)).collect();
    let of = |pick: fn(&[f64; 3]) -> f64| median(&rounds.iter().map(pick).collect::<Vec<_>>());
    let message =
        Figures { ours: of(|all| all[0]), bound: of(|all| all[1]), ratio: of(|all| all[0] / all[1]) };
    let start = Figures { ours: of(|all| all[2]), bound: f64::NAN, ratio: f64::NAN };
    vec![
        TableRow::new(format!("{what}, a message"), Unit::Nanoseconds, message, LOOP, aim),
        TableRow::new("  start and end, a node", Unit::Microseconds, start, "", Aim::Value(20.0, 40.0)),
    ]
}

/// Nanoseconds of a message, of a step of the bare loop, and microseconds of a node before and after its messages.
fn round_of_many(case: &Case, nodes: u32) -> [f64; 3] {
    let (short, long) = (alone::run(case, SHORT), alone::run(case, 3 * SHORT));
    let messages = long.messages - short.messages;
    let message = (long.seconds - short.seconds) / messages;
    let bound = bare::seconds(nodes, u64::from(nodes * cases::WINDOW), messages as u64) / messages;
    let start = (short.seconds - short.messages * message) / f64::from(nodes);
    [message * 1e9, bound * 1e9, start * 1e6]
}

/// 65,536 nodes, a thread of each of which waits.
fn threads() -> Vec<TableRow> {
    const NODES: u32 = 65_536;
    let Alone { messages, seconds, megabytes } = alone::run(&cases::THREADS, NODES);
    let bound = bare::seconds(NODES, NODES.into(), messages as u64);
    let pages = f64::from(NODES) * 4096.0 / 1e6;
    let what = "neighbours, paragon, 65536 nodes with a thread each";
    vec![
        TableRow::new(what, Unit::Seconds, beside(seconds, bound), LOOP, Aim::Value(5.0, 10.0)),
        TableRow::new(
            "  peak memory",
            Unit::Megabytes,
            beside(megabytes, pages),
            "a page a thread",
            Aim::Value(400.0, 800.0),
        ),
    ]
}

/// 1,048,576 nodes without waiting threads, beside a quarter as many.
fn handlers() -> Vec<TableRow> {
    const NODES: u32 = 1 << 20;
    let quarter = alone::run(&cases::HANDLERS, NODES / 4);
    let all = alone::run(&cases::HANDLERS, NODES);
    let of = |one: Alone, nodes: u32| one.seconds / f64::from(nodes) * 1e6;
    let bound = bare::seconds(1, NODES.into(), all.messages as u64);
    let a_node = beside(of(all, NODES), of(quarter, NODES / 4));
    let what = "neighbours, paragon, 1048576 nodes, handlers alone";
    vec![
        TableRow::new(what, Unit::Seconds, beside(all.seconds, bound), LOOP, Aim::Nothing),
        TableRow::new("  a node", Unit::Microseconds, a_node, "with 262144 nodes", Aim::Ratio(1.25, 1.5)),
        TableRow::new(
            "  peak memory",
            Unit::Megabytes,
            beside(all.megabytes, f64::NAN),
            "",
            Aim::Value(16e3, 32e3),
        ),
    ]
}

fn beside(ours: f64, bound: f64) -> Figures {
    Figures { ours, bound, ratio: ours / bound }
}

/// Instructions of a message, counted by callgrind.
fn instructions() -> Vec<TableRow> {
    let all = [
        ("fetch-add without a bus, instructions a message", &cases::NO_BUS, Aim::Value(1800.0, 3500.0)),
        ("fetch-add, hurricane-1:2, instructions a message", &cases::BUS, Aim::Value(4200.0, 8500.0)),
        ("fetch-add, paragon, np, instructions a message", &cases::NP, Aim::Value(3500.0, 7100.0)),
    ];
    counted(&all, (Count::Instructions, Unit::Instructions), 500)
}

/// Lines of memory that a message touches on very many nodes, counted by callgrind, and the time that one takes the host.
fn lines() -> Vec<TableRow> {
    let all = [
        ("fetch-add without a bus, 1024 nodes, lines a message", &cases::NO_BUS_1024, Aim::Nothing),
        ("fetch-add, cm-5, 1024 nodes, lines a message", &cases::CM5_1024, Aim::Nothing),
    ];
    let mut rows = counted(&all, (Count::Lines, Unit::Lines), SHORT);
    let figures = paired(|| bare::nanoseconds_of_line(64 << 20), || bare::nanoseconds_of_line(32 << 10));
    rows.push(TableRow::new(
        "a line of 64 MB, by 56 at a place",
        Unit::Nanoseconds,
        figures,
        "of 32 KB",
        Aim::Nothing,
    ));
    rows
}

/// Rows of some runs: the count of a message of each, by callgrind.
fn counted(runs: &[(&str, &Case, Aim)], (count, unit): (Count, Unit), size: u32) -> Vec<TableRow> {
    let row = |&(what, case, aim): &(&str, &Case, Aim)| {
        let counted = alone::a_message(count, case.name, size)?;
        Some(TableRow::new(what, unit, beside(counted, f64::NAN), "", aim))
    };
    let rows: Vec<_> = runs.iter().filter_map(row).collect();
    if rows.is_empty() {
        println!("nothing is counted: valgrind is not installed");
    }
    rows
}
