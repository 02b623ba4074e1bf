//! Tests `litmus`: tests in files and folders, their output, and the exit codes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apps::litmus::{Dose, Experiment, Question};
use conformance::{EAGER, EAGER_UNORDERED};
use serde_json::Value;
use tempest::Mechanism;
use tempest::world::Launch;
use worlds::Target;

use crate::command::{good, json, refused, tradewind};
use crate::scratch::Scratch;

/// The classic of classics, which sequential consistency answers with three of four states.
const SB: &str = "X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                  exists (0:EAX=0 /\\ 1:EAX=0)\n";

/// The tests that travel with the project.
fn shipped() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../inputs/litmus");
    folder.display().to_string()
}

#[test]
fn one_test_shows_its_states() {
    let file = Scratch::new("SB.litmus", SB);
    let text = good(&["litmus", file.path(), "--machine", "hurricane", "--repeat", "100"]);
    assert!(text.starts_with("SB (X86, 2 threads)\nexists (0:EAX=0 /\\ 1:EAX=0)\n"), "{text}");
    for state in ["0:EAX=0; 1:EAX=1;", "0:EAX=1; 1:EAX=0;", "0:EAX=1; 1:EAX=1;"] {
        assert!(text.contains(state), "{state} is not in\n{text}");
    }
    assert!(!text.contains("0:EAX=0; 1:EAX=0;"), "{text}");
    assert!(text.contains("the condition held after 0 of 100 rounds: Never"), "{text}");
}

#[test]
fn a_test_that_only_lists_places_shows_its_states() {
    let text = SB.replace("exists (0:EAX=0 /\\ 1:EAX=0)", "locations [0:EAX; 1:EAX;]");
    let file = Scratch::new("SB.litmus", text);
    let told = json(&["litmus", file.path(), "--machine", "hurricane", "--repeat", "100"]);
    let test = &told["tests"][0];
    assert_eq!(
        (&test["condition"], test["states"].as_array().unwrap().len()),
        (&"forall true".into(), 3),
        "{told}"
    );
    assert_eq!(test["results"][0]["observation"], "Always", "{told}");
}

/// No forbidden state natively, in models of every kind of protocol processor, with every size of blocks and every protocol.
#[test]
fn the_shared_memory_is_sequentially_consistent() {
    let folder = shipped();
    // A tag of `sparc20-myrinet` is for 32 bytes.
    let of_16_bytes = "native,hurricane,hurricane-1,s-coma,ideal";
    let worlds = "native,hurricane,hurricane-1,s-coma,sparc20-myrinet,ideal";
    for (worlds, block, protocol) in [
        (of_16_bytes, "16", "stache-unordered"),
        (worlds, "32", "stache-unordered"),
        (worlds, "32", "stache-migrating"),
        (worlds, "64", "stache"),
        (worlds, "128", "stache"),
    ] {
        let told = ["--machine", worlds, "--block", block, "--protocol", protocol, "--repeat", "60"];
        let value = json(&[&["litmus", folder.as_str()][..], &told].concat());
        for world in value["worlds"].as_array().unwrap() {
            assert_eq!(
                (&world["states_forbidden"], &world["tests_failed"]),
                (&0.into(), &0.into()),
                "{world}"
            );
            assert_eq!(world["tests_run"], 10, "{world}");
            assert_eq!(world["states_allowed"], 78, "{world}");
        }
    }
}

/// No forbidden state, natively and in models, where a page moves to another home at the second request in a row.
#[test]
fn memory_is_sequentially_consistent_while_homes_move() {
    let worlds = [("native", "single"), ("hurricane", "hurricane:1"), ("sparc20-myrinet", "floating")];
    for question in questions() {
        for (name, policy) in worlds {
            for protocol in [&EAGER, &EAGER_UNORDERED] {
                let dose = Dose::new(200, 32, protocol, 1);
                let experiment = Experiment::new(Arc::clone(&question), dose);
                let job = experiment.job().unwrap();
                let launch = Launch {
                    mechanism: Mechanism::SharedMemory,
                    nodes: question.nodes(),
                    ..Launch::new(job, policy.parse().unwrap())
                };
                let told = || format!("{} on {name} by {}", question.test.name, protocol.name);
                let world = Target::find(name, &[]).unwrap().world();
                let outcome = world.run(&launch).unwrap_or_else(|failure| panic!("{}: {failure}", told()));
                for state in experiment.seen(&outcome.report).iter().flat_map(|seen| seen.keys()) {
                    assert!(question.allowed.contains(state), "{}: {}", told(), question.state_name(state));
                }
            }
        }
    }
}

/// The tests that travel with the project.
fn questions() -> Vec<Arc<Question>> {
    let files = std::fs::read_dir(shipped()).expect("the folder is there");
    let files = files.map(|file| file.expect("it can be listed").path());
    let tests = files.filter(|file| file.extension().is_some_and(|extension| extension == "litmus"));
    let read = |file: PathBuf| {
        let bytes = std::fs::read(&file).expect("the file can be read");
        let test = formats::litmus::read(&file.to_string_lossy(), &bytes).expect("it is a test");
        Arc::new(Question::new(test).expect("its states can be found"))
    };
    let questions: Vec<_> = tests.map(read).collect();
    assert_eq!(questions.len(), 10);
    questions
}

#[test]
fn a_model_reaches_nine_in_ten_of_the_allowed_states_and_the_host_more_than_one() {
    let value = json(&["litmus", &shipped(), "--machine", "native,hurricane"]);
    let [native, model] = value["worlds"].as_array().unwrap().as_slice() else { panic!("two worlds") };
    let count = |world: &Value, key: &str| world[key].as_u64().unwrap();
    assert!(10 * count(model, "states_reached") >= 9 * count(model, "states_allowed"), "{model}");
    assert!(2 * count(native, "tests_showing_several") > count(native, "tests_with_several"), "{native}");
}

/// A machine with an expensive check for messages lets threads skip most of their polls. The rounds vary the frequency of polls.
#[test]
fn every_model_reaches_three_in_four_of_the_allowed_states_in_a_hundred_rounds() {
    let worlds = "hurricane,hurricane-1,s-coma,sparc20-myrinet,ideal";
    let value = json(&["litmus", &shipped(), "--machine", worlds, "--repeat", "100"]);
    for world in value["worlds"].as_array().unwrap() {
        let [reached, allowed] = ["states_reached", "states_allowed"].map(|key| world[key].as_u64().unwrap());
        assert!(4 * reached >= 3 * allowed, "{world}");
    }
}

/// Few frames, so that pages give way, and prefetches: neither shows a forbidden state, natively or in models.
#[test]
fn evictions_and_prefetches_keep_the_memory_sequentially_consistent() {
    let folder = shipped();
    let worlds = "native,hurricane,hurricane-1,s-coma,sparc20-myrinet";
    for (frames, prefetch, protocol) in [
        (Some("1"), true, "stache"),
        (Some("2"), false, "stache"),
        (Some("1"), true, "stache-unordered"),
        (Some("2"), true, "stache-migrating"),
        (None, true, "stache"),
    ] {
        let mut told = vec!["litmus", &folder, "--machine", worlds, "--repeat", "60", "--protocol", protocol];
        told.extend(frames.iter().flat_map(|frames| ["--frames", frames]));
        told.extend(prefetch.then_some("--prefetch"));
        let value = json(&told);
        let stated = frames.map_or(Value::Null, |frames| frames.parse::<u64>().unwrap().into());
        assert_eq!((&value["frames"], &value["prefetch"]), (&stated, &prefetch.into()));
        for world in value["worlds"].as_array().unwrap() {
            let counts =
                ["states_forbidden", "tests_failed", "tests_run"].map(|key| world[key].as_u64().unwrap());
            assert_eq!(counts, [0, 0, 10], "{frames:?}, {prefetch}, {protocol}: {world}");
        }
    }
    for frames in ["0", "65", "few"] {
        let expected = format!("--frames {frames}: expected a whole number from 1 to 64");
        refused(&["litmus", &folder, "--frames", frames], &[&expected]);
    }
}

/// Another schedule, so that there is something to evict and to prefetch.
#[test]
fn frames_and_prefetches_change_what_a_round_does() {
    let file = Scratch::new("SB.litmus", SB);
    let counts = |more: &[&str]| {
        let told = ["litmus", file.path(), "--machine", "hurricane", "--repeat", "200"];
        json(&[&told[..], more].concat())["tests"].clone()
    };
    let all = counts(&[]);
    assert_ne!(all, counts(&["--frames", "1"]));
    assert_ne!(all, counts(&["--prefetch"]));
    assert_eq!(counts(&["--frames", "1"]), counts(&["--frames", "1"]));
}

#[test]
fn many_worlds_stand_below_each_other_on_a_narrow_page() {
    let file = Scratch::new("SB.litmus", SB);
    let worlds = "hurricane,hurricane-1,s-coma,sparc20-myrinet,ideal";
    let told = ["--machine", worlds, "--repeat", "4", "--width", "60"];
    for tests in [file.path(), &shipped()] {
        let text = good(&[&["litmus", tests][..], &told].concat());
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        let heads = text.lines().filter(|line| line.starts_with("final state") || line.starts_with("test "));
        assert!(heads.count() > 1, "{text}");
    }
}

/// The columns of the placements add up to the rounds; an allowed state has no higher count.
#[test]
fn every_round_is_counted_once() {
    let file = Scratch::new("SB.litmus", SB);
    let value = json(&["litmus", file.path(), "--machine", "native,hurricane", "--repeat", "51"]);
    let states = value["tests"][0]["states"].as_array().unwrap();
    let sum = |placement: &str, world: usize| -> u64 {
        states.iter().map(|state| state[placement][world].as_u64().unwrap()).sum()
    };
    for world in 0..2 {
        assert_eq!((sum("apart", world), sum("together", world)), (26, 25), "{value}");
    }
    assert_eq!(value["tests"][0]["allowed"], 3);
    assert!(states.iter().all(|state| state["allowed"] == true), "{value}");
}

#[test]
fn a_model_gives_the_same_every_time_and_another_seed_another_schedule() {
    let folder = shipped();
    let run = |seed: &str| {
        good(&["litmus", &folder, "--machine", "hurricane", "--repeat", "20", "--seed", seed, "--json"])
    };
    assert_eq!(run("1"), run("1"));
    let counts = |text: &str| serde_json::from_str::<Value>(text).unwrap()["tests"].clone();
    assert_ne!(counts(&run("1")), counts(&run("2")));
}

#[test]
fn what_cannot_be_read_keeps_nothing_from_being_run() {
    let (good, bad) = (Scratch::new("SB.litmus", SB), Scratch::new("bad.litmus", SB.replace("$1", "1$")));
    let told = ["--machine", "ideal", "--repeat", "5"];
    let ran = tradewind(&[&["litmus", bad.path(), good.path()][..], &told].concat());
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains(&bad.at("4:11: instruction $: expected its end")), "{}", ran.err);
    assert!(ran.out.contains("SB (X86, 2 threads)"), "{}", ran.out);
    let ran = tradewind(&[&["litmus", bad.path(), good.path(), "--json"][..], &told].concat());
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(value["unread"].as_array().map(Vec::len), Some(2), "{value}");
}

#[test]
fn what_is_wrong_is_told_before_anything_runs() {
    let bad = Scratch::new("bad.litmus", "ARM SB\n");
    refused(&["litmus", bad.path()], &[&bad.at("1:1: architecture ARM: expected X86 or RISCV")]);
    refused(&["litmus", "no-such.litmus"], &["no-such.litmus: "]);
    let astray = Scratch::new("astray.litmus", "RISCV a\n{}\nP0;\nlw x5,8(x6);\nexists true\n");
    refused(&["litmus", astray.path()], &["thread 0 accesses address 8: expected that of a variable"]);
    let file = Scratch::new("SB.litmus", SB);
    let wrong = [
        "--machine",
        "nativ",
        "--block",
        "48",
        "--repeat",
        "0",
        "--protocol",
        "stach",
        "--policy",
        "flating",
    ];
    refused(
        &[&["litmus", file.path()][..], &wrong].concat(),
        &[
            "unknown machine `nativ`",
            "--block 48",
            "--repeat 0",
            "did you mean `stache`",
            "did you mean `floating`",
        ],
    );
}
