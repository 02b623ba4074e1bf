//! Saturation: many threads miss at once, in shared memory, so that requesters or homes are saturated.
//!
//! The threads of the first `requesters` nodes load or store one word of each of many blocks. The homes of the blocks
//! are the last `homes` nodes, in turn. If all nodes are both, load is balanced; with `homes=1` one home answers all
//! nodes; with `requesters=1` one node asks all homes. The option `--threads` says how many threads of a node miss at
//! once. All pages are mapped from the start, and every miss is on another block.
//!
//! # Figures
//!
//! | figure | meaning |
//! |---|---|
//! | `time.miss` | the mean time of a miss, as its thread sees it |
//! | `time.requester` | the time per request on the slowest requester: its overhead, if it is saturated |
//! | `time.home` | the time per request to a home: its overhead, if it is saturated |
//! | `overhead.home` | on busy homes: `time.home` without the home's own work, which is its number of rounds times the time of an undisturbed round |
//! | `throughput` | the misses of all nodes in a microsecond |
//!
//! # Timed regions
//!
//! `miss` is the timed region, with all misses. The region `loop` measures the loops of busy homes; `check` checks
//! the blocks.
//!
//! # How it is checked
//!
//! Every block holds a number of its own. A value that is read must be that number; a value that is written must be
//! found at the home.

use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, Inputs, Instance, Least, Plan};
use tempest::{Job, Mechanism, Merge, Report};

use super::kind::{Home, Kind};
use super::pattern::Pattern;
use super::probe::{BODY, Config, KIND, Measured, Options, Probe};

/// The entry of saturation in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "saturation",
    summary: "threads of many nodes miss at once on blocks of others: what requesters and homes can do",
    mechanisms: &[Mechanism::SharedMemory],
    inputs: Saturation::INPUTS,
    load: |given| Ok(Box::new(Saturation::from_given(given)?)),
};

/// The inputs of saturation.
#[derive(Clone, Inputs)]
struct Saturation {
    /// nodes that miss, from the first on; 0: all
    #[input(default = 0, range = 0..=1 << 20)]
    requesters: u32,
    /// nodes on whose blocks they miss, up to the last; 0: all
    #[input(default = 0, range = 0..=1 << 20)]
    homes: u32,
    /// misses of each thread, each on a block of its own
    #[input(default = 1000, range = 1..=1_000_000)]
    misses: u32,
    #[input(like = KIND)]
    kind: Kind,
    /// what homes that do not miss themselves do meanwhile: idle or busy
    #[input(default = "idle")]
    home: Home,
    #[input(like = BODY)]
    body: u32,
    /// KiB that each home writes after it has filled its blocks, so that its caches no longer hold them
    #[input(default = 512, range = 0..=1 << 20)]
    push: u32,
}

impl Saturation {
    fn asked(&self) -> Options {
        let Self { kind, home, body, push, .. } = *self;
        Options { kind, home, body, push }
    }
}

impl Instance for Saturation {
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan> {
        let Self { requesters, homes, misses, .. } = *self;
        let pattern = Pattern::new(plan.shape, requesters, homes, misses)?;
        let config = Config::new(plan, pattern, self.asked(), report)?;
        Ok(Job::new::<Probe>(Arc::new(config)))
    }

    fn least(&self) -> Least {
        Least { nodes: 2, ..Least::ANY }
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        let nodes = |count| if count == 0 { "all nodes".to_owned() } else { format!("{count}") };
        let own = vec![
            ("requesters", nodes(self.requesters)),
            ("homes", nodes(self.homes)),
            ("misses of a thread", self.misses.to_string()),
        ];
        [own, self.asked().describe()].concat()
    }
}

fn report(measured: &Measured, mut report: Report) -> Report {
    let Pattern { requesters, homes, threads, misses, .. } = measured.pattern;
    let of_node = f64::from(threads) * f64::from(misses);
    let of_home = of_node * f64::from(requesters) / f64::from(homes);
    if let Some(span) = measured.span {
        let span = span.as_nanoseconds();
        report = report
            .measured("time.miss", measured.miss.as_nanoseconds(), "ns", Merge::Max)
            .measured("time.requester", span / of_node, "ns", Merge::Max)
            .measured("time.home", span / of_home, "ns", Merge::Max)
            .measured("throughput", of_node / span * 1e3, "misses/us", Merge::Sum);
    }
    if let Some(time) = measured.beside_loop {
        report = report.measured("overhead.home", time.as_nanoseconds() / of_home, "ns", Merge::Max);
    }
    report
}

#[cfg(test)]
mod tests {
    use tempest::{NodeId, Shape};
    use units::Time;

    use super::*;

    #[test]
    fn figures_follow_from_what_was_measured() {
        let pattern = Pattern::new(Shape { nodes: 4, threads: 2 }, 3, 1, 5).unwrap();
        let of = |node, span, beside_loop| {
            let measured =
                Measured { node: NodeId(node), pattern, span, miss: Time::from_microseconds(7), beside_loop };
            let figures = report(&measured, Report::default()).figures;
            figures.iter().map(|figure| (figure.name, figure.value)).collect::<Vec<_>>()
        };
        // Ten misses of each of three nodes in 20 us; thirty on the one home, which took 15 us for them.
        let requester = of(0, Some(Time::from_microseconds(20)), None);
        let expected = [
            ("time.miss", 7000.0),
            ("time.requester", 2000.0),
            ("time.home", 20_000.0 / 30.0),
            ("throughput", 0.5),
        ];
        assert_eq!(requester, expected);
        assert_eq!(of(3, None, Some(Time::from_microseconds(15))), [("overhead.home", 500.0)]);
    }
}
