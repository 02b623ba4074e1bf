//! A program that overflows a stack ends its process, and the world names the thread or the handler before. Shown by a child
//! process: this test binary again.
#![cfg(target_os = "linux")]

use std::hint::black_box;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use tempest::world::{Launch, World};
use tempest::{Event, FinalState, Handler, Job, NodeId, Protocol, Report, Setup, Thread, handlers};
use tradewind_sim::Model;

use crate::setup::machine;

/// Set in the child, and names the stack that is to overflow.
const WHO: &str = "SIM_TEST_OVERFLOW";

/// Uses up the stack a little at a time.
fn dig(depth: u64) -> u64 {
    let frame = [depth; 16];
    if depth == u64::MAX { 0 } else { dig(depth + 1) + black_box(&frame)[5] }
}

/// A thread or a handler of node 1 digs.
struct Digs {
    in_handler: bool,
    dug: Event,
}

impl Protocol for Digs {
    type Config = bool;

    fn install(&in_handler: &bool, _: &mut Setup<'_>) -> Self {
        Self { in_handler, dug: Event::new("dug") }
    }
}

#[handlers]
impl Digs {
    #[message]
    fn dig(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.dug, dig(0));
    }

    fn main(&self, thread: &Thread<'_>) {
        match thread.node() {
            NodeId(0) if self.in_handler => thread.send(NodeId(1), Self::dig()),
            NodeId(1) if self.in_handler => thread.wait(&self.dug, 1),
            NodeId(1) if thread.index() == 1 => thread.signal(&self.dug, dig(0)),
            _ => {}
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(false, || "there was stack enough".to_owned())
    }
}

#[test]
fn child_overflows_a_stack() {
    let Ok(who) = std::env::var(WHO) else { return };
    let job = Job::new::<Digs>(who == "handler");
    let policy = "single".parse().expect("a policy");
    let launch = Launch { nodes: 2, processors: 1, threads: 2, ..Launch::new(job, policy) };
    let outcome = Model::new(machine("ideal", &[])).run(&launch);
    panic!("the run ended: {outcome:?}");
}

fn assert_told(who: &str, words: &str) {
    let this = std::env::current_exe().expect("a test binary has a path");
    let arguments = ["--exact", "stacks::child_overflows_a_stack", "--nocapture"];
    let child = Command::new(this).args(arguments).env(WHO, who).output().expect("a test binary can be run");
    let says = String::from_utf8_lossy(&child.stderr);
    assert!(matches!(child.status.signal(), Some(7 | 11)), "{}: {says}", child.status);
    let told = format!("\n{words} has overflowed its stack of 256 KiB: expected ");
    assert!(says.contains(&told), "expected `{words}`, got: {says}");
}

#[test]
fn the_overflow_of_a_modelled_thread_names_it() {
    assert_told("thread", "node 1 thread 1");
}

#[test]
fn the_overflow_of_a_handler_names_its_modelled_node() {
    assert_told("handler", "a handler on node 1");
}
