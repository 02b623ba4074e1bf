//! Each mistake a log of herd can have, with its place.

use std::collections::BTreeSet;

use tradewind_formats::litmus::log::{Logged, State, read};

const LOG: &str = "\
Warning: something
Test LB Allowed
States 2
0:x5=0; 1:x5=0;
0:x5=1; [x]=y;
No
Witnesses
Positive: 0 Negative: 2
Condition exists (0:x5=1 /\\ 1:x5=1)
Observation LB Never 0 2
Hash=585d57e5ad552d5cb01e772ee7cc749c

Test CoWW Required
States 1
[x]=2;
Ok
Observation CoWW Always 1 0
";

fn state(entries: &[(&str, &str)]) -> State {
    entries.iter().map(|(place, value)| ((*place).to_owned(), (*value).to_owned())).collect()
}

fn logged(name: &str, states: &[State], positive: u64, negative: u64) -> Logged {
    let states: BTreeSet<_> = states.iter().cloned().collect();
    Logged { name: name.to_owned(), states, positive, negative }
}

#[track_caller]
fn assert_replaced(old: &str, new: &str, expected: &[&str]) {
    assert_eq!(LOG.matches(old).count(), 1, "{old}");
    let expected: Vec<_> = expected.iter().map(|mistake| format!("h.log:{mistake}")).collect();
    let errors = read("h.log", LOG.replace(old, new).as_bytes()).expect_err("the log has a mistake");
    assert_eq!(errors.to_string(), expected.join("\n"));
}

#[test]
fn reads_every_test() {
    let lb = [state(&[("0:x5", "0"), ("1:x5", "0")]), state(&[("0:x5", "1"), ("[x]", "y")])];
    let coww = [state(&[("[x]", "2")])];
    let expected = vec![logged("LB", &lb, 0, 2), logged("CoWW", &coww, 1, 0)];
    assert_eq!(read("h.log", LOG.as_bytes()), Ok(expected.clone()));
    assert_eq!(read("h.log", LOG.replace('\n', "\r\n").as_bytes()), Ok(expected));
}

#[test]
fn mistakes() {
    let empty = read("h.log", b"nothing\n").unwrap_err();
    assert_eq!(empty.to_string(), "h.log:2:1: test missing: expected at least one");
    assert_replaced(
        "States 1",
        "State 1",
        &["14:1: number of states State: expected States and their number"],
    );
    assert_replaced("States 1", "States x", &["14:8: number of states x: expected 0..=4294967295"]);
    assert_replaced(
        "[x]=2;",
        "[x]=2",
        &["15:1: state [x]=2: expected places and values such as 0:x5=1; [x]=2;"],
    );
    assert_replaced(
        "[x]=2;",
        "[x];",
        &["15:1: state [x];: expected a place, = and a value between each two ;"],
    );
    assert_replaced(
        "Observation LB Never 0 2\n",
        "",
        &["2:6: observation missing: expected one before the next test"],
    );
    assert_replaced(
        "Always 1 0",
        "Always x 0",
        &["17:25: number of positive executions x: expected 0..=18446744073709551615"],
    );
}
