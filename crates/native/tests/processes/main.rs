//! The world whose nodes are processes. This test has a `main` of its own: it is a launcher, and each of its processes executes it again to
//! take part in one run.
//!
//! | part | content |
//! |---|---|
//! | `promises` | the promises of the waist |
//! | `lost` | processes that are killed or stopped at random moments |
//! | `living` | processes that are not lost: beside busy loops, and after a stop of the whole job |
//! | `refused` | bad input, and the error that it gets |
//! | `handed_on` | problems that the launcher makes, and its processes find |
//! | `random` | random programs, which end as a sequential oracle says |
//!
//! ```text
//! cargo test -p tradewind-native --test processes                      # the small dose of every part
//! cargo test -p tradewind-native --test processes -- lost refused      # parts by name
//! cargo test -p tradewind-native --test processes -- locks_exclude     # the promises with this in their names
//! cargo test --release -p tradewind-native --test processes -- --full promises  # every promise, policy and size
//! cargo test --release -p tradewind-native --test processes -- --full lost      # 200 of each program and fault
//! cargo test --release -p tradewind-native --test processes -- --full living    # 1,000 runs, and a stop of 20 s
//! cargo test --release -p tradewind-native --test processes -- --full random    # 2,000 random programs
//! ```

#![allow(clippy::print_stdout, reason = "it is a command of its own")]

#[cfg(target_os = "linux")]
mod forged;
#[cfg(target_os = "linux")]
mod handed_on;
#[cfg(target_os = "linux")]
mod kit;
#[cfg(target_os = "linux")]
mod living;
#[cfg(target_os = "linux")]
mod lost;
#[cfg(target_os = "linux")]
mod programs;
#[cfg(target_os = "linux")]
mod promises;
#[cfg(target_os = "linux")]
mod random;
#[cfg(target_os = "linux")]
mod refused;

/// A part: its name, and the function that returns its failed checks. The flag asks for the full dose.
#[cfg(target_os = "linux")]
type Part = (&'static str, fn(bool) -> Vec<String>);

#[cfg(target_os = "linux")]
const PARTS: &[Part] = &[
    ("promises", |full| promises::broken(full, &[])),
    ("lost", lost::broken),
    ("living", living::broken),
    ("refused", refused::broken),
    ("handed_on", handed_on::broken),
    ("random", random::broken),
];

#[cfg(target_os = "linux")]
fn main() {
    let member = tradewind_native::member().unwrap_or_else(|why| programs::fail(why));
    if let Some(order) = member.and_then(|member| member.order()) {
        // Many programs of this test panic, and their launcher reports that: its processes need not.
        std::panic::set_hook(Box::new(|_| {}));
        match order.split_once(' ') {
            None if order == "problem" => handed_on::take_part(),
            Some(("promise", case)) => promises::take_part(case),
            Some(("program", run)) => programs::take_part(run),
            Some(("random", seed)) => random::take_part(seed),
            _ => unreachable!("an order of this test begins with its kind"),
        }
    }
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let [first, run] = &*arguments
        && first == programs::LAUNCH
    {
        return programs::launch(run);
    }
    let full = arguments.iter().any(|word| word == "--full");
    let names: Vec<_> = arguments.iter().filter(|word| !word.starts_with("--")).map(String::as_str).collect();
    let parts: Vec<_> = PARTS.iter().filter(|(part, _)| names.contains(part)).collect();
    let broken: Vec<_> = match (names.is_empty(), parts.is_empty()) {
        (true, _) => PARTS.iter().flat_map(|(_, part)| part(full)).collect(),
        (false, false) => parts.iter().flat_map(|(_, part)| part(full)).collect(),
        (false, true) => promises::broken(full, &names),
    };
    broken.iter().for_each(|what| println!("broken: {what}"));
    std::process::exit(i32::from(!broken.is_empty()));
}

#[cfg(not(target_os = "linux"))]
fn main() {}
