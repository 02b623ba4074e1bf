//! A message between two nodes that do nothing else, measured by a run of the program that measures it. This module must never know a
//! price.

use report::document::OneWay;
use units::Time;
use worlds::{Run, Target};

use crate::house::House;

/// The program: handlers answer handlers.
const PROGRAM: &str = "active-message";

/// The nodes that the program needs, and so many round trips that where a run begins and ends does not show.
const NODES: u32 = 2;
const ROUNDS: &str = "500";

/// The longest that nothing may happen in a run: processors look for messages all the while, so a message that takes longer is not
/// measured.
const LONGEST: Time = Time::from_microseconds(100);

/// The message under each policy; nothing where the command does not have the program, the machine refuses the run, or a message takes
/// too long.
pub(super) fn measure(house: &House, target: &Target, policies: &[String]) -> Vec<OneWay> {
    let Ok(program) = house.programs.find(PROGRAM) else { return Vec::new() };
    let one_way = |policy: &String| {
        let run =
            Run::of(program).on(target.clone()).nodes(NODES).input("rounds", ROUNDS).stall_limit(LONGEST);
        let outcome = run.policy(policy.parse().ok()?).run().ok()?;
        OneWay::of(policy, &outcome.report, &outcome.anatomy)
    };
    policies.iter().filter_map(one_way).collect()
}
