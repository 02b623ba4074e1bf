//! Running out of stack must kill the process, not corrupt it, and name the fiber. Shown by a child process: this test
//! binary again.
#![cfg(unix)]

use std::fmt;
use std::hint::black_box;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Output};
use std::rc::Rc;

use tradewind_fiber::{Fiber, Pool, Status};

/// Variable set in the child: the way to overflow the stack.
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

/// Occupant of the overflowing fiber, with a number that has to be formatted.
struct Digger(u32);

impl fmt::Display for Digger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "digger {}", self.0)
    }
}

fn waiting(pool: &Pool) -> Fiber {
    // SAFETY: the body touches no thread-local but the room's own.
    unsafe { pool.spawn(tradewind_fiber::suspend) }.expect("one stack")
}

fn overflowing(pool: &Pool, how: String) -> Fiber {
    let body = move || match how.as_str() {
        "leap" => _ = black_box(leap()),
        // A signal that is sent, from inside a fiber: nothing has overflowed.
        // SAFETY: it ends this process, which is there for that.
        "sent" => _ = unsafe { libc::raise(libc::SIGSEGV) },
        "stray" => _ = read_nowhere(),
        _ => _ = black_box(dig(0)),
    };
    // SAFETY: the body touches no thread-local, and to display a digger is to write a text and a number.
    unsafe { pool.spawn_as(Rc::new(Digger(42)), body) }.expect("one stack")
}

/// Reads where nothing is, as broken code would.
fn read_nowhere() -> u8 {
    let nowhere = std::ptr::without_provenance::<u8>(black_box(0x10));
    // SAFETY: there is none: it ends this process, which is there for that.
    unsafe { nowhere.read_volatile() }
}

fn overflow(how: String) {
    let pool = Pool::new(64 * 1024);
    // The likely lower neighbour of the overflown stack, which an overflow would overwrite.
    let mut neighbours: Vec<_> = (0..2).map(|_| waiting(&pool)).collect();
    let mut fiber = overflowing(&pool, how);
    neighbours.push(waiting(&pool));
    for neighbour in &mut neighbours {
        assert_eq!(neighbour.resume(), Status::Suspended);
    }
    let _ = fiber.resume();
}

/// Fault handler of another library, installed before there are pools.
extern "C" fn of_somebody_else(_: libc::c_int) {
    let says = b"somebody else's turn\n";
    // SAFETY: both are allowed in a signal handler.
    unsafe {
        libc::write(libc::STDERR_FILENO, says.as_ptr().cast(), says.len());
        libc::_exit(3);
    }
}

#[test]
fn child_overflows_a_stack() {
    let Ok(how) = std::env::var(HOW) else { return };
    match how.as_str() {
        "own" => {
            // Where the OS thread is on a stack of its own, pools or not, that is the runtime's to tell.
            let pool = Pool::new(64 * 1024);
            assert_eq!(waiting(&pool).resume(), Status::Suspended);
            black_box(dig(0));
        }
        "second" => {
            // Pools come and go: the stack for signals is there as long as one of them is.
            let (first, second) = (Pool::new(64 * 1024), Pool::new(64 * 1024));
            drop((waiting(&first), waiting(&second)));
            drop(first);
            let _ = overflowing(&second, how).resume();
        }
        "handled" => {
            // SAFETY: the handler does only what is allowed in a signal handler. Without an alternate stack it would
            // not run on a full one.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = of_somebody_else as *const () as usize;
                action.sa_flags = libc::SA_ONSTACK;
                libc::sigaction(libc::SIGSEGV, &raw const action, std::ptr::null_mut());
            }
            overflow(how);
        }
        _ => overflow(how),
    }
}

fn child(how: &str) -> (ExitStatus, String) {
    let this = std::env::current_exe().expect("a test binary has a path");
    let arguments = ["--exact", "child_overflows_a_stack", "--nocapture"];
    let child = Command::new(this).args(arguments).env(HOW, how).output();
    let Output { status, stderr, .. } = child.expect("a test binary can be run");
    (status, String::from_utf8_lossy(&stderr).into_owned())
}

fn assert_killed(status: ExitStatus) {
    // SIGSEGV, or SIGBUS as Linux and others number it; not the SIGABRT of a panic that went wrong.
    let signal = status.signal().unwrap_or_else(|| panic!("the child lived on: {status}"));
    assert!([7, 10, 11].contains(&signal), "{status}");
}

fn assert_told(how: &str) {
    let (status, says) = child(how);
    assert_killed(status);
    assert!(says.contains("\ndigger 42 has overflowed its stack of 64 KiB: expected "), "{says}");
}

#[test]
fn recursion_meets_the_guard_page_and_is_told() {
    assert_told("dig");
}

#[test]
fn a_frame_larger_than_the_guard_page_does_not_step_over_it_and_is_told() {
    assert_told("leap");
}

#[test]
fn an_overflow_is_told_as_long_as_a_pool_is_there() {
    assert_told("second");
}

#[test]
#[cfg(target_os = "linux")]
fn who_was_there_before_has_the_last_word() {
    let (status, says) = child("handled");
    let told = says.find("digger 42 has overflowed its stack of 64 KiB");
    let then = says.find("somebody else's turn");
    assert!(told.is_some() && told < then && status.code() == Some(3), "{status}: {says}");
}

#[test]
fn a_fault_that_is_no_overflow_is_none_of_ours() {
    for how in ["stray", "sent"] {
        let (status, says) = child(how);
        // The runtime judges a signal that was sent: some versions of it let the first one pass.
        assert!(status.signal().is_some() || how == "sent", "{how}: {status}");
        assert!(!says.contains("has overflowed"), "{how}: {says}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_overflow_of_an_os_thread_is_told_by_the_runtime_as_before() {
    let (status, says) = child("own");
    assert!(status.signal().is_some(), "{status}");
    assert!(
        says.contains("thread 'child_overflows_a_stack' ") && says.contains("has overflowed its stack"),
        "{says}"
    );
}
