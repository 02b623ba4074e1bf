//! Tests that every mistake of the user is reported before any run, with the place, the value and the expected values.

use std::fs;
use std::path::Path;

use crate::command::{good, json, refused, tradewind};
use crate::scratch::Scratch;

/// A file of the workspace.
fn shipped(path: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A matrix of that text is refused with these fragments after its name.
fn refused_matrix(text: impl AsRef<[u8]>, place: &str, fragments: &[&str]) {
    let file = Scratch::new("matrix.mtx", text);
    let input = format!("matrix={}", file.path());
    let place = file.at(place);
    refused(&["run", "iccg", "--input", &input], &[&[place.as_str()], fragments].concat());
}

/// The text of a matrix of two rows with these lines after the banner.
fn matrix(lines: &str) -> String {
    format!("%%MatrixMarket matrix coordinate real symmetric\n{lines}\n")
}

#[test]
fn a_matrix_with_a_wrong_count() {
    let few = matrix("2 2 3\n1 1 2\n2 2 2");
    refused_matrix(few, "5:", &["number of entries 2", "expected 3"]);
    let many = matrix("2 2 1\n1 1 2\n2 2 2");
    refused_matrix(many, "4:", &["number of entries 2", "expected 1"]);
}

#[test]
fn a_matrix_with_an_index_out_of_range() {
    refused_matrix(matrix("2 2 2\n1 1 2\n3 2 2"), "4:1:", &["row index 3", "expected 1..=2"]);
}

#[test]
fn a_matrix_with_a_value_that_is_no_number() {
    refused_matrix(matrix("2 2 2\n1 1 nan\n2 2 2"), "3:5:", &["value nan", "expected a finite number"]);
    refused_matrix(matrix("2 2 2\n1 1 2,5\n2 2 2"), "3:5:", &["value 2,5", "expected"]);
}

#[test]
fn a_symmetric_matrix_with_an_entry_in_both_triangles() {
    refused_matrix(
        matrix("2 2 3\n1 1 2\n2 1 2\n1 2 2"),
        "5:1:",
        &["entry (1, 2)", "expected one triangle of a symmetric matrix", "line 4"],
    );
}

#[test]
fn all_mistakes_of_a_matrix_at_once() {
    let text = matrix("2 2 2\n1 1 inf\n9 2 2");
    refused_matrix(text, "3:5:", &["value inf", "matrix.mtx:4:1: row index 9"]);
}

#[test]
fn a_truncated_matrix() {
    let whole = shipped("inputs/494_bus.mtx");
    refused_matrix(&whole[..2000], "", &["expected 1080", "truncated"]);
}

#[test]
fn a_truncated_gzip_stream() {
    let whole = shipped("inputs/bcsstk13.mtx.gz");
    let file = Scratch::new("matrix.mtx.gz", &whole[..whole.len() / 2]);
    refused(
        &["run", "iccg", "--input", file.path()],
        &[file.path(), "gzip stream truncated or corrupt", "expected"],
    );
}

#[test]
fn not_a_matrix() {
    refused_matrix("hello, world\n", "1:1:", &["hello,", "expected %%MatrixMarket"]);
    refused_matrix("", "1:1:", &["missing", "expected %%MatrixMarket"]);
}

#[test]
fn a_matrix_that_cannot_be_factored() {
    refused_matrix(
        "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 2\n",
        "",
        &["2 rows and 3 columns", "expected a square matrix"],
    );
}

#[test]
fn a_matrix_without_a_cholesky_factor() {
    let refused = |text: &str, expected: &str| {
        let file = Scratch::new("matrix.mtx", text);
        refused_in_our_words(
            &["run", "cholesky", "--input", file.path()],
            &[&file.at(&format!(" {expected}"))],
        );
    };
    refused(
        &matrix("2 2 3\n1 1 1\n2 1 2\n2 2 1"),
        "pivot 2 of the elimination, row 2 of the file, is not positive: expected a positive definite matrix",
    );
    refused(
        "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n2 1 1\n2 2 3\n",
        "a triangular factor without its matrix: expected the symmetric matrix, of which cholesky computes the factor",
    );
}

#[test]
fn all_mistakes_of_a_machine_file_at_once() {
    let good = String::from_utf8(shipped("machines/hurricane-1.toml")).unwrap();
    let changes = [
        ("nodes = 8 ", "nodes = 0 ", "nodes = 0: expected a whole number from 1"),
        ("\"400 MHz\"", "\"50 MHZ2\"", "\"50 MHZ2\": expected a frequency"),
        ("thread_switch = ", "thread_swich = ", "did you mean \"thread_switch\"?"),
    ];
    let (mut bad, mut expected) = (good.clone(), Vec::new());
    for (from, to, message) in changes {
        assert_eq!(bad.matches(from).count(), 1, "{from}");
        bad = bad.replace(from, to);
        let line = bad.lines().position(|line| line.contains(to)).unwrap() + 1;
        expected.push((line, message));
    }
    let file = Scratch::new("machine.toml", &bad);
    let places = expected.iter().map(|(line, _)| file.at(&format!("{line}: "))).collect::<Vec<_>>();
    let fragments = places.iter().map(String::as_str).chain(expected.iter().map(|(_, message)| *message));
    refused(&["run", "iccg", "--machine", file.path()], &fragments.collect::<Vec<_>>());
    // The file as it is shipped is a good one.
    let file = Scratch::new("machine.toml", &good);
    let input = ["--policy", "single", "--input", "matrix=494_bus"];
    let ran = tradewind(&[&["run", "iccg", "--machine", file.path()], &input[..]].concat());
    assert!(ran.code == Some(0), "{ran:?}");
}

#[test]
fn a_machine_file_that_is_not_there_or_no_text() {
    refused(&["run", "iccg", "--machine", "./no-such.toml"], &["./no-such.toml", "No such file"]);
    let file = Scratch::new("machine.toml", b"name = \"\xff\"");
    refused(&["run", "iccg", "--machine", file.path()], &[file.path(), "byte 8", "expected UTF-8"]);
}

#[test]
fn a_setting_that_is_none() {
    let model = ["run", "iccg", "--machine", "hurricane-1", "--set"];
    let refused = |setting, fragments: &[&str]| refused(&[&model[..], &[setting]].concat(), fragments);
    refused("network.latenzy=1 us", &["--set network.latenzy", "did you mean \"network.latency\"?"]);
    refused("network.latency=1 parsec", &["--set network.latency", "1 parsec", "expected a time"]);
    refused("network.latency", &["--set network.latency", "expected KEY=VALUE"]);
}

#[test]
fn this_host_has_nothing_to_set() {
    let setting = "network.latency=1 us";
    let fragments = ["--set network.latency", "`native`", "expected a model"];
    refused(&["run", "iccg", "--set", setting], &fragments);
    refused(&["compare", "iccg", "--machine", "native", "--set", setting], &fragments);
}

#[test]
fn a_policy_that_the_machine_cannot_do() {
    let refused = |machine, policy, need| {
        let arguments = ["run", "fetch-add", "--machine", machine, "--policy", policy];
        refused(&arguments, &[&format!("`{policy}`"), &format!("machine `{machine}`"), need]);
    };
    refused("hurricane-1", "np", "`network-processor`");
    refused("hurricane-1", "s-coma", "`hardware-protocol`");
    refused("native", "hurricane:1", "`embedded-processors`");
    refused("native", "hurricane-1-mult", "interrupted");
    refused("native", "single+interrupt", "interrupted");
    let typed =
        ["run", "histogram", "--machine", "sparc20-myrinet", "--processors", "4", "--policy", "fixed:2"];
    crate::command::refused(&typed, &["`keyed-dispatch`", "with --policy fixed:2+serial, single"]);
}

#[test]
fn a_policy_that_leaves_nobody_to_compute() {
    for machine in ["native", "hurricane-1"] {
        let arguments = ["run", "iccg", "--machine", machine, "--processors", "2", "--policy", "fixed:2"];
        refused(&arguments, &["`fixed:2`", "2 of 2 processors", "expected at least --processors 3"]);
    }
}

#[test]
fn names_that_are_not_known() {
    let program = ["unknown program `icgc`", "did you mean `iccg`?", "fetch-add, "];
    refused(&["run", "icgc"], &program);
    refused(&["compare", "icgc"], &program);
    let machine = [
        "unknown machine `huricane-1`",
        "did you mean `hurricane-1`?",
        "native, ",
        "hurricane-1, ",
        "ideal, ",
    ];
    refused(&["run", "iccg", "--machine", "huricane-1"], &machine);
    let machines = ["unknown machine `natve`", "did you mean `native`?", machine[0]];
    refused(&["compare", "iccg", "--machine", "natve,huricane-1"], &machines);
    refused(&["list", "nonsense"], &["nonsense", "machines, programs, policies, mechanisms"]);
}

/// Refused in the words of this command, not of the parser of its arguments.
fn refused_in_our_words(arguments: &[&str], fragments: &[&str]) {
    refused(arguments, fragments);
    let err = tradewind(arguments).err;
    let strange: Vec<_> = err.lines().filter(|line| !line.starts_with("tradewind: error: ")).collect();
    assert!(strange.is_empty(), "tradewind {}: {strange:?}", arguments.join(" "));
}

#[test]
fn policies_and_mechanisms_that_are_not_known() {
    let refused = refused_in_our_words;
    let floating = ["unknown policy `flating`", "did you mean `floating`?", "expected one of single, fixed"];
    refused(&["run", "iccg", "--policy", "flating"], &floating);
    refused(&["run", "iccg", "--policy", "flating:2+keyed"], &floating);
    refused(&["compare", "iccg", "--policy", "single,flating"], &floating);
    refused(&["run", "iccg", "--policy", "fixed:0"], &["`fixed:0`", "from 1 to 64"]);
    refused(&["run", "iccg", "--policy", "single:2"], &["`single` takes no count"]);
    refused(&["run", "iccg", "--policy", "floating+fast"], &["`+fast`", "expected +serial"]);
    let messages =
        ["unknown mechanism `mesages`", "did you mean `messages`?", "messages, bulk, deposit, shared-memory"];
    refused(&["run", "iccg", "--mechanism", "mesages"], &messages);
    refused(&["compare", "iccg", "--mechanism", "mesages,deposit"], &messages);
    let deposit = ["mechanism `deposit`", "expected one of messages, bulk for `iccg`"];
    refused(&["run", "iccg", "--mechanism", "deposit"], &deposit);
    refused(&["compare", "iccg", "--mechanism", "messages,deposit"], &deposit);
}

#[test]
fn blocks_and_protocols_that_are_not_known_or_of_no_use() {
    let refused = refused_in_our_words;
    let shared = ["run", "em3d", "--mechanism", "shared-memory"];
    let and = |more: &[&'static str]| [&shared[..], more].concat();
    refused(&and(&["--block", "48"]), &["--block 48: expected 16, 32, 64 or 128 bytes"]);
    refused(&and(&["--block", "-1", "--protocol", "stach"]), &["--block -1", "did you mean `stache`?"]);
    let protocols = ["unknown protocol `mesi`", "expected one of stache, stache-unordered, stache-migrating"];
    refused(&and(&["--protocol", "mesi"]), &protocols);
    // The default is the first mechanism of the program.
    let messages = ["--block 32 with mechanism `messages`: expected --mechanism shared-memory"];
    refused(&["run", "em3d", "--block", "32"], &messages);
    let both = ["--mechanism", "bulk,deposit", "--protocol", "stache"];
    let bulk = ["--protocol stache with mechanism `bulk, deposit`: expected --mechanism shared-memory"];
    refused(&[&["compare", "em3d"][..], &both].concat(), &bulk);
    let iccg = [
        "--block 32 for `iccg`, which runs by messages, bulk: expected a program that runs by shared-memory",
    ];
    refused(&["compare", "iccg", "--block", "32"], &iccg);
}

#[test]
fn shared_memory_that_cannot_be() {
    let run = |input| ["run", "em3d", "--mechanism", "shared-memory", "--input", input];
    refused(&run("frames=0"), &["0 frames for pages of other nodes: at least 1 is needed"]);
    refused(
        &run("frames=few"),
        &["input `frames`: room for `few` pages: expected all, on-demand or a whole number"],
    );
    refused(&run("record=48"), &["input `record=48`: expected 32, 64 or 128"]);
    refused(
        &["run", "fetch-add", "--input", "spacing=24"],
        &["`spacing=24`: expected a power of two from 8"],
    );
    let cm_5 = ["run", "em3d", "--mechanism", "shared-memory", "--machine", "cm-5"];
    refused(&cm_5, &["mechanism `shared-memory` needs `shared-memory`, which machine `cm-5` lacks"]);
    refused(&["run", "remote-miss", "--nodes", "1"], &["misses on 1 node: expected --nodes of at least 2"]);
    let nobody = ["`homes=1` and `requesters=2`: node 1 would have nobody else to ask"];
    refused(&["run", "saturation", "--input", "homes=1"], &nobody);
}

#[test]
fn hardware_that_keeps_memory_coherent_handles_no_messages() {
    let messages = ["run", "em3d", "--machine", "s-coma", "--mechanism", "messages", "--policy", "s-coma"];
    refused(&messages, &["policy `s-coma` leaves nobody to handle", "expected mechanism `shared-memory`"]);
    let floating =
        ["run", "em3d", "--machine", "s-coma", "--mechanism", "shared-memory", "--policy", "floating"];
    refused(&floating, &["policy `floating` needs `poll`, which machine `s-coma` lacks"]);
    // Without an option it is the one way that there is.
    let run = json(&["run", "em3d", "--machine", "s-coma", "--input", "nodes=480"]);
    assert_eq!([&run["policy"], &run["mechanism"]], ["s-coma", "shared-memory"]);
}

#[test]
fn a_model_has_no_thread_beside_its_processors() {
    let helped = ["run", "em3d", "--machine", "cm-5", "--policy", "single+helper"];
    refused(&helped, &["policy `single+helper` needs `helper-thread`, which machine `cm-5` lacks"]);
}

#[test]
fn all_mistakes_of_a_command_line_at_once() {
    let arguments = ["compare", "icgc", "--machine", "natve,huricane-1", "--policy", "flating,fixed:0"];
    let arguments = [&arguments[..], &["--mechanism", "bulky", "--set", "what"]].concat();
    let names = ["`icgc`", "`natve`", "`flating`", "`fixed:0`", "`bulky`", "--set what"];
    refused_in_our_words(&arguments, &names);
    let inputs =
        ["run", "iccg", "--mechanism", "deposit", "--policy", "flating", "--input", "partition=round"];
    refused_in_our_words(&inputs, &["`deposit`", "`flating`", "round"]);
}

#[test]
fn inputs_that_are_not_known_or_out_of_range() {
    let refused =
        |program, input, fragments: &[&str]| refused(&["run", program, "--input", input], fragments);
    refused(
        "fetch-add",
        "wrds=3",
        &["unknown input `wrds`", "did you mean `words`?", "expected one of words"],
    );
    refused("fetch-add", "words=0", &["`words=0`", "expected an integer from 1 to"]);
    refused("fetch-add", "skew=11", &["`skew=11`", "expected a number from 0 to 10"]);
    refused("fetch-add", "skew=NaN", &["`skew=NaN`", "expected a number from 0 to 10"]);
    refused("fetch-add", "window=many", &["`window=many`", "expected an integer from 1 to 65536"]);
    refused("fetch-add", "some.mtx", &["some.mtx", "expected KEY=VALUE", "`fetch-add` reads no file"]);
    refused("fft", "points=2048", &["`points=2048`: expected a power of 4", "1024 or 4096"]);
    refused("radix", "radix=1000", &["`radix=1000`: expected a power of two", "512 or 1024"]);
    refused("radix", "bits=32", &["`bits=32`: expected an integer from 1 to 31"]);
    refused("iccg", "partition=round", &["round", "expected one of bisection, blocks, cyclic"]);
    let both = ["run", "fetch-add", "--input", "words=0", "--input", "wrds=3"];
    crate::command::refused(&both, &["`words=0`", "`wrds`"]);
}

#[test]
fn inputs_that_the_mechanism_does_nothing_with() {
    refused(
        &[
            "run",
            "em3d",
            "--mechanism",
            "bulk",
            "--input",
            "record=64",
            "--input",
            "values=3",
            "--input",
            "nodes=600",
        ],
        &[
            "--input record: `em3d` by bulk does nothing with it; expected --mechanism shared-memory",
            "--input values: `em3d` by bulk does nothing with it; expected --mechanism messages or deposit",
        ],
    );
    // The first mechanism is the default.
    refused(
        &["run", "fetch-add", "--input", "spacing=64"],
        &["--input spacing", "expected --mechanism shared-memory"],
    );
    refused(
        &[
            "compare",
            "fetch-add",
            "--mechanism",
            "shared-memory",
            "--input",
            "window=2",
            "--input",
            "frames=all",
        ],
        &["--input window: `fetch-add` by shared-memory does nothing with it; expected --mechanism messages"],
    );
    let told = tradewind(&["list", "programs", "fetch-add"]).out;
    assert!(told.contains("--input window=64  (by messages only)"), "{told}");
    // Of several mechanisms one is enough.
    let both =
        ["compare", "fetch-add", "--machine", "ideal", "--policy", "single", "--input", "operations=40"];
    let inputs = ["--input", "window=2", "--input", "spacing=64"];
    assert_eq!(tradewind(&[&both[..], &inputs[..]].concat()).code, Some(0));
}

#[test]
fn a_preset_that_does_not_exist_and_a_graph_that_cannot_be() {
    let preset = ["no preset `alewif`", "did you mean `alewife`?", "small, alewife, fixed-floating, pdq"];
    refused(&["run", "em3d", "--input", "preset=alewif"], &preset);
    let degree = ["`degree=5`", "expected at most 4", "half of the graph's nodes"];
    refused(&["run", "em3d", "--input", "nodes=8", "--input", "degree=5"], &degree);
    refused(&["run", "em3d", "--input", "nodes=7"], &["`nodes=7`", "expected an even number"]);
    refused(
        &["run", "em3d", "--nodes", "1"],
        &[
            "20% remote edges",
            "expected --nodes 2 or more, --input owners=2, or --input remote=0",
            "remote=0",
        ],
    );
}

#[test]
fn more_nodes_than_the_program_can_split_once_for_all_policies() {
    let owners =
        "4000 graph nodes for 5000 owners (--nodes 5000, --input owners=nodes): expected at least 10";
    for command in ["run", "compare"] {
        refused_in_our_words(&[command, "em3d", "--nodes", "5000"], &[owners]);
        let err = tradewind(&[command, "em3d", "--nodes", "5000"]).err;
        assert_eq!(err.lines().count(), 1, "{err}");
    }
}

#[test]
fn more_threads_than_there_are_rows_to_transform() {
    let rows = "16 rows of 256 points for 20 threads: expected at most as many threads as rows, or --input points=1024";
    let run = ["run", "fft", "--nodes", "5", "--processors", "4", "--input", "points=256"];
    refused_in_our_words(&run, &[rows]);
}

#[test]
fn more_threads_than_rows() {
    let rows = "8 rows for 3 nodes of 3 threads: expected at least one for each thread, --input size=9";
    for program in ["tomcatv", "gauss"] {
        let run = ["run", program, "--nodes", "3", "--processors", "3", "--input", "size=8"];
        refused_in_our_words(&run, &[rows]);
    }
}

#[test]
fn an_input_that_is_not_there() {
    for input in ["no-such.mtx", "matrix=no-such.mtx"] {
        let shipped = ["bcsstk13", "494_bus", "jagmesh7", "teapot"];
        refused(
            &["run", "iccg", "--input", input],
            &[&["no-such.mtx", "No such file"], &shipped[..]].concat(),
        );
    }
}

#[test]
fn numbers_that_are_none() {
    let refused =
        |option, value, expected| refused(&["run", "iccg", option, value], &[option, value, expected]);
    refused("--seed", "one", "expected a whole number from 0");
    refused("--seed", "18446744073709551616", "expected a whole number from 0 to 18446744073709551615");
    refused("--width", "10", "expected a whole number from 40");
    refused("--stall-limit", "nonsense", "expected a time such as");
    refused("--stall-limit", "0 s", "expected a time above zero");
    refused("--stall-limit", "-1 s", "expected a time");
    refused("--world", "moon", "local");
}

#[test]
fn all_numbers_that_are_none_at_once() {
    for command in ["run", "compare"] {
        for number in ["0", "-1", "1e30", "two", "1.5"] {
            let options = ["--nodes", "--processors", "--threads", "--repeat"];
            let numbers = options.iter().flat_map(|option| [*option, number]);
            let arguments: Vec<_> =
                [command, "icgc", "--policy", "flating"].into_iter().chain(numbers).collect();
            let said = options.map(|option| {
                let or = if option == "--repeat" { ", or auto" } else { "" };
                format!("{option} {number}: expected a whole number from 1{or}\n")
            });
            let said = said.iter().map(String::as_str).chain(["`icgc`", "`flating`"]);
            refused_in_our_words(&arguments, &said.collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_mistake_in_one_place_hides_none_in_another() {
    let inputs = ["words=1", "words=2", "operations=many", "some.mtx"];
    let inputs = inputs.iter().flat_map(|input| ["--input", *input]);
    let arguments: Vec<_> = ["run", "fetch-add"].into_iter().chain(inputs).collect();
    refused_in_our_words(&arguments, &["--input words: given twice", "`operations=many`", "reads no file"]);
    let iccg =
        ["run", "iccg", "--mechanism", "bulky", "--input", "no-such.mtx", "--input", "partition=round"];
    refused_in_our_words(&iccg, &["`bulky`", "no-such.mtx", "round"]);
    let settings = ["--set", "bogus", "--set", "network.latenzy=1 us"];
    for machines in ["hurricane-1", "ideal,hurricane-1"] {
        let compare = ["compare", "iccg", "--machine", machines];
        refused_in_our_words(&[&compare[..], &settings].concat(), &["--set bogus", "network.latenzy"]);
    }
}

#[test]
fn a_machine_that_is_given_twice() {
    let twice = |name: &str| format!("--machine {name}: given twice");
    for name in ["native", "hurricane-1"] {
        let list = format!("{name},ideal,{name}");
        refused_in_our_words(&["compare", "iccg", "--machine", &list], &[&twice(name)]);
    }
    let file = Scratch::new("machine.toml", shipped("machines/hurricane-1.toml"));
    let (folder, name) = file.path().rsplit_once('/').unwrap();
    let other = format!("{folder}/./{name}");
    let list = format!("{},{other}", file.path());
    refused_in_our_words(&["compare", "iccg", "--machine", &list], &[&twice(&other)]);
    // The refusing machine is named by its file even if two machines have one name.
    let np = ["run", "fetch-add", "--policy", "np", "--machine", file.path()];
    refused_in_our_words(&np, &[&format!("{}: policy `np` needs", file.path())]);
}

#[test]
fn more_than_anyone_can_have() {
    for option in ["--nodes", "--threads", "--processors"] {
        let fragments = ["4294967295", "expected at most 1048576 threads in all"];
        refused(&["run", "fetch-add", option, "4294967295"], &fragments);
    }
}

#[test]
fn a_comparison_in_which_nothing_can_run() {
    let arguments = ["compare", "fetch-add", "--machine", "native,hurricane-1", "--policy", "np"];
    refused(&arguments, &["machine `native` lacks", "machine `hurricane-1` lacks"]);
}

#[test]
fn no_command_at_all() {
    refused(&[], &["Usage:", "run", "compare", "list"]);
    refused(&["run"], &["<PROGRAM>"]);
}

#[test]
fn a_machine_file_that_does_not_ship() {
    // Recommended commands print as recommended.
    for (name, begins) in [
        ("paragn", "unknown machine `paragn`: did you mean `paragon`? expected one that ships: "),
        ("p.toml", "unknown machine `p.toml`: expected one that ships: "),
        ("natve", "unknown machine `natve`: expected one that ships: "),
        ("native", "machine `native` is this host and has no file; expected one of "),
    ] {
        let said = tradewind(&["machine", name]).err;
        refused(&["machine", name], &[begins]);
        let (_, names) = said.trim_end().split_once(begins).expect("it begins so");
        for machine in names.split(';').next().unwrap_or_default().split(", ") {
            good(&["machine", machine]);
        }
    }
}
