//! The promises of the waist and of the protocols over it, as functions run against every world.
//!
//! Each promise is a small program and what must come of it. A world's tests call [`run_all`] with the policies
//! it obeys; a broken promise panics and says which one, under which policy, and what happened instead.
//!
//! | module | promises |
//! |---|---|
//! | `barrier` | a barrier lets nobody leave before everybody has come |
//! | `order` | messages of one source, destination and key arrive in happens-before order |
//! | `exclusion` | equal keys never overlap, a sequential handler runs alone, holds are events like others |
//! | `flood` | everything arrives exactly once, however little room there is |
//! | `chain` | nodes send to themselves; a world does not end while something is in flight |
//! | `payload` | messages and payloads of every length arrive as they were sent |
//! | `placement` | transfers and deposits put every word in its place before anybody is told |
//! | `split_phase` | split-phase accesses land exactly once, and waits for them mean what they say |
//! | `waiting` | waits end when the count is reached, and not before |
//! | `deadlock` | threads that wait in vain are reported, exactly |
//! | `breach` | a program that breaks the rules fails, and only the program |
//! | `phases` | all threads agree on timed regions; what can be repeated is |
//!
//! Programs here use only what any program may. They never look at a clock, and none depends on how fast
//! anything is. This room must never know any implementation of a world.

#![forbid(unsafe_code)]

mod barrier;
mod breach;
mod chain;
mod deadlock;
mod exclusion;
mod flood;
mod order;
mod payload;
mod phases;
mod placement;
mod setting;
mod split_phase;
mod waiting;

pub use barrier::*;
pub use breach::*;
pub use chain::*;
pub use deadlock::*;
pub use exclusion::*;
pub use flood::*;
pub use order::*;
pub use payload::*;
pub use phases::*;
pub use placement::*;
pub use setting::Setting;
pub use split_phase::*;
pub use waiting::*;

use tempest::{Policy, World};

/// A promise: its name, and what panics if it is broken.
pub type Promise = (&'static str, fn(&Setting<'_>));

/// Every promise, by name.
pub fn promises() -> &'static [Promise] {
    macro_rules! table {
        ($($promise:ident)*) => { &[$((stringify!($promise), $promise)),*] };
    }
    table! {
        order_of_a_stream
        order_across_threads
        order_across_handlers
        order_across_holds
        order_from_a_hold_to_a_handler
        equal_keys_exclude
        sequential_runs_alone
        holds_exclude_handlers
        everything_arrives_once
        handlers_send_without_waiting
        sends_go_on_after_a_pause
        self_sends
        ending_waits_for_messages
        payloads_of_every_length
        transfers_of_every_length
        handlers_transfer_without_waiting
        deposits_are_counted
        placement_precedes_messages
        threads_take_turns
        one_signal_resumes_all_it_satisfies
        waits_survive_stray_resumes
        blocks_end_with_their_waiter
        deadlock_names_who_waits
        deadlock_of_all
        deadlock_of_deposits
        panic_of_a_thread_is_the_programs
        panic_of_a_handler_is_the_programs
        panic_in_a_hold_is_the_programs
        messages_have_a_greatest_length
        messages_must_be_registered
        messages_need_a_destination
        words_need_a_place
        barriers_hold_everybody
        split_phase_is_memory
        store_sync_counts_bytes
        all_store_sync_waits_for_stores
        procedures_are_atomic
        keyed_state_needs_its_key
        holds_give_nothing_away
        phases_agree
        runs_repeat
    }
}

/// Runs every promise under every policy, on `nodes` nodes of `processors` processors.
///
/// # Panics
/// If a policy does not parse, the world refuses it, or a promise is broken.
pub fn run_all(world: &dyn World, policies: &[&str], nodes: u32, processors: u32) {
    for text in policies {
        let policy: Policy = text.parse().unwrap_or_else(|error| panic!("policy `{text}`: {error}"));
        let setting = Setting { world, policy: &policy, nodes, processors };
        promises().iter().for_each(|(_, promise)| promise(&setting));
    }
}
