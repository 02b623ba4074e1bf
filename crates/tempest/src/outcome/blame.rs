//! The text of a failure that the program caused: it is the same in every world.
//!
//! The text states the fault, and then where and when: `index 9 of … (at src/main.rs:12, in node 1 thread 0, at 3 us)`.
//! This module must never know how a world catches a panic.

use std::any::Any;
use std::cell::Cell;
use std::fmt::Display;
use std::panic::PanicHookInfo;

use units::Time;

use crate::outcome::Failure;

thread_local! {
    /// The place in the source of the last panic of this OS thread, if a hook has noted it.
    static PLACE: Cell<Option<String>> = const { Cell::new(None) };
}

/// The crates whose panics are checks of a program's requests: the source line of such a check tells the program's
/// author nothing.
const CHECKING: &[&str] = &["bulk", "fiber", "native", "pdq", "segment", "sim", "tempest"];

/// Notes the source line of a panic of this OS thread for the text of the failure. A process that prints failures
/// itself calls this from its panic hook, so that the panic is not printed twice.
pub fn note_panic(info: &PanicHookInfo<'_>) {
    let place = info.location().filter(|place| !is_check(place.file()));
    PLACE.set(place.map(|place| format!("{}:{}", place.file(), place.line())));
}

/// Takes the source line that [`note_panic`] noted last on this OS thread; `None` if there is none.
pub fn take_place() -> Option<String> {
    PLACE.take()
}

/// Whether `file` belongs to a crate in [`CHECKING`], whose panics are checks.
fn is_check(file: &str) -> bool {
    let rooms = file!().strip_suffix("tempest/src/outcome/blame.rs").unwrap_or("");
    file.strip_prefix(rooms)
        .is_some_and(|file| file.split('/').next().is_some_and(|room| CHECKING.contains(&room)))
}

/// The text of a panic's payload; a fixed text if the payload is no string.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panicked (without a message)")
}

/// Makes the failure of a run in which a thread or handler has panicked. `doing` names the thread or handler, and `at`
/// is the time since the run began.
#[must_use]
pub fn panicked(panic: &(dyn Any + Send), doing: &dyn Display, at: Time) -> Failure {
    let place = take_place().map_or(String::new(), |place| format!("at {place}, "));
    Failure::Program(format!("{} ({place}in {doing}, at {at})", panic_message(panic)))
}

/// Makes the failure of a run in which a thread, while a panic unwinds it, would have yielded its processor. `what` is
/// the operation that would have done so, such as a wait; `doing` names the thread; `at` is the time since the run
/// began.
#[must_use]
pub fn given_away(what: &str, doing: &dyn Display, at: Time) -> Failure {
    Failure::Program(format!(
        "{what} while a panic unwinds it: a destructor must not give the processor away then; `std::thread::panicking` tells it \
         (in {doing}, at {at})"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_of_the_rooms_have_no_place() {
        let rooms = file!().strip_suffix("tempest/src/outcome/blame.rs").expect("this file is in this room");
        assert!(is_check(file!()) && is_check(&format!("{rooms}sim/src/setting.rs")));
        assert!(!is_check(&format!("{rooms}apps/src/fft/messages.rs")) && !is_check("src/main.rs"));
    }
}
