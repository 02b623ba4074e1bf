//! `tradewind compare`: one program under every policy on several machines, every answer checked, ranked.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tempest::Policy;
use tempest::policy::PRESETS;

use crate::arguments::Compare;
use crate::measure::{Measured, Setting, Subject, target};
use crate::target::Target;
use crate::{Problem, both, json, text};

/// One machine's results, the fastest first.
pub(crate) struct Ranking<'a> {
    pub(crate) target: &'a Target,
    pub(crate) rows: Vec<(Setting<'a>, Measured)>,
    /// Policies that were asked for and cannot be had here, and why.
    pub(crate) refused: Vec<(Policy, String)>,
}

/// Runs everything and reports.
pub(crate) fn compare(arguments: &Compare, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let common = &arguments.common;
    let (targets, subject) = both(find_targets(arguments), Subject::find(common))?;
    let plans: Vec<_> = targets.iter().map(|target| policies(arguments, target)).collect();
    let progress = progress(plans.iter().map(Vec::len).sum());
    let mut rankings = Vec::new();
    for (target, policies) in targets.iter().zip(plans) {
        rankings.push(rank(arguments, &subject, target, policies, &progress)?);
    }
    progress.finish_and_clear();
    if rankings.iter().all(|ranking| ranking.rows.is_empty()) {
        let refused = rankings.iter().flat_map(|ranking| &ranking.refused).map(|(_, why)| why.clone());
        return Err(Problem::Wrong(refused.collect()));
    }
    if common.json {
        json::write(out, &json::compare(&subject, arguments, &rankings))?;
    } else {
        text::compare(out, &subject, arguments, &rankings)?;
    }
    let verified = rankings.iter().flat_map(|ranking| &ranking.rows).all(|(_, measured)| measured.verified());
    Ok(if verified { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn find_targets(arguments: &Compare) -> Result<Vec<Target>, Problem> {
    let common = &arguments.common;
    // Settings are values of models; in a comparison with this host they concern the models alone.
    let find = |name: &String| match name == crate::target::NATIVE && arguments.machine.len() > 1 {
        true => Target::find(name, &[]),
        false => target(name, common),
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
    if mistakes.is_empty() { Ok(targets) } else { Err(Problem::Wrong(mistakes)) }
}

/// The policies to run: those asked for, or every preset, with one dedicated processor and, where there is room, two.
/// What a machine cannot do it refuses itself; presets that nobody asked for then go without saying.
fn policies(arguments: &Compare, target: &Target) -> Vec<Policy> {
    if !arguments.policy.is_empty() {
        return arguments.policy.clone();
    }
    let texts = PRESETS.iter().flat_map(|preset| match preset.counted {
        true => vec![format!("{}:1", preset.name), format!("{}:2", preset.name)],
        false => vec![preset.name.to_owned()],
    });
    texts
        .filter_map(|text| text.parse().ok())
        .filter(|policy| is_possible(arguments, target, policy))
        .collect()
}

fn is_possible(arguments: &Compare, target: &Target, policy: &Policy) -> bool {
    policy.split(arguments.processors).is_ok() && target.can(policy)
}

fn rank<'a>(
    arguments: &Compare,
    subject: &'a Subject,
    target: &'a Target,
    policies: Vec<Policy>,
    progress: &ProgressBar,
) -> Result<Ranking<'a>, Problem> {
    let repeat = if target.is_native() { arguments.repeat } else { 1 };
    let mut ranking = Ranking { target, rows: Vec::new(), refused: Vec::new() };
    for policy in policies {
        progress.set_message(format!("{} under {policy}", target.name()));
        let common = &arguments.common;
        let setting = Setting {
            subject,
            target,
            nodes: arguments.nodes,
            processors: arguments.processors,
            threads: common.threads,
            policy: policy.clone(),
            seed: common.seed,
            stall_limit: common.stall_limit,
        };
        match setting.measure(repeat) {
            Ok(measured) => ranking.rows.push((setting, measured)),
            Err(Problem::Wrong(why)) => ranking.refused.push((policy, why.join("; "))),
            Err(other) => return Err(other),
        }
        progress.inc(1);
    }
    ranking.rows.sort_by_key(|(_, measured)| measured.median().timed());
    Ok(ranking)
}

fn progress(steps: usize) -> ProgressBar {
    let target = if std::io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg}").expect("the template is right");
    ProgressBar::with_draw_target(Some(steps as u64), target).with_style(style)
}
