//! The section of a machine that was measured.

use tradewind_machine::Machine;

use crate::toy::CORRECT;

const SECTION: &str = "[calibrated]\nof = \"native\"\ndate = \"2026-01-31\"\n";

#[test]
fn a_measured_machine_says_of_what_and_is_no_other_machine_for_that() {
    let plain = Machine::parse("toy.toml", CORRECT).unwrap();
    let measured = Machine::parse("toy.toml", &format!("{CORRECT}{SECTION}")).unwrap();
    assert_eq!(plain.calibrated, None);
    let calibrated = measured.calibrated.as_ref().unwrap();
    assert_eq!((calibrated.of.as_str(), calibrated.date.as_deref()), ("native", Some("2026-01-31")));
    assert_eq!((calibrated.host.as_ref(), calibrated.command.as_ref()), (None, None));
    assert_eq!(plain.digest(), measured.digest());
    assert!(measured.values().iter().any(|value| value.key == "calibrated.of"));
}

#[test]
fn only_this_host_can_be_measured() {
    let wrong = format!("{CORRECT}{}", SECTION.replace("native", "paragon"));
    let errors = Machine::parse("toy.toml", &wrong).unwrap_err();
    assert_eq!(errors.iter().count(), 1);
    let error = errors.iter().next().unwrap();
    assert_eq!((error.key.as_str(), error.value.as_deref()), ("calibrated.of", Some("\"paragon\"")));
    assert!(error.expected.contains("\"native\""), "{error}");
}
