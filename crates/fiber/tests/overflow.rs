//! Running out of stack must kill the process, not corrupt it. Shown by a child process: this test binary again.
#![cfg(unix)]

use std::hint::black_box;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};

use tradewind_fiber::{Pool, Status};

/// Set in the child, and says what to overflow the stack with.
const HOW: &str = "FIBER_TEST_OVERFLOW";

/// Uses up the stack a little at a time.
#[expect(unconditional_recursion, reason = "it is there to overflow")]
fn dig(depth: usize) -> usize {
    black_box(dig(black_box(depth) + 1)) + 1
}

/// Uses it up in one frame, far beyond the guard page.
#[inline(never)]
fn leap() -> u8 {
    let large = black_box([1_u8; 1 << 20]);
    large[black_box(1000)]
}

#[test]
fn child_overflows_a_stack() {
    let Ok(how) = std::env::var(HOW) else { return };
    let pool = Pool::new(64 * 1024);
    // The overflown stack's lower neighbour, likely: what would be overwritten.
    let mut neighbours: Vec<_> = (0..2).map(|_| pool.spawn(tradewind_fiber::suspend).unwrap()).collect();
    let mut fiber = pool
        .spawn(move || {
            if how == "dig" {
                black_box(dig(0))
            } else {
                black_box(leap()).into()
            };
        })
        .unwrap();
    neighbours.push(pool.spawn(tradewind_fiber::suspend).unwrap());
    for neighbour in &mut neighbours {
        assert_eq!(neighbour.resume(), Status::Suspended);
    }
    let _ = fiber.resume();
}

fn child(how: &str) -> ExitStatus {
    let this = std::env::current_exe().expect("a test binary has a path");
    let arguments = ["--exact", "child_overflows_a_stack"];
    Command::new(this).args(arguments).env(HOW, how).output().expect("a test binary can be run").status
}

fn assert_killed(status: ExitStatus) {
    // SIGSEGV, or SIGBUS as Linux and others number it; not the SIGABRT of a panic that went wrong.
    let signal = status.signal().unwrap_or_else(|| panic!("the child lived on: {status}"));
    assert!([7, 10, 11].contains(&signal), "{status}");
}

#[test]
fn recursion_meets_the_guard_page() {
    assert_killed(child("dig"));
}

#[test]
fn a_frame_larger_than_the_guard_page_does_not_step_over_it() {
    assert_killed(child("leap"));
}
