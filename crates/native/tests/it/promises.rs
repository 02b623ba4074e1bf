//! The native world keeps the promises of the waist.

use tradewind_native::Local;

use crate::POLICIES;

#[test]
fn every_promise_holds_under_every_policy() {
    let _alone = crate::alone();
    conformance::run_all(&Local::new(), POLICIES, 2, 3);
    conformance::run_all(&Local::new(), &["single+every=8", "floating+every=3"], 2, 3);
}

#[test]
fn every_promise_holds_with_more_processors_than_any_host_has_cores() {
    let _alone = crate::alone();
    conformance::run_all(&Local::new(), &["single", "fixed:1", "floating", "partitioned:2"], 3, 4);
}

#[test]
fn every_promise_holds_when_rings_are_full_all_the_time() {
    let _alone = crate::alone();
    conformance::run_all(&Local::with_depths(2, 3), POLICIES, 3, 3);
}

/// The rings are of 16 messages, and 40 go round for each node.
#[test]
fn sends_of_threads_get_through_where_handlers_send_without_end() {
    let storm: [conformance::Promise; 1] =
        [("sends_get_through_a_storm", conformance::sends_get_through_a_storm)];
    conformance::run(&storm, &Local::with_depths(16, 16), POLICIES, 2, 3);
}

/// Whatever the roles of processors are and whenever they change.
#[test]
fn every_promise_holds_while_roles_change_without_end() {
    let _alone = crate::alone();
    let adaptive = &["adaptive", "adaptive+serial", "adaptive+helper=20us"];
    conformance::run_all(&Local::new().restless(), adaptive, 2, 3);
    conformance::run_all(&Local::with_depths(2, 3).restless(), adaptive, 3, 2);
}

/// Protocols, room, homes, blocks and threads' ways through the pages, as seeds have it.
#[test]
fn memory_under_random_settings_is_memory() {
    let _alone = crate::alone();
    let policies = &["single", "floating", "fixed:1", "adaptive"];
    conformance::drawn_memory_is_memory(&Local::new(), policies, conformance::random::seeds(24));
    conformance::drawn_memory_is_memory(&Local::with_depths(2, 3), policies, 24..32);
}
