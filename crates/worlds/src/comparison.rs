//! One program on several targets, by every mechanism under every policy that each of them can do. Ranks nothing.

use compare::{Combination, Ranking, Refusal};
use tempest::policy::{Dispatch, PRESETS};
use tempest::{Mechanism, Policy};
use units::Time;

use crate::{Error, Setting, Subject, Target};

/// A comparison to be run: a program, targets, and what all runs have in common.
///
/// ```
/// # let entry = tempest::entry::find("histogram", apps::ALL).unwrap();
/// use tradewind_worlds::{Comparison, Subject, Target};
///
/// let targets = vec![Target::find("ideal", &[])?, Target::find("paragon", &[])?];
/// let comparison = Comparison::new(Subject::load(entry, &[("values", "20")])?, targets);
/// for compared in comparison.run(|_| ()) {
///     let ranking = compared.ranking();
///     let fastest = &ranking.places[0].row;
///     println!("{}: {} in {}", ranking.machine.name, fastest.policies[0], fastest.outcome.timed());
/// }
/// # Ok::<(), tradewind_worlds::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// The program with its inputs.
    pub subject: Subject,
    /// The machines.
    pub targets: Vec<Target>,
    /// The number of nodes on every machine.
    pub nodes: u32,
    /// The number of processors of each node.
    pub processors: u32,
    /// The number of the program's threads on each computing processor.
    pub threads: u32,
    /// The policies; if empty, every preset that a machine can do.
    pub policies: Vec<Policy>,
    /// The mechanisms; if empty, every mechanism that the program is written for and a machine can do.
    pub mechanisms: Vec<Mechanism>,
    /// The number of runs of each combination on this host. A model gives the same result every time and runs
    /// once.
    pub repeat: u32,
    /// The seed of everything left to chance.
    pub seed: u64,
    /// The time without any progress after which a run is given up, in the world's own time; `None` for no
    /// limit.
    pub stall_limit: Option<Time>,
}

/// A run of a comparison that is about to begin.
#[derive(Clone, Copy, Debug)]
pub struct Step<'c> {
    /// The number of finished runs of the comparison, including those that a refusal left out.
    pub done: usize,
    /// The number of all runs of the comparison.
    pub all: usize,
    /// The machine.
    pub target: &'c Target,
    /// The mechanism by which data moves.
    pub mechanism: Mechanism,
    /// The policy: which processors inject messages and run handlers, and when.
    pub policy: &'c Policy,
    /// The number of this run of its combination, from 1.
    pub run: u32,
    /// The number of runs of the combination.
    pub runs: u32,
}

/// The result of a comparison on one machine.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The machine.
    pub target: Target,
    /// Every combination that ran to its end, in the order in which they ran.
    pub ran: Vec<(Setting, Combination)>,
    /// The combinations that were asked for and that the machine cannot do.
    pub refused: Vec<Refusal>,
    /// The runs that began and did not end well.
    pub failed: Vec<Refusal>,
}

/// The combinations of a machine that are to be run, and those that it cannot do.
#[derive(Default)]
struct Ways {
    run: Vec<(Mechanism, Policy)>,
    refused: Vec<Refusal>,
}

impl Comparison {
    /// A comparison of a program on these machines: 4 nodes of 2 processors, one thread on each computing processor, every policy
    /// and mechanism, 5 runs of each combination on this host, the seed 1.
    pub fn new(subject: Subject, targets: Vec<Target>) -> Self {
        Self {
            subject,
            targets,
            nodes: 4,
            processors: 2,
            threads: 1,
            policies: Vec::new(),
            mechanisms: Vec::new(),
            repeat: 5,
            seed: 1,
            stall_limit: None,
        }
    }

    /// Runs everything, machine by machine in the order of the targets, and calls `tell` before each run.
    pub fn run(&self, mut tell: impl FnMut(Step<'_>)) -> Vec<Compared> {
        let ways: Vec<_> = self.targets.iter().map(|target| self.ways(target)).collect();
        let runs = |(target, ways): (&Target, &Ways)| ways.run.len() * self.runs(target) as usize;
        let all = self.targets.iter().zip(&ways).map(runs).sum();
        let mut done = 0;
        let on = |(target, ways): (&Target, Ways)| {
            let runs = self.runs(target);
            let mut compared = Compared {
                target: target.clone(),
                ran: Vec::new(),
                refused: ways.refused,
                failed: Vec::new(),
            };
            for (mechanism, policy) in ways.run {
                compared.add(self.setting(target, mechanism, policy.clone()), runs, |number| {
                    let (done, run) = (done + number as usize, number + 1);
                    tell(Step { done, all, target, mechanism, policy: &policy, run, runs });
                });
                done += runs as usize;
            }
            compared
        };
        self.targets.iter().zip(ways).map(on).collect()
    }

    /// The number of runs of each combination on a machine.
    fn runs(&self, target: &Target) -> u32 {
        if target.is_native() { self.repeat } else { 1 }
    }

    /// The combinations to run on a machine, which are every mechanism under every policy, and those that it
    /// cannot do.
    fn ways(&self, target: &Target) -> Ways {
        let asked = self.mechanisms.as_slice();
        let mechanisms = if asked.is_empty() { self.subject.entry.mechanisms } else { asked };
        let mut ways = Ways::default();
        for &mechanism in mechanisms {
            let policies = self.policies_on(mechanism, target);
            if policies.is_empty() {
                ways.refused.push(self.lacking(mechanism, target));
            }
            ways.run.extend(policies.into_iter().map(|policy| (mechanism, policy)));
        }
        // What nobody asked for and a machine cannot do goes without saying, unless there is nothing else to say.
        if asked.is_empty() && !ways.run.is_empty() {
            ways.refused.clear();
        }
        ways
    }

    /// The policies to run: those asked for, or every preset that the machine can do. The machine itself
    /// refuses a policy that was asked for and that it cannot do.
    fn policies_on(&self, mechanism: Mechanism, target: &Target) -> Vec<Policy> {
        if !self.policies.is_empty() {
            return self.policies.clone();
        }
        let can = |policy: &Policy| self.check(mechanism, policy, target).is_ok();
        // A machine that dispatches one event at a time has the policies that are keyed elsewhere in that order.
        presets()
            .filter_map(|policy| if can(&policy) { Some(policy) } else { serial(&policy).filter(can) })
            .collect()
    }

    fn check(&self, mechanism: Mechanism, policy: &Policy, target: &Target) -> Result<(), tempest::Refusal> {
        target.check(mechanism, policy)?;
        policy.split(self.processors).map(|_| ())
    }

    /// The reason why a machine can do a mechanism under no policy.
    fn lacking(&self, mechanism: Mechanism, target: &Target) -> Refusal {
        let why: Vec<_> = presets()
            .filter_map(|policy| self.check(mechanism, &policy, target).err())
            .map(|refusal| refusal.to_string())
            .collect();
        let first = why.first().cloned().unwrap_or_default();
        // A reason that every policy shares is the mechanism's.
        let reason = match why.iter().all(|why| *why == first) {
            true => first,
            false => format!("no policy can be had; {first}"),
        };
        Refusal { mechanism, policy: None, reason: target.refusing(reason) }
    }

    fn setting(&self, target: &Target, mechanism: Mechanism, policy: Policy) -> Setting {
        Setting {
            subject: self.subject.clone(),
            target: target.clone(),
            mechanism,
            nodes: self.nodes,
            processors: self.processors,
            threads: self.threads,
            policy,
            seed: self.seed,
            stall_limit: self.stall_limit,
            trace: None,
        }
    }
}

impl Compared {
    /// Ranks the combinations: right answers first, the fastest first.
    pub fn ranking(self) -> Ranking {
        let ran = self.ran.into_iter().map(|(_, ran)| ran).collect();
        Ranking::new(self.target.described(), ran, self.refused, self.failed)
    }

    /// Runs a combination and stores its result. A failure of one run does not keep the others from being
    /// reported.
    fn add(&mut self, setting: Setting, runs: u32, tell: impl FnMut(u32)) {
        let refusal = |reason: String| Refusal {
            mechanism: setting.mechanism,
            policy: Some(setting.policy.to_string()),
            reason,
        };
        match setting.measure(runs, tell) {
            Ok(ran) => self.ran.push((setting, ran)),
            Err(Error::Wrong(mistakes)) => {
                let told: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
                self.refused.push(refusal(told.join("; ")));
            }
            Err(failure) => self.failed.push(refusal(failure.to_string())),
        }
    }
}

/// Every preset, with one dedicated processor and with two.
fn presets() -> impl Iterator<Item = Policy> {
    let texts = PRESETS.iter().flat_map(|preset| match preset.counted {
        true => vec![format!("{}:1", preset.name), format!("{}:2", preset.name)],
        false => vec![preset.name.to_owned()],
    });
    texts.filter_map(|text| text.parse().ok())
}

/// A policy with handlers that run one at a time; `None` if its handlers do so already.
fn serial(policy: &Policy) -> Option<Policy> {
    let keyed = policy.dispatch == Dispatch::Keyed;
    keyed.then(|| format!("{policy}+serial").parse().ok()).flatten()
}
