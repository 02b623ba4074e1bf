//! Calibration: measures the host and writes its machine file.
//!
//! | module | contents |
//! |---|---|
//! | `probe` | the runs that measure, and their figures, round by round |
//! | `equations` | from figures to the values of a machine file |
//! | `measured` | the values, and whether the rounds agree on them |
//! | `host` | the file, from a template with every value that is no measurement |
//!
//! A calibration is a few *rounds* of the same runs, as processes of the `tradewind` command, one after the other. A first round
//! warms up and does not count. Every round gives every value once, so that the terms of a difference were measured
//! within the same second; the value that counts is the median over the rounds, with the interval that encloses it.
//! Nothing is kept in the record: a host is not the same tomorrow.
//!
//! **Disturbed.** A value is disturbed if its interval reaches farther than a quarter of the value from the median. A
//! value that is the small rest of a longer time varies a lot relative to itself without any disturbance. For such a
//! value the limit is a quarter of the longer time, if the time contains the value once.
//!
//! **Vague.** A value is vague if its interval is as wide as the value, or wider. A small rest of a longer time may be
//! vague without any disturbance: the time is known, the rest is not.
//!
//! No program whose time a calibrated machine is to predict is run here. This module must never know the behaviour of a
//! program beyond the names of its figures, nor the structure of the host.

mod equations;
mod host;
mod measured;
mod probe;

use units::median::Median;

use crate::{Runner, Specification};
pub use equations::Unit;
pub use host::{Host, told};
pub use measured::{Calibration, Quantity};
pub use probe::Distance;
use probe::Round;

/// The probability with which an interval encloses its median, where there are rounds enough.
const LEVEL: f64 = 0.95;

/// Number of runs in a calibration of a host with `cores` cores.
pub fn runs(cores: u32, rounds: u32) -> usize {
    probe::probes(None).len() * (rounds as usize + 1) + probe::pairs(cores).len()
}

/// Measures a host of at least 2 cores by the `tradewind` command. `progress` is told of each run before it is done, and with `true` when
/// it is.
///
/// # Errors
/// The message of a failed run, or the figure that a run did not report.
pub fn calibrate(
    runner: &Runner,
    host: &Host,
    rounds: u32,
    progress: &dyn Fn(&Specification, bool),
) -> Result<Calibration, String> {
    let round = || probe::round(runner, host.processes, progress);
    round()?;
    let all = (0..rounds).map(|_| round()).collect::<Result<Vec<_>, _>>()?;
    let distances = probe::distances(runner, host.cores, host.processes, progress)?;
    Ok(Calibration { quantities: quantities(&all)?, distances, rounds })
}

/// The file's text.
pub fn file(calibration: &Calibration, host: &Host) -> String {
    host::file(calibration, host, &probe::told(&host.name, host.processes))
}

fn quantities(rounds: &[Round]) -> Result<Vec<Quantity>, String> {
    let median = |value: &dyn Fn(&Round) -> Result<f64, String>| {
        let values = rounds.iter().map(value).collect::<Result<Vec<_>, _>>()?;
        Median::of(&values, LEVEL).ok_or_else(|| "there is no round".to_owned())
    };
    let quantity = |equation: &equations::Equation| {
        let &equations::Equation { key, unit, from, rest_of, value } = equation;
        // The term that is subtracted may be the larger one: then nothing was left in that round.
        let median_of_it = median(&|round| Ok(value(round)?.max(unit.least())))?;
        let whole = match rest_of {
            Some((figure, count)) => median(&|round| round.get(figure))?.value / count,
            None => 0.0,
        };
        let share = median_of_it.far() / median_of_it.value.max(whole);
        Ok(Quantity { key, median: median_of_it, unit, share, from })
    };
    equations::ALL.iter().map(quantity).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specification::NodeProcesses;

    /// Figures as if a send took 20 ns, the way of a line to its receiver 90, a receive 30, a hold 5, a signal 2, the network 15
    /// and a thread 40 to go on; at home a send 12 and a receive 9.
    fn round() -> Round {
        // A word out and one in are 2 and 1, the request has one of each, and the reply is counted.
        let rest = 2.0 + 1.0 + 2.0;
        let waiting = 2.0 * (20.0 + 15.0 + 90.0 + 30.0) + rest + 40.0;
        let fixed = 2.0 * (25.0 + 60.0) + 2.0 + 1.0 + 7.0;
        Round::of(&[
            ("single.clock", 25.0),
            // Two holds, a signal, and operations.
            ("single.task", 2.0 * 5.0 + 2.0 + 14.0 * 0.5),
            ("single.signal", 2.0),
            ("single.send", 20.0),
            ("single.send.long", 44.0),
            // Never less than a send: the sender is at work all the time.
            ("single.stream", 30.0),
            ("single.receive", 30.0 + 2.0),
            ("single.receive.long", 42.0 + 2.0),
            // The timer; a poll that looks twice, for a message and at the clock; the message.
            ("single.found", 25.0 + 19.0 + 24.0 + 90.0 + 30.0 + 2.0),
            ("single.polling", 500.0),
            ("single.waiting", waiting),
            ("single.rested", 5500.0),
            ("own.signal", 2.0),
            ("own.send", 12.0),
            ("own.receive", 9.0 + 2.0),
            ("own.waiting", 2.0 * (12.0 + 9.0) + rest + 40.0),
            ("look.poll", 19.0),
            ("look.clock", 24.0),
            ("fixed.task", 2.0 * 9.0 + 7.0 + 14.0 * 0.5),
            ("fixed.signal", 7.0),
            ("fixed.send", 70.0),
            ("fixed.stream", 25.0),
            ("fixed.window", 25.0 + 2.0 * 60.0 + 7.0),
            ("fixed.polling", fixed + 80.0),
            ("fixed.waiting", fixed + 80.0 + 150.0),
            ("work.operation", 0.5),
            ("work.chain", 0.25),
            ("work.poll", 0.5),
            ("switch.switch", 70.0),
            ("bulk.store", 8000.0),
            ("miss.time.miss", 2.0 * (20.0 + 90.0 + 30.0 + 15.0) + 40.0 + 60.0),
        ])
    }

    #[test]
    fn the_equations_give_back_what_was_put_in() {
        let quantities = quantities(&[round()]).unwrap();
        let of = |key: &str| quantities.iter().find(|it| it.key == key).map(|it| it.median.value).unwrap();
        assert_eq!(of("processor.clock"), 4000.0);
        assert_eq!(of("processor.poll"), 19.0 + 24.0);
        assert_eq!(of("processor.pass"), 0.5);
        assert_eq!((of("processor.hold"), of("policy.fixed.primitives.dispatch")), (5.0, 9.0));
        assert_eq!(of("primitives.send_header"), 20.0);
        assert_eq!(of("primitives.send_own"), 12.0);
        assert_eq!(of("primitives.send_word"), 2.0);
        assert_eq!(of("primitives.extract") + of("primitives.dispatch"), 30.0);
        assert_eq!(of("primitives.extract_own") + of("primitives.dispatch"), 9.0);
        assert_eq!(of("primitives.receive_word"), 1.0);
        assert_eq!(of("processor.fetch"), 90.0);
        assert_eq!(of("network.latency"), 15.0);
        assert_eq!(of("processor.wake"), 40.0);
        assert_eq!(of("processor.interrupt"), 5000.0);
        assert_eq!(of("policy.fixed.primitives.extract") + of("policy.fixed.primitives.dispatch"), 60.0);
        assert_eq!(of("policy.fixed.interface.loopback"), 80.0);
        assert_eq!(of("policy.fixed.processor.wake"), 150.0);
        assert_eq!(of("primitives.dispatch_fault") + of("primitives.directory_lookup"), 60.0);
        // 64 bytes at 8000 MB/s.
        assert_eq!(of("memory.read"), 8.0);
    }

    #[test]
    fn what_comes_to_less_than_nothing_is_nothing_however_far_the_rounds_lie_apart() {
        // A lone message that is polled for takes less than its processors do for it, in each round by another time.
        let rounds: Vec<_> = [10.0, 60.0, 90.0].map(|less| round().with("fixed.polling", less)).into();
        let quantities = quantities(&rounds).unwrap();
        let loopback = quantities.iter().find(|it| it.key == "policy.fixed.interface.loopback").unwrap();
        assert_eq!((loopback.median.value, loopback.share, loopback.is_disturbed()), (0.0, 0.0, false));
    }

    #[test]
    fn what_is_left_over_is_disturbed_by_shares_of_the_time_that_it_is_left_over_of() {
        let disturbed = |figure: &str, values: [f64; 3]| {
            let rounds: Vec<_> = values.map(|value| round().with(figure, value)).into();
            let (quantities, distances) = (quantities(&rounds).unwrap(), Vec::new());
            Calibration { quantities, distances, rounds: 3 }.disturbed()
        };
        assert_eq!(disturbed("single.signal", [2.0, 2.0, 2.0]), [""; 0]);
        // A thread that goes on takes 20 to 60 ns, of requests of 87 ns and their replies.
        assert_eq!(disturbed("own.waiting", [67.0, 87.0, 107.0]), [""; 0]);
        assert_eq!(disturbed("own.waiting", [57.0, 87.0, 117.0]), ["processor.wake"]);
        assert_eq!(disturbed("switch.switch", [60.0, 70.0, 80.0]), [""; 0]);
        assert_eq!(disturbed("switch.switch", [60.0, 70.0, 90.0]), ["processor.thread_switch"]);
    }

    #[test]
    fn a_value_whose_interval_is_as_wide_as_itself_says_so_in_its_place() {
        let rounds: Vec<_> = [67.0, 87.0, 107.0].map(|waiting| round().with("own.waiting", waiting)).into();
        let calibration =
            Calibration { quantities: quantities(&rounds).unwrap(), distances: Vec::new(), rounds: 3 };
        assert!(calibration.disturbed().is_empty());
        let vague = calibration.quantities.iter().filter(|quantity| quantity.is_vague());
        // The rest of a lone message is its time without the part of the thread that goes on.
        assert_eq!(
            vague.map(|quantity| quantity.key).collect::<Vec<_>>(),
            ["processor.wake", "network.latency"]
        );
        let file = file(&calibration, &host());
        let lines: Vec<_> = file.lines().filter(|line| line.contains("VAGUE")).collect();
        let wake = "wake = \"40.00 ns\"  # measured: own waiting - 2 own send - 2 own receive - words - signal; 20.00 to 60.00: VAGUE, as wide as the value";
        assert_eq!((lines.len(), lines[0]), (2, wake));
    }

    fn host() -> Host {
        Host {
            description: "toy, 2 cores".to_owned(),
            cores: 2,
            date: "2026-01-31".to_owned(),
            name: "mine".to_owned(),
            command: "mine calibrate".to_owned(),
            pace: units::Time::from_microseconds(1),
            processes: None,
        }
    }

    #[test]
    fn a_figure_that_is_missing_is_named() {
        let why = quantities(&[Round::of(&[("single.task", 4.0)])]).unwrap_err();
        assert!(why.contains("work.chain"), "{why}");
    }

    #[test]
    fn the_file_is_a_machine_that_says_what_it_is() {
        let calibration = Calibration {
            quantities: quantities(&[round()]).unwrap(),
            distances: vec![Distance { cores: (0, 1), nanoseconds: 300.0 }],
            rounds: 1,
        };
        let machine = machine::Machine::parse("host.toml", &file(&calibration, &host())).unwrap();
        assert_eq!((machine.name.as_str(), machine.nodes, machine.processors), ("host", 2, 1));
        let calibrated = machine.calibrated.as_ref().unwrap();
        assert_eq!((calibrated.of.as_str(), calibrated.world.as_deref()), ("native", Some("local")));
        assert_eq!(machine.processor.poll, units::Time::from_nanoseconds(43));
        assert_eq!(machine.processor.pace, units::Time::from_microseconds(1));
        assert_eq!(machine.under("fixed").interface.loopback, units::Time::from_nanoseconds(80));
        let poll = machine.values().iter().find(|value| value.key == "processor.poll").unwrap();
        assert_eq!(poll.source.as_deref(), Some("measured: look poll + look clock; 1 round"));
    }

    #[test]
    fn the_file_of_nodes_in_processes_says_so_and_has_the_runs_that_made_them() {
        let quantities = quantities(&[round()]).unwrap();
        let calibration = Calibration { quantities, distances: Vec::new(), rounds: 1 };
        let peer_timeout = units::Time::from_microseconds(300_000);
        let host = Host { processes: Some(NodeProcesses { nodes_each: 1, peer_timeout }), ..host() };
        let file = file(&calibration, &host);
        let machine = machine::Machine::parse("host.toml", &file).unwrap();
        assert_eq!(machine.calibrated.unwrap().world.as_deref(), Some("processes"));
        assert_eq!(machine.summary, "this host, measured with nodes as processes");
        let runs = file.lines().filter(|line| line.contains("--world processes --nodes-per-process 1"));
        assert_eq!(runs.count(), 8, "{file}");
    }
}
