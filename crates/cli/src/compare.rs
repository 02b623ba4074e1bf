//! `tradewind compare`: one program by every mechanism under every policy on several machines, every answer checked,
//! ranked.

use std::io::Write;
use std::process::ExitCode;

use tempest::policy::PRESETS;
use tempest::{Mechanism, Policy};

use crate::arguments::Compare;
use crate::measure::{Setting, Subject};
use crate::page::Page;
use crate::progress::Progress;
use crate::ranking::{Ranking, Row};
use crate::target::{NATIVE, Target, settings};
use crate::{Problem, agreement, both, json, names, text};

/// A comparison as asked for: understood, and not yet run.
struct Plan<'a> {
    arguments: &'a Compare,
    policies: Vec<Policy>,
    mechanisms: Vec<Mechanism>,
    subject: &'a Subject,
}

/// Runs everything and reports.
pub(crate) fn compare(arguments: &Compare, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let common = &arguments.common;
    let asked = both(names::policies(&arguments.policy), Subject::find(common, &arguments.mechanism));
    let (targets, (policies, (subject, mechanisms))) = both(find_targets(arguments), asked)?;
    let plan = Plan { arguments, policies, mechanisms, subject: &subject };
    let rankings = plan.run(&targets)?;
    if rankings.iter().all(|ranking| ranking.places.is_empty()) {
        return Err(Problem::Wrong(reasons(&rankings)));
    }
    if common.json {
        json::write(out, &json::compare(&subject, arguments, &rankings))?;
    } else {
        text::compare(out, &Page::find(common.width), &subject, arguments, &rankings)?;
    }
    let verified = rankings.iter().all(|ranking| ranking.right() == ranking.ran());
    Ok(if verified { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What the machines say together, if there are several.
pub(crate) fn agree<'r>(rankings: &'r [Ranking<'_>]) -> Option<agreement::Agreement<'r>> {
    let worlds: Vec<(&str, Vec<&Row>)> =
        rankings.iter().map(|ranking| (ranking.target.name(), ranking.rows())).collect();
    agreement::compare(&worlds)
}

/// Why nothing could run, each reason once: what is wrong with the size is wrong under every policy.
fn reasons(rankings: &[Ranking<'_>]) -> Vec<String> {
    let mut reasons = Vec::new();
    for (.., why) in rankings.iter().flat_map(|ranking| &ranking.refused) {
        if !reasons.contains(why) {
            reasons.push(why.clone());
        }
    }
    reasons
}

fn find_targets(arguments: &Compare) -> Result<Vec<Target>, Problem> {
    let settings = settings(&arguments.common.settings);
    let given = settings.as_deref().unwrap_or_default();
    // Settings are values of models; in a comparison with this host they concern the models alone.
    let find = |name: &String| match name == NATIVE && arguments.machine.len() > 1 {
        true => Target::find(name, &[]),
        false => Target::find(name, given),
    };
    let mut mistakes = Vec::new();
    let mut targets = Vec::new();
    for name in &arguments.machine {
        match find(name) {
            Ok(target) => targets.push(target),
            Err(Problem::Wrong(lines)) => mistakes.extend(lines),
            Err(other) => return Err(other),
        }
    }
    let targets = if mistakes.is_empty() { Ok(targets) } else { Err(Problem::Wrong(mistakes)) };
    both(settings, targets).map(|(_, targets)| targets)
}

impl<'a> Plan<'a> {
    fn run<'t>(&self, targets: &'t [Target]) -> Result<Vec<Ranking<'t>>, Problem>
    where
        'a: 't,
    {
        let ways: Vec<_> = targets.iter().map(|target| self.ways(target)).collect();
        let progress = Progress::new(ways.iter().map(Vec::len).sum());
        targets.iter().zip(ways).map(|(target, ways)| self.rank(target, ways, &progress)).collect()
    }

    /// What to run on a machine: every mechanism under every policy.
    fn ways(&self, target: &Target) -> Vec<(Mechanism, Policy)> {
        let asked = &self.mechanisms;
        let mechanisms = if asked.is_empty() { self.subject.entry.mechanisms } else { asked };
        let policies = |&mechanism: &Mechanism| {
            self.policies(mechanism, target).into_iter().map(move |policy| (mechanism, policy))
        };
        mechanisms.iter().flat_map(policies).collect()
    }

    /// The policies to run: those asked for, or every preset, with one dedicated processor and, where there is room,
    /// two. What a machine cannot do it refuses itself; presets that nobody asked for then go without saying.
    fn policies(&self, mechanism: Mechanism, target: &Target) -> Vec<Policy> {
        if !self.policies.is_empty() {
            return self.policies.clone();
        }
        let texts = PRESETS.iter().flat_map(|preset| match preset.counted {
            true => vec![format!("{}:1", preset.name), format!("{}:2", preset.name)],
            false => vec![preset.name.to_owned()],
        });
        let is_possible = |policy: &Policy| {
            policy.split(self.arguments.processors).is_ok() && target.can(mechanism, policy)
        };
        texts.filter_map(|text| text.parse().ok()).filter(is_possible).collect()
    }

    fn rank<'t>(
        &self,
        target: &'t Target,
        ways: Vec<(Mechanism, Policy)>,
        progress: &Progress,
    ) -> Result<Ranking<'t>, Problem>
    where
        'a: 't,
    {
        let repeat = if target.is_native() { self.arguments.repeat } else { 1 };
        let (mut ran, mut refused) = (Vec::new(), Vec::new());
        for (mechanism, policy) in ways {
            progress.begin(format!("{} by {mechanism} under {policy}", target.name()));
            let setting = self.setting(target, mechanism, policy.clone());
            match setting.measure(repeat) {
                Ok(measured) => ran.push((setting, measured)),
                Err(Problem::Wrong(why)) => refused.push((mechanism, policy, why.join("; "))),
                Err(other) => return Err(other),
            }
            progress.step();
        }
        Ok(Ranking::new(target, ran, refused))
    }

    fn setting<'t>(&self, target: &'t Target, mechanism: Mechanism, policy: Policy) -> Setting<'t>
    where
        'a: 't,
    {
        let common = &self.arguments.common;
        Setting {
            subject: self.subject,
            target,
            mechanism,
            nodes: self.arguments.nodes,
            processors: self.arguments.processors,
            threads: common.threads,
            policy,
            seed: common.seed,
            stall_limit: common.stall_limit,
            trace: None,
        }
    }
}
