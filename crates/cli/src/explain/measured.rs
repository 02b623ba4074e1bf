//! A message between two nodes that do nothing else, measured by a run of the program that measures it. This module must never know a
//! price.

use report::document::{OneWay, Underived};
use tempest::outcome::Failure;
use units::Time;
use worlds::{Error, Run, Target};

use crate::app::App;

/// The program: handlers answer handlers.
const PROGRAM: &str = "active-message";

/// Number of nodes that the program needs, and of round trips that hide the begin and end of a run.
const NODES: u32 = 2;
const ROUNDS: &str = "500";

/// The longest that nothing may happen in a run: processors look for messages all the while, so a message that takes longer is not
/// measured.
const LONGEST: Time = Time::from_microseconds(100);

/// The message under each policy, and each policy under which it is not measured, with the reason.
pub(super) fn measure(app: &App, target: &Target, policies: &[String]) -> (Vec<OneWay>, Vec<Underived>) {
    let (mut measured, mut unmeasured) = (Vec::new(), Vec::new());
    for policy in policies {
        match one_way(app, target, policy) {
            Ok(way) => measured.push(way),
            Err(reason) => unmeasured.push(Underived { name: format!("one way, {policy}"), reason }),
        }
    }
    (measured, unmeasured)
}

/// # Errors
/// The reason why the message is not measured: the command does not have the program, the machine refuses the run, or a message takes
/// too long.
fn one_way(app: &App, target: &Target, policy: &str) -> Result<OneWay, String> {
    let program = app.programs.find(PROGRAM).map_err(|_| format!("this command has no `{PROGRAM}`"))?;
    let run = Run::of(program).on(target.clone()).nodes(NODES).input("rounds", ROUNDS).stall_limit(LONGEST);
    let outcome =
        run.policy(policy.parse().expect("the machine can run it")).run().map_err(|error| said(&error))?;
    let way = OneWay::of(policy, &outcome.report, &outcome.anatomy);
    way.ok_or_else(|| format!("`{PROGRAM}` reports no time of a message"))
}

/// The reason why a run has no result, on one line.
fn said(error: &Error) -> String {
    let all = match error {
        Error::Failed(run) if matches!(run.failure, Failure::Stalled { .. }) => {
            format!("nothing happened for {LONGEST} while a message travelled")
        }
        Error::Failed(run) => run.failure.to_string(),
        other => other.to_string(),
    };
    all.lines().next().unwrap_or_default().trim_end_matches(':').to_owned()
}
