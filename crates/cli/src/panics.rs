//! Panics in this command. The error of a run reports the panics of its program, with their places, so they are printed
//! nowhere else. Any other panic is a mistake of the command itself, and is one line.
//!
//! `RUST_BACKTRACE=1` has each panic printed besides, with the calls that led to it.

use std::env;
use std::panic::{self, AssertUnwindSafe};

use tempest::world::{note_panic, panic_message, take_place};

/// Runs a command. A panic that nothing has caught is told as an error.
pub(crate) fn told<T>(command: impl FnOnce() -> T) -> Result<T, String> {
    let wants_calls = env::var_os("RUST_BACKTRACE").is_some_and(|wanted| wanted != "0");
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        note_panic(info);
        if wants_calls {
            usual(info);
        }
    }));
    panic::catch_unwind(AssertUnwindSafe(command)).map_err(|panic| {
        let place = take_place().map_or(String::new(), |place| format!(" (at {place})"));
        format!(
            "this is a mistake of the command itself: {}{place}; RUST_BACKTRACE=1 tells more",
            panic_message(&*panic)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_that_nobody_catches_is_one_line_of_a_mistake_of_the_command() {
        assert_eq!(told(|| 7), Ok(7));
        let said = told(|| panic!("on purpose")).unwrap_err();
        let begins = "this is a mistake of the command itself: on purpose (at ";
        assert!(said.starts_with(begins) && said.contains("cli/src/panics.rs:"), "{said}");
        assert!(said.ends_with("; RUST_BACKTRACE=1 tells more") && said.lines().count() == 1, "{said}");
    }
}
