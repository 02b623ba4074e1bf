//! The promises of the waist and of the protocols over it, as functions run against every world.
//!
//! Each promise is a small program and its required result. A world's tests call [`run_all`] with the policies it
//! obeys; a broken promise panics and names the promise, the policy and the actual result.
//!
//! | module | promises |
//! |---|---|
//! | `barrier` | a barrier lets no thread leave before every thread has come |
//! | `order` | messages of one source, destination and key arrive in happens-before order |
//! | `exclusion` | equal keys never overlap, a sequential handler runs alone, holds are events like others |
//! | `flood` | everything arrives exactly once, however little room there is |
//! | `locks` | a lock is held by one thread at a time, and every thread gets it in the end |
//! | `chain` | nodes send to themselves; a world does not end while something is in flight |
//! | `composition` | protocols that build on the same one share it, or are refused |
//! | `mapped` | memory of other nodes that is mapped is memory |
//! | `mapped_order` | a put into mapped memory is visible to every thread that is told of it |
//! | `payload` | messages and payloads of every length arrive as they were sent |
//! | `placement` | transfers and deposits put every word in its place before any thread is told |
//! | `prefetch` | shared memory that is prefetched is memory |
//! | `reduction` | a reduction has one answer to the bit, a broadcast brings the sender's words |
//! | `scan` | a running reduction has one answer to the bit |
//! | `split_phase` | split-phase accesses land exactly once, and waits for them end at the right time |
//! | `split_phase_widths` | and so do accesses to words of 4 bytes, by messages, transfers and directly |
//! | `shared_memory` | no store to shared memory is lost or seen late, however few blocks and frames there are |
//! | `shared_memory_order` | shared memory is sequentially consistent across nodes, and refuses impossible requests |
//! | `telling` | a thread that waits for a word of shared memory notices tells of threads of its own node |
//! | `downgrade` | a right to shared memory is taken away after the accesses that it allowed |
//! | `spinning` | a thread that spins is told of messages that came while it held a key |
//! | `horizon` | a thread that computes, polls and tests a count sees the handlers up to its clock, and ends |
//! | `waiting` | waits end when the count is reached, and not before |
//! | `deadlock` | threads that wait in vain are reported, exactly |
//! | `stacks` | a handler has its stack, however deep the thread beneath it is |
//! | `breach` | a program that breaks the rules fails, and only the program |
//! | `disposal` | a destructor of the program's state that panics fails the run |
//! | `unwinding` | actions of destructors and caught panics hide no failure and keep no run from ending |
//! | `misuse` | a program that mixes up its nodes, or names a missing object, is told so |
//! | [`explorer`] | every state of the coherence protocol's tables, searched without any world |
//! | [`random`] | randomly generated programs end as a sequential oracle says |
//! | `widths` | words of 1, 2, 4 and 8 bytes are memory, each by itself |
//! | `phases` | all threads agree on timed regions; repeatable runs repeat |
//!
//! Programs here use only the public interface of any program. None but `horizon` looks at a clock, and none depends on
//! how fast anything is. This room must never know any implementation of a world.

#![forbid(unsafe_code)]

mod barrier;
mod breach;
mod chain;
mod composition;
mod deadlock;
mod disposal;
mod downgrade;
mod exclusion;
pub mod explorer;
mod false_sharing;
mod flood;
mod horizon;
mod locks;
mod mapped;
mod mapped_order;
mod misuse;
mod moving_homes;
mod order;
mod payload;
mod phases;
mod placement;
mod prefetch;
pub mod random;
mod reduction;
mod scan;
mod setting;
mod shared_memory;
mod shared_memory_order;
mod spinning;
mod split_phase;
mod split_phase_widths;
mod stacks;
mod telling;
mod unwinding;
mod waiting;
mod widths;

pub use barrier::*;
pub use breach::*;
pub use chain::*;
pub use composition::*;
pub use deadlock::*;
pub use disposal::*;
pub use downgrade::*;
pub use exclusion::*;
pub use false_sharing::*;
pub use flood::*;
pub use horizon::*;
pub use locks::*;
pub use mapped::*;
pub use mapped_order::*;
pub use misuse::*;
pub use moving_homes::*;
pub use order::*;
pub use payload::*;
pub use phases::*;
pub use placement::*;
pub use prefetch::*;
pub use reduction::*;
pub use scan::*;
pub use setting::Setting;
pub use shared_memory::*;
pub use shared_memory_order::*;
pub use spinning::*;
pub use split_phase::*;
pub use split_phase_widths::*;
pub use stacks::*;
pub use telling::*;
pub use unwinding::*;
pub use waiting::*;
pub use widths::*;

use tempest::Policy;
use tempest::entry::Coherence;
use tempest::world::World;

/// A promise: its name, and the function that panics if it is broken.
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
        handlers_have_their_stack
        sends_go_on_after_a_pause
        tries_to_send_receive
        self_sends
        ending_waits_for_messages
        payloads_of_every_length
        transfers_of_every_length
        transfers_gather_and_scatter
        handlers_transfer_without_waiting
        deposits_are_counted
        placement_precedes_messages
        segments_hold_words_of_every_width
        mapped_segments_are_memory
        puts_precede_what_tells_of_them
        threads_take_turns
        one_signal_resumes_all_it_satisfies
        counts_are_those_of_the_clock
        cells_are_those_of_the_clock
        messages_are_handled_after_they_are_sent
        waits_survive_stray_resumes
        blocks_end_with_their_waiter
        deadlock_names_who_waits
        deadlock_of_all
        deadlock_of_deposits
        panic_of_a_thread_is_the_programs
        panic_outside_of_a_run_is_the_programs
        panic_when_state_is_dropped_is_the_programs
        panic_of_a_handler_is_the_programs
        panic_in_a_hold_is_the_programs
        a_handlers_panic_ends_the_run_whoever_catches_it
        a_panic_in_a_hold_ends_the_run_whoever_catches_it
        a_thread_may_catch_its_own_panic
        destructors_may_act_when_a_run_fails
        destructors_may_act_at_a_deadlock
        rights_may_be_missing_when_a_run_is_unwound
        runs_end_whatever_their_threads_catch
        unwinding_gives_nothing_away
        messages_have_a_greatest_length
        messages_must_be_registered
        messages_need_a_destination
        deposits_need_a_place
        deposits_need_the_right
        transfers_need_a_place
        transfers_need_the_right
        barriers_hold_everybody
        tree_barriers_hold_everybody
        shared_barriers_hold_everybody
        locks_exclude
        locks_starve_nobody
        a_lock_taken_twice_is_a_deadlock
        reductions_are_exact
        broadcasts_reach_everybody
        shared_collectives_are_exact
        scans_are_exact
        shared_scans_are_exact
        collectives_must_agree
        protocols_share_an_instance
        protocols_have_one_configuration
        split_phase_is_memory
        split_phase_holds_words_of_four_bytes
        store_sync_counts_bytes
        all_store_sync_waits_for_stores
        procedures_are_atomic
        posts_are_counted
        rights_outlast_their_accesses
        rights_are_taken_away_by_handlers
        rights_come_to_threads_however_deep
        shared_memory_is_memory
        shared_memory_fits_its_frames
        shared_blocks_are_shared_falsely
        shared_blocks_are_prefetched
        first_touch_is_memory
        moving_homes_are_memory
        moving_homes_follow_their_user
        moving_homes_do_not_thrash
        shared_memory_holds_words_of_every_width
        shared_memory_passes_messages
        shared_memory_stores_before_it_loads
        shared_memory_refuses_what_is_not_there
        shared_memory_tells_who_waits
        keyed_state_needs_its_key
        holds_give_nothing_away
        waiters_need_a_thread
        rights_need_a_block
        events_have_one_node
        events_count_to_the_end
        private_arrays_are_as_declared
        nodes_install_alike
        sizes_are_not_wrapped
        phases_agree
        runs_repeat
    }
}

/// The promises that need only shared memory, by name: a machine whose hardware runs the protocol keeps them.
pub fn shared_memory_promises() -> Vec<Promise> {
    promises().iter().copied().filter(|(name, _)| name.starts_with("shared_memory_")).collect()
}

/// A promise of every protocol that keeps shared memory coherent: its name, and the function that panics if the
/// protocol breaks it.
pub type CoherencePromise = (&'static str, fn(&Setting<'_>, &'static Coherence));

/// The promises of every protocol that keeps shared memory coherent, by name.
pub const COHERENCE: &[CoherencePromise] = &[
    ("memory_is_coherent", memory_is_coherent),
    ("memory_passes_messages", memory_passes_messages),
    ("memory_stores_before_it_loads", memory_stores_before_it_loads),
];

/// Holds a protocol for shared memory against every promise of [`COHERENCE`] under every policy, on `nodes` nodes of
/// `processors` processors.
///
/// # Panics
/// If a policy does not parse, the world refuses it, or the protocol breaks a promise: the message says which one.
pub fn run_coherence(
    protocol: &'static Coherence,
    world: &dyn World,
    policies: &[&str],
    nodes: u32,
    processors: u32,
) {
    for text in policies {
        let policy: Policy = text.parse().unwrap_or_else(|error| panic!("policy `{text}`: {error}"));
        let setting = Setting { world, policy: &policy, nodes, processors };
        COHERENCE.iter().for_each(|(_, promise)| promise(&setting, protocol));
    }
}

/// Runs every promise under every policy, on `nodes` nodes of `processors` processors.
///
/// # Panics
/// If a policy does not parse, the world refuses it, or a promise is broken.
pub fn run_all(world: &dyn World, policies: &[&str], nodes: u32, processors: u32) {
    run(promises(), world, policies, nodes, processors);
}

/// Runs the given promises under every policy, on `nodes` nodes of `processors` processors.
///
/// # Panics
/// If a policy does not parse, the world refuses it, or a promise is broken.
pub fn run(promises: &[Promise], world: &dyn World, policies: &[&str], nodes: u32, processors: u32) {
    for text in policies {
        let policy: Policy = text.parse().unwrap_or_else(|error| panic!("policy `{text}`: {error}"));
        let setting = Setting { world, policy: &policy, nodes, processors };
        promises.iter().for_each(|(_, promise)| promise(&setting));
    }
}
