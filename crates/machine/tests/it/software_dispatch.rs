//! The section of machines whose software dispatches.

use tradewind_machine::Machine;
use units::Time;

use crate::toy::CORRECT;

const SECTION: &str = "
[software_dispatch]
poll_every = 128
notice = \"2 us\"
enter = \"50 cycles\"
find = \"14 us\"
leave = \"2 us\"
state = \"384 B\"
wake = \"4 us\"
drain = \"unlimited\"
";

#[test]
fn it_is_read_in_cycles_of_the_processor() {
    let text = CORRECT.replace(", \"keyed-dispatch\"", "") + SECTION;
    let machine = Machine::parse("toy.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    let routine = machine.software_dispatch.expect("the section is there");
    assert_eq!((routine.poll_every, routine.drain), (128, None));
    assert_eq!((routine.enter, routine.find), (Time::from_microseconds(1), Time::from_microseconds(14)));
}

#[test]
fn its_handlers_run_one_at_a_time() {
    let text = CORRECT.to_owned() + SECTION;
    let errors = Machine::parse("toy.toml", &text).expect_err("the machine can dispatch by key");
    let error = errors.iter().next().expect("an error").to_string();
    assert!(error.starts_with("toy.toml:5: can = "), "{error}");
    assert!(error.contains("no `keyed-dispatch`"), "{error}");
}
