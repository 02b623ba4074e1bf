//! `tradewind compare`: one program by every mechanism under every policy on several machines, every answer checked,
//! ranked.

use std::io::Write;
use std::process::ExitCode;

use tempest::policy::{Dispatch, PRESETS};
use tempest::{Mechanism, Policy};

use crate::agreement::{self, Agreement, World};
use crate::arguments::{Common, Compare};
use crate::measure::{Setting, Subject};
use crate::numbers::Numbers;
use crate::page::Page;
use crate::progress::Progress;
use crate::ranking::Ranking;
use crate::refusals::Refusal;
use crate::target::{self, NATIVE, Target};
use crate::{Problem, both, json, names, text};

/// A comparison as asked for: understood, and not yet run.
struct Plan<'a> {
    numbers: Numbers,
    /// Of each machine, and processors of each node.
    nodes: u32,
    processors: u32,
    policies: Vec<Policy>,
    mechanisms: Vec<Mechanism>,
    subject: &'a Subject,
}

/// A comparison that has been run.
pub(crate) struct Comparison<'a> {
    pub(crate) common: &'a Common,
    pub(crate) subject: &'a Subject,
    pub(crate) nodes: u32,
    pub(crate) processors: u32,
    pub(crate) rankings: &'a [Ranking<'a>],
}

/// Runs everything and reports.
pub(crate) fn compare(arguments: &Compare, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let common = &arguments.common;
    let asked = both(
        names::policies(&arguments.policy),
        Subject::find(common, &arguments.mechanism, |entry| entry.mechanisms),
    );
    let asked = both(Numbers::of_compare(arguments), asked);
    let (targets, (numbers, (policies, (subject, mechanisms)))) =
        both(find_targets(&arguments.machine, &common.settings), asked)?;
    let [nodes, processors] = [numbers.nodes, numbers.processors].map(Option::unwrap_or_default);
    let plan = Plan { numbers, nodes, processors, policies, mechanisms, subject: &subject };
    let rankings = plan.run(&targets)?;
    if rankings.iter().all(|ranking| ranking.places.is_empty() && ranking.failed.is_empty()) {
        return Err(Problem::Wrong(reasons(&rankings)));
    }
    let comparison = Comparison { common, subject: &subject, nodes, processors, rankings: &rankings };
    if common.json {
        json::write(out, &json::compare(&comparison))?;
    } else {
        text::compare(out, &Page::find(plan.numbers.width), &comparison)?;
    }
    let verified =
        rankings.iter().all(|ranking| ranking.right() == ranking.ran() && ranking.failed.is_empty());
    Ok(if verified { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What the machines say together, if there are several.
pub(crate) fn agree<'r>(rankings: &'r [Ranking<'_>]) -> Option<Agreement<'r>> {
    let world = |ranking: &'r Ranking<'_>| World {
        machine: ranking.target.name(),
        file: ranking.target.file(),
        rows: ranking.rows(),
    };
    agreement::compare(&rankings.iter().map(world).collect::<Vec<_>>())
}

/// Why nothing could run, each reason once: what is wrong with the size is wrong under every policy.
fn reasons(rankings: &[Ranking<'_>]) -> Vec<String> {
    let mut reasons = Vec::new();
    for Refusal { reason, .. } in rankings.iter().flat_map(|ranking| &ranking.refused) {
        if !reasons.contains(reason) {
            reasons.push(reason.clone());
        }
    }
    reasons
}

/// The machines of these names, each once, the models with these settings.
pub(crate) fn find_targets(machines: &[String], settings: &[String]) -> Result<Vec<Target>, Problem> {
    let (settings, verdict) = target::settings(settings);
    // Settings are values of models; in a comparison with this host they concern the models alone.
    let find = |name: &String| match name == NATIVE && machines.len() > 1 {
        true => Target::find(name, &[]),
        false => Target::find(name, &settings),
    };
    let mut mistakes = Vec::new();
    let mut targets = Vec::new();
    for (index, name) in machines.iter().enumerate() {
        if machines[..index].iter().any(|earlier| target::is_same(earlier, name)) {
            mistakes.push(format!("--machine {name}: given twice; expected each machine once"));
            continue;
        }
        match find(name) {
            Ok(target) => targets.push(target),
            Err(Problem::Wrong(lines)) => mistakes.extend(lines),
            Err(other) => return Err(other),
        }
    }
    let targets = if mistakes.is_empty() { Ok(targets) } else { Err(Problem::Wrong(mistakes)) };
    both(verdict, targets).map(|((), targets)| targets)
}

/// What there is to run on a machine, and what it cannot have.
#[derive(Default)]
struct Ways {
    run: Vec<(Mechanism, Policy)>,
    refused: Vec<Refusal>,
}

/// Every preset, with one dedicated processor and with two.
fn presets() -> impl Iterator<Item = Policy> {
    let texts = PRESETS.iter().flat_map(|preset| match preset.counted {
        true => vec![format!("{}:1", preset.name), format!("{}:2", preset.name)],
        false => vec![preset.name.to_owned()],
    });
    texts.filter_map(|text| text.parse().ok())
}

/// The same with handlers that run one at a time, if it is not that already.
fn serial(policy: &Policy) -> Option<Policy> {
    let keyed = policy.dispatch == Dispatch::Keyed;
    keyed.then(|| format!("{policy}+serial").parse().ok()).flatten()
}

impl<'a> Plan<'a> {
    fn run<'t>(&self, targets: &'t [Target]) -> Result<Vec<Ranking<'t>>, Problem>
    where
        'a: 't,
    {
        let ways: Vec<_> = targets.iter().map(|target| self.ways(target)).collect();
        let runs = |(target, ways): (&Target, &Ways)| ways.run.len() * self.repeat(target) as usize;
        let progress = Progress::new(targets.iter().zip(&ways).map(runs).sum());
        targets.iter().zip(ways).map(|(target, ways)| self.rank(target, ways, &progress)).collect()
    }

    /// How often each way is run on a machine.
    fn repeat(&self, target: &Target) -> u32 {
        if target.is_native() { self.numbers.repeat } else { 1 }
    }

    /// What to run on a machine, which is every mechanism under every policy, and what it cannot have.
    fn ways(&self, target: &Target) -> Ways {
        let asked = &self.mechanisms;
        let mechanisms = if asked.is_empty() { self.subject.entry.mechanisms } else { asked };
        let mut ways = Ways::default();
        for &mechanism in mechanisms {
            let policies = self.policies(mechanism, target);
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

    /// The policies to run: those asked for, or every preset that the machine can do. What was asked for and cannot be
    /// done the machine refuses itself.
    fn policies(&self, mechanism: Mechanism, target: &Target) -> Vec<Policy> {
        if !self.policies.is_empty() {
            return self.policies.clone();
        }
        let can = |policy: &Policy| self.check(mechanism, policy, target).is_ok();
        // A machine that dispatches one event at a time has the policies that are keyed elsewhere in that order.
        presets()
            .filter_map(|policy| if can(&policy) { Some(policy) } else { serial(&policy).filter(can) })
            .collect()
    }

    fn check(&self, mechanism: Mechanism, policy: &Policy, target: &Target) -> Result<(), String> {
        target.check(mechanism, policy)?;
        policy.split(self.processors).map(|_| ())
    }

    /// Why a machine can do a mechanism under no policy.
    fn lacking(&self, mechanism: Mechanism, target: &Target) -> Refusal {
        let why: Vec<_> =
            presets().filter_map(|policy| self.check(mechanism, &policy, target).err()).collect();
        let first = why.first().cloned().unwrap_or_default();
        // A reason that is the same under every policy is the mechanism's.
        let reason = match why.iter().all(|why| *why == first) {
            true => first,
            false => format!("no policy can be had; {first}"),
        };
        Refusal { mechanism, policy: None, reason: target.refusing(reason) }
    }

    fn rank<'t>(&self, target: &'t Target, ways: Ways, progress: &Progress) -> Result<Ranking<'t>, Problem>
    where
        'a: 't,
    {
        let repeat = self.repeat(target);
        let (mut ran, mut refused, mut failed) = (Vec::new(), ways.refused, Vec::new());
        for (mechanism, policy) in ways.run {
            let way = format!("{} by {mechanism} under {policy}", target.label());
            let setting = self.setting(target, mechanism, policy.clone());
            let mut done = 0;
            let measured = setting.measure(repeat, |number| {
                (done..number).for_each(|_| progress.step());
                done = number;
                progress.begin(match repeat {
                    1 => way.clone(),
                    _ => format!("{way}, run {} of {repeat}", number + 1),
                });
            });
            // Those that a refusal or failure leaves out are over, too.
            (done..repeat).for_each(|_| progress.step());
            match measured {
                Ok(measured) => ran.push((setting, measured)),
                Err(Problem::Wrong(why)) => {
                    refused.push(Refusal { mechanism, policy: Some(policy), reason: why.join("; ") });
                }
                // What one run says of itself is no reason to be silent about the others.
                Err(Problem::Failed(reason)) => {
                    failed.push(Refusal { mechanism, policy: Some(policy), reason });
                }
                Err(other) => return Err(other),
            }
        }
        Ok(Ranking { refused, failed, ..Ranking::new(target, ran) })
    }

    fn setting<'t>(&self, target: &'t Target, mechanism: Mechanism, policy: Policy) -> Setting<'t>
    where
        'a: 't,
    {
        Setting {
            subject: self.subject,
            target,
            mechanism,
            nodes: self.nodes,
            processors: self.processors,
            threads: self.numbers.threads,
            policy,
            seed: self.numbers.seed,
            stall_limit: self.numbers.stall_limit,
            trace: None,
        }
    }
}
