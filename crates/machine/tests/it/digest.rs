//! The digest that records keep: of the values, all of them, and nothing else.

use crate::toy::CORRECT;
use tradewind_machine::Machine;

fn digest(text: &str) -> u64 {
    Machine::parse("toy.toml", text).unwrap_or_else(|errors| panic!("{errors}")).digest()
}

fn changed(from: &str, to: &str) -> u64 {
    assert!(CORRECT.contains(from), "{from:?} is not in the file");
    digest(&CORRECT.replacen(from, to, 1))
}

#[test]
fn it_is_the_same_on_every_host_and_in_every_build() {
    // Recorded from this code. Records keep digests: a change here makes the old ones point nowhere.
    assert_eq!(digest(CORRECT), 5_484_798_177_723_291_795);
}

#[test]
fn spelling_comments_and_summary_do_not_count() {
    let same = digest(CORRECT);
    assert_eq!(changed("a toy", "another toy"), same);
    assert_eq!(changed("nodes = 2", "nodes = 2 # a pair"), same);
    assert_eq!(changed("\"16 B\"", "\"0.016 kB\""), same);
    assert_eq!(changed("\"2 us\"", "\"100 cycles\""), same);
}

#[test]
fn every_value_counts() {
    let mut seen = vec![digest(CORRECT)];
    let durations = CORRECT.matches("cycle").count();
    for index in 0..durations {
        let at = CORRECT.match_indices("cycle").nth(index).expect("counted").0;
        let text = format!("{}7 {}", CORRECT[..at].trim_end(), &CORRECT[at..]);
        seen.push(digest(&text));
    }
    let others = [
        ("toy", "toy-2"),
        ("nodes = 2", "nodes = 3"),
        ("processors = 1", "processors = 2"),
        ("\"poll\", ", ""),
        ("50 MHz", "51 MHz"),
        ("2 us", "3 us"),
        ("window = 4", "window = \"unlimited\""),
        ("capacity = 8", "capacity = 9"),
        ("175 MB/s", "176 MB/s"),
        ("16 B", "17 B"),
        ("64 B", "65 B"),
        ("send_queue = 4", "send_queue = 5"),
        ("100 MB/s", "101 MB/s"),
        ("6 cycles", "7 cycles"),
        ("line = \"32 B\"", "line = \"64 B\""),
        ("20 cycles", "21 cycles"),
        ("1 us", "2 us"),
    ];
    seen.extend(others.map(|(from, to)| changed(from, to)));
    let count = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), count);
}
