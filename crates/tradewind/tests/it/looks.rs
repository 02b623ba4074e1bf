//! Tests the look of results: their width, their characters, with or without colour, and the required contents.

use crate::command::{good, good_where};

const EM3D: &[&str] = &[
    "compare",
    "em3d",
    "--machine",
    "native,hurricane-1",
    "--input",
    "nodes=480",
    "--nodes",
    "2",
    "--repeat",
    "2",
];

const UTF_8: (&str, &str) = ("LC_ALL", "C.UTF-8");

fn assert_fits(text: &str, columns: usize) {
    let long: Vec<_> = text.lines().filter(|line| line.chars().count() > columns).collect();
    assert!(long.is_empty(), "longer than {columns} columns:\n{}", long.join("\n"));
}

#[test]
fn the_default_answer_fits_a_screen() {
    let commands: [&[&str]; 5] = [
        EM3D,
        &[
            "compare",
            "fetch-add",
            "--machine",
            "native,paragon",
            "--repeat",
            "2",
            "--input",
            "operations=4000",
        ],
        &["compare", "iccg", "--machine", "paragon,hurricane", "--input", "jagmesh7"],
        &["run", "iccg", "--machine", "hurricane-1"],
        &["run", "traffic", "--machine", "paragon", "--input", "messages=200"],
    ];
    for command in commands {
        let text = good(command);
        assert!(text.lines().count() < 24, "{command:?}\n{text}");
        let all = good(&[command, &["--all"]].concat());
        assert!(all.lines().count() > text.lines().count(), "{command:?}\n{all}");
    }
    // The verdict comes first and last.
    let text = good(commands[2]);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], lines[lines.len() - 2], "{text}");
    assert!(!text.contains("bars: "), "{text}");
}

#[test]
fn no_line_is_longer_than_the_page() {
    for more in [&[][..], &["--all", "--legend"]] {
        assert_fits(&good(&[EM3D, more].concat()), 80);
    }
    assert_fits(&good(&["compare", "iccg", "--machine", "ideal,hurricane-1", "--input", "jagmesh7"]), 80);
    assert_fits(&good(&["run", "iccg", "--machine", "hurricane-1", "--repeat", "2"]), 80);
    for columns in [50, 60, 100, 140] {
        let width = ["--width", &columns.to_string()];
        assert_fits(&good(&[EM3D, &width].concat()), columns);
        let run = ["run", "em3d", "--mechanism", "deposit", "--machine", "hurricane-1"];
        assert_fits(&good(&[&run[..], &width].concat()), columns);
    }
}

#[test]
fn the_width_is_that_of_the_option_then_of_the_environment() {
    let widest = |text: String| text.lines().map(|line| line.chars().count()).max().unwrap();
    let model = ["compare", "fetch-add", "--machine", "ideal", "--input", "operations=400"];
    assert!((56..=60).contains(&widest(good_where(&[("COLUMNS", "60")], &model))));
    let asked = [&model[..], &["--width", "120"]].concat();
    assert!((81..=120).contains(&widest(good_where(&[("COLUMNS", "60")], &asked))));
    assert!(widest(good_where(&[("COLUMNS", "many")], &model)) <= 80);
}

#[test]
fn colour_is_for_terminals_and_for_who_forces_it() {
    let model = ["compare", "fetch-add", "--machine", "ideal", "--input", "operations=400"];
    assert!(!good(&model).contains('\x1b'));
    let forced = good_where(&[("CLICOLOR_FORCE", "1")], &model);
    assert!(forced.contains('\x1b'));
    assert!(!good_where(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], &model).contains('\x1b'));
    // Colour says nothing that is not said without it.
    let mut plain = String::new();
    for (index, piece) in forced.split('\x1b').enumerate() {
        plain += if index == 0 { piece } else { piece.split_once('m').unwrap().1 };
    }
    assert_eq!(plain, good(&model));
}

#[test]
fn bars_are_readable_in_any_locale() {
    let model = ["compare", "fetch-add", "--machine", "hurricane-1", "--mechanism", "messages"];
    let model = [&model[..], &["--input", "operations=400", "--legend"]].concat();
    let plain = good(&model);
    assert!(
        plain.is_ascii() && plain.contains("# compute % memory and NI wait + message overhead"),
        "{plain}"
    );
    assert!(plain.lines().any(|line| line.contains("1.00  ") && line.contains("++")), "{plain}");
    let unicode = good_where(&[UTF_8], &model);
    assert!(unicode.contains("█ compute ▚ memory and NI wait ▒ message overhead · synchronization"));
    assert!(unicode.lines().any(|line| line.contains("1.00  ") && line.contains("▒▒")), "{unicode}");
}

#[test]
fn a_comparison_has_ranks_traffic_a_finding_and_a_legend() {
    let text = good(&[EM3D, &["--counters", "--legend"]].concat());
    assert!(text.starts_with("em3d"), "{text}");
    assert!(text.contains("native (this host)") && text.contains("hurricane-1 (model)"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("Finding: ")).count(), 2, "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("Together: ")).count(), 1, "{text}");
    for head in
        ["mechanism", "policy", "procs", "time", "+/-", "ratio", "where it went", "msgs", "bulk", "dep."]
    {
        assert!(text.split_whitespace().any(|word| word == head) || text.contains(head), "{head}: {text}");
    }
    for head in ["data", "head", "comp", "prot", "wait", "queue"] {
        assert!(text.split_whitespace().any(|word| word == head), "{head}: {text}");
    }
    assert_eq!(text.matches("answers agree with the sequential one").count(), 2, "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("bulk of them block transfers dep. deposits, which are no messages"), "{text}");
}

#[test]
fn rows_that_took_turns_on_too_few_cores_are_marked() {
    let many =
        ["compare", "fetch-add", "--machine", "native", "--nodes", "64", "--policy", "single,floating"];
    let text = good(&[&many[..], &["--input", "operations=640", "--repeat", "1", "--all"]].concat());
    let marked = text.lines().filter(|line| line.contains(" * ") && line.contains("1."));
    assert!(marked.count() >= 1, "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("* more processors than the"), "{text}");
    assert!(words.contains("these times mean little"), "{text}");
}

#[test]
fn one_answer_is_told_as_one() {
    let one = ["compare", "fetch-add", "--machine", "ideal", "--policy", "fixed:1"];
    let text =
        good(&[&one[..], &["--mechanism", "messages", "--input", "operations=400", "--legend"]].concat());
    assert!(text.contains("    the answer agrees with the sequential one\n"), "{text}");
    // Number of computing processors and of processors that only handle.
    assert!(text.lines().any(|line| line.contains("fixed:1") && line.contains(" 1+1 ")), "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("procs processors of each node that compute + others, which run handlers"),
        "{text}"
    );
}

#[test]
fn columns_that_do_not_fit_are_named() {
    let text = good(&[EM3D, &["--width", "50", "--counters", "--legend"]].concat());
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("no room for "), "{text}");
    assert!(words.contains("see --width and --json"), "{text}");
}

#[test]
fn a_run_tells_of_transfers_and_deposits_only_where_there_are_any() {
    let run = |mechanism| {
        good(&[
            "run",
            "em3d",
            "--mechanism",
            mechanism,
            "--machine",
            "hurricane-1",
            "--input",
            "nodes=480",
            "--all",
        ])
    };
    let (messages, bulk, deposit) = (run("messages"), run("bulk"), run("deposit"));
    assert!(!messages.contains("transfers") && !messages.contains("deposits"), "{messages}");
    assert!(bulk.contains("of them block transfers") && !bulk.contains("deposits"), "{bulk}");
    assert!(deposit.contains("deposits") && !deposit.contains("transfers"), "{deposit}");
    for text in [messages, bulk, deposit] {
        for part in ["compute", "memory and NI wait", "message overhead", "synchronization", "volume"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

#[test]
fn examples_of_the_help_can_be_copied_from_a_usual_page() {
    for command in ["explain", "run", "compare", "claims", "calibrate", "litmus", "model"] {
        let help = good_where(&[("COLUMNS", "80")], &[command, "--help"]);
        assert_fits(&help, 80);
        let (_, examples) = help.split_once("\nExamples:\n").expect("examples");
        for line in examples.lines() {
            assert!(line.starts_with("  tradewind "), "{command}: broken before {line:?}");
        }
    }
}
