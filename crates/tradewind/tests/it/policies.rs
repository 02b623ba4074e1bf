//! Tests the default policy of a run, and the number of processors that it prints.

use crate::command::{good, json};

#[test]
fn a_run_prints_the_processors_that_are_at_work() {
    let histogram = |machine: &str, policy: &str| {
        let what = ["run", "histogram", "--machine", machine, "--policy", policy];
        let size = ["--nodes", "2", "--processors", "8", "--input", "values=20"];
        let arguments = [&what[..], &size].concat();
        let document = json(&arguments);
        let of = |key: &str| document[key].as_u64().expect("a number");
        let numbers = [of("processors"), of("computing_processors"), of("other_processors")];
        (good(&arguments), numbers)
    };
    for (machine, policy, size, numbers) in [
        ("hurricane-1", "single", "2 nodes of 1 processor,", [1, 1, 0]),
        ("paragon", "np", "2 nodes of 8+1 processors,", [9, 8, 1]),
        ("hurricane-1", "fixed:2", "2 nodes of 6+2 processors,", [8, 6, 2]),
        ("hurricane-1", "hurricane-1:2", "2 nodes of 8+2 processors,", [10, 8, 2]),
    ] {
        let (text, found) = histogram(machine, policy);
        assert!(text.contains(size) && found == numbers, "{policy}: {text} {found:?}");
    }
}

#[test]
fn a_run_without_a_policy_is_under_one_that_the_machine_can_do_and_explain_says_which() {
    for (machine, policy) in
        [("now", "proc"), ("meiko-cs2", "proc"), ("s-coma", "s-coma"), ("alewife", "floating")]
    {
        let ran =
            json(&["run", "fetch-add", "--machine", machine, "--nodes", "2", "--input", "operations=60"]);
        assert_eq!(ran["policy"], policy, "{machine}");
        let explained = json(&["explain", machine]);
        assert_eq!(explained["runs"]["default_policy"], policy, "{machine}");
        assert!(!explained["refused"].as_array().expect("policies").is_empty());
    }
    let text = good(&["explain", "now"]);
    assert!(text.contains("  default     proc\n") && text.contains("cannot run\n"), "{text}");
}

#[test]
fn homes_of_data_change_the_run_of_a_program_and_no_answer() {
    for program in ["em3d", "fft", "radix", "cholesky", "gauss", "tomcatv"] {
        let digest = |homes: &str| {
            let homes = format!("homes={homes}");
            let run =
                ["run", program, "--machine", "hurricane-1", "--mechanism", "shared-memory", "--policy"];
            let ran = json(
                &[&run[..], &["single", "--nodes", "2", "--processors", "1", "--input", &homes]].concat(),
            );
            assert_eq!(ran["report"]["verified"], true, "{program} {homes}");
            ran["digest"].clone()
        };
        let [owner, one, first_touch] = ["owner", "one", "first-touch"].map(digest);
        assert!(owner != one && owner != first_touch && one != first_touch, "{program}");
    }
}
