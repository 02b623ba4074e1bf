//! `tradewind explain` shows every value of a machine, where it comes from, and what follows from it; and the machine
//! file of `docs/machine-file.md` runs as it is.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::{command, good, json, refused, tradewind};
use crate::scratch::Scratch;

fn workspace(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The names of all machine files of the workspace.
pub(crate) fn machines() -> Vec<String> {
    let entries = fs::read_dir(workspace("machines")).expect("the folder of machine files");
    let names =
        entries.filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".toml")?.to_owned()));
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

fn template() -> String {
    let page = fs::read_to_string(workspace("docs/machine-file.md")).expect("the page");
    page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block").to_owned()
}

fn find<'v>(explained: &'v Value, list: &str, name: &str, value: &str) -> &'v Value {
    let entries = explained[list].as_array().expect("a list");
    let found = entries.iter().find(|entry| entry[name] == value);
    found.unwrap_or_else(|| panic!("no {value} in {explained}"))
}

#[test]
fn every_machine_is_explained_on_pages_of_any_width() {
    for name in machines() {
        for columns in ["80", "120"] {
            let text = good(&["explain", &name, "--width", columns]);
            assert!(text.starts_with(&format!("{name}: ")), "{text}");
            for part in ["\n[processor]\n", "\n[network]\n", "\nfollows\n", "\nruns\n"] {
                assert!(text.contains(part), "{name}: {part:?} is not in\n{text}");
            }
            let long: Vec<_> =
                text.lines().filter(|line| line.chars().count() > columns.parse().unwrap()).collect();
            assert!(long.is_empty(), "{name}, longer than {columns}:\n{}", long.join("\n"));
        }
    }
}

#[test]
fn every_machine_runs_something() {
    for name in machines() {
        let runs = &json(&["explain", &name])["runs"];
        let count = |key: &str| runs[key].as_array().map_or(0, Vec::len);
        assert!(count("policies") > 0 && count("mechanisms") > 0, "{name}: {runs}");
    }
    // A state machine that keeps memory coherent handles no messages.
    let explained = json(&["explain", "s-coma", "--policy", "s-coma"]);
    assert_eq!(
        explained["runs"],
        serde_json::json!({ "policies": ["s-coma"], "mechanisms": ["shared-memory"], "default_policy": "s-coma" })
    );
    assert!(!good(&["explain", "s-coma", "--policy", "s-coma"]).contains("it cannot run so"));
}

#[test]
fn every_value_has_its_place_and_its_source() {
    for name in machines() {
        let explained = json(&["explain", &name]);
        let values = explained["values"].as_array().unwrap();
        assert!(values.len() > 20, "{name}: {} values", values.len());
        for value in values {
            let file = value["file"].as_str().unwrap_or_else(|| panic!("{name}: {value}"));
            let text = fs::read_to_string(workspace(file)).unwrap();
            let line = text.lines().nth(value["line"].as_u64().unwrap() as usize - 1).unwrap();
            let key = value["key"].as_str().unwrap();
            // A price of several parts stands on one line.
            let named = key.split('.').any(|part| line.trim_start().starts_with(part));
            assert!(named, "{name}: {key} is not on line {line:?}");
        }
    }
}

#[test]
fn every_mark_in_a_source_is_explained() {
    for name in machines() {
        let explained = json(&["explain", &name]);
        let meanings = explained["sources"].as_array().unwrap();
        let told = |mark: &str| meanings.iter().any(|one| one["mark"] == mark && one["text"].is_string());
        assert!(told("line"), "{name}: {explained}");
        for source in
            explained["values"].as_array().unwrap().iter().filter_map(|value| value["source"].as_str())
        {
            for mark in ["[1]", "[2]"].into_iter().filter(|mark| source.contains(mark)) {
                assert!(told(mark), "{name}: {mark} of {source:?} in {meanings:?}");
            }
            for word in ["assumption", "fit", "split", "held", "recalled", "definition"] {
                let names = source == word
                    || source.starts_with(&format!("{word}:"))
                    || source.contains(&format!("; {word}"));
                assert!(!names || told(word), "{name}: {word} of {source:?} in {meanings:?}");
            }
        }
        for study in ["alewife", "fixed-floating", "pdq", "split-c", "widget"] {
            let names = explained["values"].to_string().contains(&format!("fit: {study}."));
            assert!(!names || told(&format!("{study}.*")), "{name}: {study} in {meanings:?}");
        }
    }
    let text = good(&["explain", "paragon", "--width", "200"]);
    let (_, sources) = text.split_once("\nsources\n").expect("the last part");
    for said in
        ["[1]  ", "ASPLOS 1996", "held  ", "claims of [1]", "`tradewind machine paragon` prints paragon.toml"]
    {
        assert!(sources.contains(said), "{said:?} is not in\n{sources}");
    }
}

#[test]
fn the_head_of_a_file_of_ones_own_explains_its_marks() {
    let mine = |head: &str| {
        let text =
            format!("{head}extends = \"ideal\"\nname = \"mine\"\n[memory]\nread = \"2 us\"  # [7] p. 3\n");
        let file = Scratch::new("mine.toml", text);
        let explained = json(&["explain", file.path()]);
        find(&explained, "sources", "mark", "[7]")["text"].clone()
    };
    assert_eq!(mine("# Mine.\n# [7] A. Author,\n#     \"A Work\".\n"), "A. Author, \"A Work\".");
    assert!(mine("").is_null());
}

#[test]
fn what_follows_is_arithmetic() {
    let explained = json(&["explain", "paragon"]);
    let number = |name: &str| find(&explained, "derived", "name", name)["number"].as_f64().unwrap();
    // 50 MHz; 32 B at 175 MB/s; 175 MB/s at 50 MHz.
    assert_eq!(number("cycle"), 20.0);
    assert!((number("line through a port") - 182.857).abs() < 0.001);
    assert_eq!(number("port"), 3.5);
    // Four nodes by two: two links across the middle; a mean of two links from node to node.
    assert_eq!((number("bisection, each way"), number("mean distance")), (350.0, 2.0));
}

#[test]
fn under_a_policy_its_own_values_are_shown() {
    let text = good(&["explain", "paragon", "--policy", "inject", "--width", "100"]);
    assert!(text.contains("under policy inject"), "{text}");
    assert!(text.contains("round trip, inject") && !text.contains("round trip, proc"), "{text}");
    let key = "policy.inject.interface.lock_migration";
    let special = json(&["explain", "paragon", "--policy", "inject"]);
    assert_eq!(find(&special, "values", "key", key)["policy"], "inject");
    let general = json(&["explain", "paragon"]);
    assert_eq!(find(&general, "values", "key", key)["policy"], "inject");
    let other = json(&["explain", "paragon", "--policy", "proc"]);
    assert!(other["values"].as_array().unwrap().iter().all(|value| value["key"] != key));
    assert_eq!(special["machine_digest"], general["machine_digest"]);
}

#[test]
fn a_message_that_has_to_be_fetched_is_on_its_way_for_longer() {
    let way = |settings: &[&str]| {
        let explained = json(&[&["explain", "ideal"], settings].concat());
        find(&explained, "derived", "name", "round trip, single")["number"].as_f64().unwrap()
    };
    let more = way(&["--set", "processor.fetch=1 us"]) - way(&[]);
    assert!((more - 2000.0).abs() < 1e-6, "twice 1 us, not {more} ns");
}

#[test]
fn a_round_trip_holds_the_time_of_its_bytes() {
    let way = |settings: &[&str]| {
        let explained = json(&[&["explain", "cm-5"], settings].concat());
        find(&explained, "derived", "name", "round trip, proc")["number"].as_f64().unwrap()
    };
    // The 20 bytes of a packet, there and back: 4 us each at 5 MB/s and 1 at 20. The slower of port and link counts.
    for key in ["interface.bandwidth", "network.link"] {
        let more = way(&["--set", &format!("{key}=5 MB/s")]) - way(&[]);
        assert!((more - 6000.0).abs() < 1e-6, "twice 3 us, not {more} ns");
    }
}

#[test]
fn a_message_that_takes_very_long_is_not_measured_and_the_reason_is_said() {
    let explained =
        |latency: &str| json(&["explain", "paragon", "--set", &format!("network.latency={latency}")]);
    let slow = explained("1000 s");
    assert_eq!(slow["measured"], serde_json::json!([]));
    let without = &slow["not_measured"][0];
    assert_eq!(without["name"], "one way, single");
    assert!(without["reason"].as_str().is_some_and(|why| why.contains("100 us while a message travelled")));
    let text = good(&["explain", "paragon", "--set", "network.latency=1000 s", "--width", "120"]);
    assert!(text.contains("one way, single    -  nothing happened for 100 us while"), "{text}");
    let quick = explained("90 us");
    assert_eq!(quick["not_measured"], serde_json::json!([]));
    let way = &quick["measured"][0];
    assert!(way["time_ns"].as_f64().is_some_and(|time| time > 9e4), "{way}");
}

#[test]
fn a_policy_that_the_machine_cannot_run_is_called_so() {
    let text = good(&["explain", "paragon", "--policy", "hurricane-1:1", "--width", "120"]);
    assert!(text.contains("it cannot run so: ") && text.contains("added-processors"), "{text}");
    assert!(!good(&["explain", "paragon", "--policy", "np"]).contains("it cannot run so"));
}

#[test]
fn a_value_of_the_command_line_is_shown_as_such() {
    let explained = json(&["explain", "cm-5", "--set", "processor.clock=66MHz"]);
    let clock = find(&explained, "values", "key", "processor.clock");
    assert_eq!((&clock["written"], &clock["value"]), (&"66MHz".into(), &"66 MHz".into()));
    assert!(clock["line"].is_null() && clock["file"].is_null() && clock["source"] == "--set", "{clock}");
    let plain = json(&["explain", "cm-5"]);
    assert_ne!(explained["machine_digest"], plain["machine_digest"]);
}

#[test]
fn a_price_in_parts_is_shown_with_its_parts() {
    let explained = json(&["explain", "hurricane-1", "--set", "processor.clock=800MHz"]);
    let own = find(&explained, "values", "key", "primitives.dispatch.other.own");
    assert_eq!((&own["written"], &own["value"]), (&"3 cycles".into(), &"3.75 ns".into()));
    let send = find(&explained, "derived", "name", "send_header");
    assert_eq!(send["from"], "own 31.25 ns + write 30 ns + write 30 ns");
    let reply = find(&explained, "derived", "name", "dispatch of reply");
    assert_eq!(reply["from"], "own 2.5 ns + invalidate 20 ns + line 100 ns");
    let sum = find(&json(&["explain", "cm-5"]), "values", "key", "processor.poll").clone();
    assert_eq!((&sum["written"], &sum["value"]), (&"13.2 cycles + 0.4 us".into(), &"800 ns".into()));
}

#[test]
fn a_file_is_explained_with_what_it_extends() {
    let file = Scratch::new(
        "mine.toml",
        "extends = \"paragon\"\nname = \"mine\"\n[processor]\nclock = \"100 MHz\"\n",
    );
    let explained = json(&["explain", file.path()]);
    assert_eq!(explained["machine_file"], file.path());
    let place = |key: &str| find(&explained, "values", "key", key)["file"].clone();
    assert_eq!(place("processor.clock"), file.path());
    assert_eq!(place("processor.poll"), "machines/paragon.toml");
    let beside = Path::new(file.path()).file_name().unwrap().to_str().unwrap();
    let further = Scratch::new("further.toml", format!("extends = \"{beside}\"\nname = \"further\"\n"));
    assert_eq!(
        find(&json(&["explain", further.path()]), "values", "key", "processor.clock")["value"],
        "100 MHz"
    );
}

#[test]
fn what_cannot_be_explained_is_refused() {
    refused(&["explain", "native"], &["machine `native` is this host", "expected a model"]);
    refused(&["explain", "paragn"], &["unknown machine `paragn`: did you mean `paragon`?"]);
    refused(
        &["explain", "paragon", "--policy", "injct"],
        &["unknown policy `injct`: did you mean `inject`?"],
    );
    refused(
        &["explain", "paragon", "--set", "processor.clock=50", "--set", "nodes", "--width", "x"],
        &[
            "--set processor.clock = \"50\": expected a frequency",
            "--set nodes: expected KEY=VALUE",
            "--width x",
        ],
    );
    let told = tradewind(&["explain", "paragon", "--set", "speed=50MHz"]).err;
    assert!(told.contains("expected a key of the machine file") && told.len() < 500, "{told}");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.toml"), "").unwrap();
    let said = command(&["explain", "mine"]).current_dir(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("unknown machine `mine`: did you mean `mine.toml`?"), "{said}");
    let circle = Scratch::new("circle.toml", "name = \"circle\"\n");
    let name = Path::new(circle.path()).file_name().unwrap().to_str().unwrap();
    fs::write(circle.path(), format!("name = \"circle\"\nextends = \"{name}\"\n")).unwrap();
    refused(&["explain", circle.path()], &[&circle.at("2: extends"), "does not extend this one in turn"]);
}

#[test]
fn a_policy_that_the_machine_gives_no_price_for_is_refused_before_anything_runs() {
    let run = ["run", "fetch-add", "--machine", "now", "--policy", "single"];
    refused(&run, &["policy `single`", "machine `now` gives no price", "`primitives.send_header`"]);
    let explained = json(&["explain", "now"]);
    assert_eq!(explained["runs"]["policies"], serde_json::json!(["proc", "np"]));
    assert_eq!(find(&explained, "refused", "policy", "single")["policy"], "single");
}

#[test]
fn the_documented_machine_runs_as_it_is() {
    let file = Scratch::new("my-machine.toml", template());
    assert!(good(&["explain", file.path()]).starts_with("my-machine: "));
    for policy in ["single", "floating", "proc", "np", "inject", "receive"] {
        let run =
            ["run", "fetch-add", "--machine", file.path(), "--policy", policy, "--input", "operations=400"];
        assert_eq!(json(&run)["report"]["verified"], true);
    }
}

/// Handlers that reply to each other on an idle machine. A thread's first step is not theirs: it hands the message over.
#[test]
fn a_round_trip_takes_in_a_run_what_prices_add_up_to() {
    for (machine, policy, handed_over) in [
        ("cm-5", "floating", 0.0),
        // The thread sends over the bus, in 49 cycles of 2.5 ns; a handler inside the device in 4.
        ("hurricane", "hurricane:1", 112.5),
        // A store into a queue of the node, a cycle of 2.5 ns.
        ("hurricane-1", "fixed:1", 2.5),
        ("hurricane-1", "partitioned:1", 2.5),
        // The network processor is handed the request, and sends the reply of the handler that it runs itself.
        ("now", "np", 2000.0),
        ("meiko-cs2", "np", 5400.0),
    ] {
        let explained = json(&["explain", machine, "--policy", policy]);
        let name = format!("round trip, {policy}");
        let derived = find(&explained, "derived", "name", &name)["number"].as_f64().unwrap();
        let run = ["run", "active-message", "--machine", machine, "--policy", policy, "--nodes", "2"];
        let ran = json(&[&run[..], &["--processors", "2", "--input", "rounds=2000"]].concat());
        let handlers = 2.0 * ran["report"]["figures"]["one_way.near"].as_f64().unwrap();
        let share = (derived - handed_over) / handlers;
        assert!((share - 1.0).abs() < 1e-3, "{machine} under {policy}: {derived} ns, and {handlers} ns");
    }
}

#[test]
fn every_policy_that_a_machine_runs_has_a_round_trip_or_a_reason_why_not() {
    for name in machines() {
        let explained = json(&["explain", &name]);
        for policy in explained["runs"]["policies"].as_array().unwrap() {
            let trip = format!("round trip, {}", policy.as_str().unwrap());
            let is_in = |list: &str| {
                explained[list].as_array().unwrap().iter().any(|entry| entry["name"] == trip.as_str())
            };
            assert_ne!(is_in("derived"), is_in("not_derived"), "{name}: {trip}");
        }
    }
    let text = good(&["explain", "s-coma", "--policy", "s-coma", "--width", "140"]);
    assert!(text.contains("round trip, s-coma") && text.contains("a state machine keeps memory coherent"));
    // Text that was printed for one policy is not repeated for another.
    let text = good(&["explain", "hurricane-1", "--width", "140"]);
    assert!(text.contains("as round trip, single\n") && text.contains("as round trip, fixed\n"), "{text}");
}

#[test]
fn the_grid_of_the_command_line_is_for_the_nodes_of_the_run() {
    let grid = "network.dimensions=[4, 4]";
    let run = [
        "run",
        "fetch-add",
        "--machine",
        "alewife",
        "--policy",
        "single",
        "--input",
        "operations=64",
        "--set",
        grid,
    ];
    let told = |nodes| {
        format!("network.dimensions = [4, 4] has 16 places, and the run {nodes} nodes: expected --nodes 16")
    };
    json(&[&run[..], &["--nodes", "16"]].concat());
    json(&[&run[..], &["--set", "nodes=16"]].concat());
    refused(&[&run[..], &["--nodes", "8"]].concat(), &[&told(8)]);
    refused(&run, &[&told(32)]);
    refused(&["explain", "alewife", "--set", grid], &[&told(32)]);
    json(&["explain", "alewife", "--set", grid, "--set", "nodes=16"]);
}

#[test]
fn communication_costs_nothing_on_the_ideal_machine_whoever_runs_handlers() {
    let lone = |policy| {
        let traffic =
            ["run", "traffic", "--machine", "ideal", "--nodes", "2", "--processors", "2", "--policy", policy];
        let inputs = ["--input", "pattern=uniform", "--input", "messages=100", "--input", "steps=0"];
        json(&[&traffic[..], &inputs].concat())["report"]["figures"]["lone"].as_f64().expect("a time in ns")
    };
    // The network's nanosecond, which keeps an effect behind its cause, and a part of a poll.
    let (own, other) = (lone("single"), lone("fixed:1"));
    assert!((1.0..1.1).contains(&own) && (1.0..1.1).contains(&other), "{own} and {other} ns");
}

#[test]
fn where_there_are_no_hops_none_takes_time() {
    let per_hop = |machine| {
        let run = json(&["run", "active-message", "--machine", machine, "--policy", "single"]);
        run["report"]["figures"]["per_hop"].as_f64().expect("a time in ns")
    };
    assert_eq!(["sparc20-myrinet", "hurricane-1", "ideal"].map(per_hop), [0.0; 3]);
    assert!(per_hop("alewife") > 20.0);
}
