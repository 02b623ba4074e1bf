//! Runs and comparisons as a library user asks for them, and the mistakes that are answered as types.

#![forbid(unsafe_code)]

use std::ops::ControlFlow;

use tempest::Mechanism;
use tempest::entry::{self, Entry};
use tradewind_worlds::shape::AskedShape;
use tradewind_worlds::{
    AskedFree, Baseline, Comparison, Error, FreeMistake, MAX_THREADS, MachineShape, Mistake, Ranges, Repeat,
    Run, Subject, Target, machines,
};

fn program(name: &str) -> &'static Entry {
    entry::find(name, apps::ALL).expect("an application")
}

fn target(name: &str) -> Target {
    Target::find(name, &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// A histogram of few values on a model.
fn histogram() -> Run {
    Run::of(program("histogram")).on(target("paragon")).nodes(2).input("values", "50")
}

/// The mistakes of a run that must not be possible.
fn mistakes(run: Run) -> Vec<Mistake> {
    match run.run() {
        Err(Error::Wrong(mistakes)) => mistakes,
        other => panic!("expected mistakes, got {other:?}"),
    }
}

#[test]
fn a_model_gives_the_same_outcome_every_time_and_a_machine_of_ones_own_another() {
    let [one, two] = [histogram(), histogram()].map(|run| run.run().unwrap());
    assert!(one.report.verified() && one.digest.is_some() && one == two);
    let text =
        "extends = \"paragon\"\nname = \"mine\"\nsummary = \"a test\"\n[network]\nlatency = \"1 ms\"\n";
    let mine = machines::parse("mine.toml", text, &[]).unwrap();
    let slower = histogram().on(mine).run().unwrap();
    assert!(slower.report.verified() && slower.timed() > one.timed());
}

#[test]
fn every_mistake_of_a_request_is_a_value() {
    let wrong = histogram().input("value", "3").mechanism(Mechanism::Bulk);
    let found = mistakes(wrong);
    assert!(
        matches!(&found[..], [Mistake::NotWritten { mechanism: Mechanism::Bulk, .. }, Mistake::Input(_)]),
        "{found:?}"
    );
    let found = mistakes(histogram().policy("hurricane:2".parse().unwrap()));
    assert!(matches!(&found[..], [Mistake::Refused { file: None, .. }]), "{found:?}");
    let found = mistakes(histogram().threads(MAX_THREADS));
    assert!(matches!(&found[..], [Mistake::TooManyThreads { nodes: 2, computing: 1, .. }]), "{found:?}");
    let found = mistakes(Run::of(program("iccg")).input("matrix", "no-such-file.mtx"));
    assert!(matches!(&found[..], [Mistake::UnreadableInput { path, .. }, ..] if path == "no-such-file.mtx"));
    let Err(Error::Wrong(found)) = Target::find("paragn", &[]) else { panic!("there is no such machine") };
    assert!(matches!(&found[..], [Mistake::UnknownMachine { nearest: Some(near), .. }] if near == "paragon"));
    let setting = [("nodes".to_owned(), "3".to_owned())];
    assert_eq!(
        Target::find("native", &setting).unwrap_err(),
        Error::Wrong(vec![Mistake::NativeSetting { key: "nodes".to_owned() }])
    );
}

#[test]
fn a_comparison_runs_what_each_machine_can_do_and_tells_of_every_run() {
    let subject = Subject::load(program("histogram"), &[("values", "20")]).unwrap();
    let mut comparison = Comparison::new(subject, vec![target("native"), target("cm-5")]);
    comparison.shapes = vec![MachineShape { nodes: 2, processors: 1 }];
    comparison.repeat = Repeat::Times(2);
    let mut told = Vec::new();
    let compared = comparison.run_with(|step| {
        told.push((step.done, step.all, step.target.name().to_owned(), step.run));
        ControlFlow::Continue(())
    });
    assert!(told.windows(2).all(|steps| steps[0].0 < steps[1].0), "{told:?}");
    let all = told[0].1;
    assert!(told.iter().all(|step| step.1 == all && step.0 < all));
    let runs = |name: &str| told.iter().filter(|step| step.2 == name).count();
    // A round that warms up, and two that count.
    assert_eq!(runs("native"), 3 * compared[0].ran.len());
    assert_eq!(runs("cm-5"), compared[1].ran.len());
    for compared in compared {
        assert!(compared.refused.is_empty() && compared.failed.is_empty() && !compared.ran.is_empty());
        let ranking = compared.ranking();
        assert!(ranking.is_clean());
        let times: Vec<_> = ranking.rows().iter().map(|row| row.outcome.timed()).collect();
        assert!(times.is_sorted(), "{times:?}");
    }
}

#[test]
fn a_comparison_that_is_stopped_has_the_runs_before_it() {
    let subject = Subject::load(program("histogram"), &[("values", "20")]).unwrap();
    let mut comparison = Comparison::new(subject, vec![target("native"), target("cm-5")]);
    comparison.shapes = vec![MachineShape { nodes: 2, processors: 1 }];
    comparison.mechanisms = vec![Mechanism::Messages];
    comparison.policies = ["single", "single", "floating"].map(|policy| policy.parse().unwrap()).to_vec();
    comparison.repeat = Repeat::Times(5);
    // Stopped in the second round that counts, and asked again for each run that is left.
    let compared = comparison.run_with(|step| match step.done {
        0..=6 => ControlFlow::Continue(()),
        7 => ControlFlow::Break(()),
        _ => panic!("a run began after the stop: {step:?}"),
    });
    let runs = |index: usize| compared[index].ran.iter().map(|(_, ran)| ran.runs()).collect::<Vec<_>>();
    assert_eq!((runs(0).iter().sum::<usize>(), runs(0).len(), runs(1)), (4, 3, Vec::new()));
    let [native, model] = [0, 1].map(|index| compared[index].clone().ranking());
    assert!(native.missing.is_empty() && native.rows().iter().any(|row| row.policies == ["single (2nd)"]));
    let missing: Vec<_> = model.missing.iter().map(|way| way.policy.as_str()).collect();
    assert_eq!(missing, ["single", "single (2nd)", "floating"]);
}

#[test]
fn what_is_the_same_by_construction_runs_once_unless_it_is_asked_for() {
    let subject = Subject::load(program("histogram"), &[("values", "20")]).unwrap();
    let mut comparison = Comparison::new(subject, vec![target("native")]);
    comparison.shapes =
        vec![MachineShape { nodes: 1, processors: 1 }, MachineShape { nodes: 1, processors: 2 }];
    comparison.mechanisms = vec![Mechanism::Messages];
    comparison.repeat = Repeat::Times(1);
    let policies = |comparison: &Comparison| -> Vec<Vec<Vec<String>>> {
        let rankings = comparison.run().into_iter().map(|compared| compared.ranking());
        let policies = |ranking: compare::Ranking| {
            let mut policies: Vec<_> = ranking.rows().iter().map(|row| row.policies.clone()).collect();
            policies.sort();
            policies
        };
        rankings.map(policies).collect()
    };
    let [alone, two] = &policies(&comparison)[..] else { panic!("two shapes") };
    assert!(alone.contains(&["single", "floating", "adaptive"].map(str::to_owned).to_vec()), "{alone:?}");
    assert!(two.contains(&vec!["floating".to_owned()]), "{two:?}");
    comparison.policies = ["floating", "single"].map(|policy| policy.parse().unwrap()).to_vec();
    assert_eq!(policies(&comparison)[0], [["floating"], ["single"]]);
}

#[test]
fn on_a_model_too_one_processor_is_single_under_every_name() {
    let subject = Subject::load(program("histogram"), &[("values", "20")]).unwrap();
    // Nodes of one processor each, in numbers of its own.
    let comparison = Comparison::new(subject, vec![target("alewife")]);
    assert_eq!(comparison.shapes, [MachineShape { nodes: 32, processors: 1 }]);
    let ranking = comparison.run().remove(0).ranking();
    let policies: Vec<_> = ranking.rows().iter().map(|row| row.policies.join(", ")).collect();
    // Without a network processor `proc` comes out the same.
    assert_eq!(policies, ["single, floating, proc"]);
}

#[test]
fn models_are_compared_in_their_own_size_if_they_are_alike_and_with_counts_that_fit_it() {
    let subject = || Subject::load(program("histogram"), &[("values", "1")]).unwrap();
    let shape = |nodes, processors| MachineShape { nodes, processors };
    let of_both = Comparison::new(subject(), vec![target("alewife"), target("paragon")]);
    assert_eq!(of_both.shapes, [shape(4, 2)]);
    let mut wide = Comparison::new(subject(), vec![target("hurricane-1")]);
    assert_eq!(wide.shapes, [shape(8, 8)]);
    wide.ask(AskedShape { nodes: Some(2), processors: Some(64) });
    assert_eq!(wide.shapes, [shape(2, 64)]);
    wide.mechanisms = vec![Mechanism::Messages];
    let ways = wide.begin().so_far().remove(0).missing;
    let counts: Vec<_> = ways.iter().filter_map(|way| way.policy.strip_prefix("hurricane-1:")).collect();
    assert_eq!(counts, ["1", "2", "8", "16"]);
    let at_work =
        |policy: &str| target("hurricane-1").at_work(&policy.parse().unwrap(), 64).unwrap().to_string();
    assert_eq!(["single", "fixed:16", "hurricane-1:16"].map(at_work), ["1", "48+16", "64+16"]);
    let machine = target("paragon");
    assert_eq!(machine.at_work(&"np".parse().unwrap(), 64).unwrap().to_string(), "64+1");
    let inside = target("hurricane").at_work(&"hurricane:16".parse().unwrap(), 64).unwrap();
    assert_eq!(inside.to_string(), "64+16");
}

#[test]
fn a_run_without_a_policy_is_under_one_that_the_machine_can_do() {
    for (machine, program_name, expected) in [
        ("now", "histogram", (Mechanism::Messages, "proc")),
        ("meiko-cs2", "histogram", (Mechanism::Messages, "proc")),
        ("s-coma", "fetch-add", (Mechanism::SharedMemory, "s-coma")),
        ("hurricane-1", "histogram", (Mechanism::Messages, "floating")),
    ] {
        let setting = Run::of(program(program_name)).on(target(machine)).nodes(2).setting().unwrap();
        assert_eq!((setting.mechanism, setting.policy.to_string().as_str()), expected, "{machine}");
    }
}

#[test]
fn what_a_machine_cannot_do_is_refused_once() {
    let subject = Subject::load(program("shared-histogram"), &[("values", "20")]).unwrap();
    let mut comparison = Comparison::new(subject, vec![target("cm-5")]);
    comparison.mechanisms = vec![Mechanism::SharedMemory];
    let compared = comparison.run_with(|step| panic!("nothing runs, but {step:?}"));
    let [refusal] = &compared[0].refused[..] else { panic!("{:?}", compared[0].refused) };
    assert!(refusal.policy.is_none() && refusal.reason.contains("shared-memory"), "{}", refusal.reason);
}

#[test]
fn a_uniprocessor_solves_the_problem_of_many_and_pays_for_computation_and_memory_alone() {
    let em3d = program("em3d");
    for name in machines::ALL.iter().map(|shipped| shipped.name) {
        let machine = target(name);
        for mechanism in machine.mechanisms().into_iter().filter(|it| em3d.mechanisms.contains(it)) {
            let policies = tempest::policy::PRESETS.iter().filter_map(|preset| preset.name.parse().ok());
            let policy = policies.into_iter().find(|policy| machine.check(mechanism, policy).is_ok());
            let run =
                Run::of(em3d).on(machine.clone()).nodes(4).input("nodes", "1600").input("iterations", "2");
            let run =
                run.mechanism(mechanism).policy(policy.expect("the machine can do it under some policy"));
            let setting = run.setting().unwrap();
            let alone = setting.baseline(Baseline::Uniprocessor).unwrap();
            let [many, one] = [&setting, &alone].map(|setting| {
                let ran = setting.measure(Repeat::Times(1), |_| ControlFlow::Continue(())).unwrap();
                ran.expect("nothing stopped it").median().clone()
            });
            assert!(many.counters.messages + many.counters.deposits > 0, "{name} by {mechanism}");
            let (counters, spent) = (&one.counters, &one.breakdown);
            assert!(
                one.report.verified() && counters.messages + counters.handlers == 0,
                "{name} by {mechanism}"
            );
            // The rest is the computation of a barrier without other nodes, and its entries that come from memory.
            let rest = spent.total() - (spent.compute + spent.memory);
            assert!(rest * 1000 <= spent.total(), "{name} by {mechanism}: {spent:?}");
            assert_eq!(one.report.checks, many.report.checks, "{name} by {mechanism}: the same graph");
        }
    }
    let native = Run::of(em3d).nodes(2).setting().unwrap().baseline(Baseline::Uniprocessor);
    let Err(Error::Wrong(found)) = native else { panic!("this host has no uniprocessor") };
    assert!(matches!(&found[..], [Mistake::NativeBaseline { .. }]), "{found:?}");
}

/// Counts into shared memory on the machine whose software looks at tags, with a value of its own.
fn with_tags(key: &str, value: &str) -> Run {
    let machine = Target::find("sparc20-myrinet", &[(key.to_owned(), value.to_owned())]);
    let machine = machine.unwrap_or_else(|error| panic!("{error}"));
    let run = Run::of(program("shared-histogram")).on(machine).nodes(2).processors(1).input("values", "60");
    run.mechanism(Mechanism::SharedMemory).policy("single".parse().expect("a preset"))
}

#[test]
fn software_looks_at_a_tag_before_each_access() {
    let compute = |check| with_tags("processor.check", check).run().unwrap().breakdown.compute;
    let [none, short, long] = ["0 ns", "50 ns", "100 ns"].map(compute);
    assert!(short > none && long - short == short - none, "{none} {short} {long}");
}

#[test]
fn a_right_to_a_block_is_changed_tag_by_tag() {
    let set = |tag| {
        let outcome = with_tags("memory.tag", tag).threads(1).run().unwrap();
        let steps = outcome.anatomy.iter().flat_map(|kind| &kind.steps);
        steps.filter(|step| step.name == "set_tag").map(|step| step.times).sum::<u64>()
    };
    // One miss at a time, in the same order however long it takes.
    let [whole, half, quarter] = ["64 B", "32 B", "16 B"].map(set);
    assert!(whole > 0 && (half, quarter) == (2 * whole, 4 * whole), "{whole} {half} {quarter}");
    let found = mistakes(with_tags("memory.tag", "128 B"));
    let told = "blocks of 64 bytes on machine `sparc20-myrinet`, where 128 bytes have one tag: expected --block 128 or more";
    assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), [told]);
}

/// The free inputs of a program, as the command line states them.
fn ranges(program: &Entry, texts: &[&str]) -> Result<Ranges, Error> {
    let asked = texts.iter().flat_map(|text| AskedFree::read(text).expect("free inputs"));
    Ranges::new(program, &asked.collect::<Vec<_>>())
}

#[test]
fn a_comparison_over_free_inputs_runs_in_every_case_of_their_values() {
    let histogram = program("histogram");
    let usual = histogram.inputs.iter().find(|input| input.key == "values").expect("an input").default;
    let mut comparison = Comparison::new(Subject::told(histogram, &[]).unwrap(), vec![target("ideal")]);
    comparison.policies = vec!["single".parse().unwrap(), "floating".parse().unwrap()];
    comparison.free(&ranges(histogram, &["values=20..20000"]).unwrap(), &[]).unwrap();
    let cases: Vec<_> = (0..3).map(|case| comparison.freed.case(case)).collect();
    assert_eq!(cases, [&format!("values {usual}"), "values 20", "values 20000"]);
    let comparing = comparison.begin();
    let mut steps = Vec::new();
    comparing.run(|step| {
        steps.push((step.case, step.done, step.all));
        ControlFlow::Continue(())
    });
    assert_eq!(steps.iter().map(|step| step.0).collect::<Vec<_>>(), [0, 0, 1, 1, 2, 2]);
    assert!(steps.iter().enumerate().all(|(done, step)| (step.1, step.2) == (done, 6)), "{steps:?}");
    let here = comparing.so_far().remove(0).ranking();
    let [fewer, more] = comparing.further().try_into().expect("two further cases");
    let time = |mut case: Vec<tradewind_worlds::Compared>| {
        let ranking = case.remove(0).ranking();
        assert!(ranking.is_clean() && ranking.ran() == 2);
        ranking.places[0].row.outcome.timed()
    };
    let now = here.places[0].row.outcome.timed();
    assert!(time(fewer) < now && now < time(more));
}

#[test]
fn free_inputs_that_cannot_be_are_values() {
    let wator = program("wator");
    let wrong = |texts: &[&str]| match ranges(wator, texts) {
        Err(Error::Wrong(mistakes)) => mistakes,
        other => panic!("expected mistakes, got {other:?}"),
    };
    let kinds = |mistakes: &[Mistake]| -> Vec<(Option<String>, FreeMistake)> {
        let free = |mistake: &Mistake| match mistake {
            Mistake::Free { input, why } => (input.clone(), (**why).clone()),
            other => panic!("{other}"),
        };
        mistakes.iter().map(free).collect()
    };
    let fish = kinds(&wrong(&["fish"]));
    assert!(matches!(&fish[..], [(Some(input), FreeMistake::NoRange { .. })] if input == "fish"), "{fish:?}");
    let two = kinds(&wrong(&["step", "steps", "steps=1..2", "steps"]));
    assert!(matches!(&two[..], [(_, FreeMistake::Unknown(_)), (_, FreeMistake::Twice)]), "{two:?}");
    let unknown_twice = kinds(&wrong(&["fish,fish"]));
    assert!(matches!(&unknown_twice[..], [(_, FreeMistake::Twice)]), "{unknown_twice:?}");
    let same = kinds(&wrong(&["steps=10,010"]));
    assert!(matches!(&same[..], [(_, FreeMistake::Same(_))]), "{same:?}");
    assert!(ranges(program("em3d"), &["homes=1,1.0"]).is_ok(), "homes are texts");
    let given = ["steps=500".to_owned()];
    let mut comparison = Comparison::new(Subject::told(wator, &given).unwrap(), vec![target("meiko-cs2")]);
    let Err(Error::Wrong(found)) = comparison.free(&ranges(wator, &["steps"]).unwrap(), &given) else {
        panic!("steps are given and free")
    };
    assert!(matches!(&kinds(&found)[..], [(_, FreeMistake::Given)]), "{found:?}");
    let mut comparison = Comparison::new(Subject::told(wator, &[]).unwrap(), vec![target("meiko-cs2")]);
    let beyond = ranges(wator, &["steps=1..2000000"]).unwrap();
    let Err(Error::Wrong(found)) = comparison.free(&beyond, &[]) else { panic!("too many steps") };
    assert!(matches!(&found[..], [Mistake::Input(_)]), "{found:?}");
}

/// An error about an input without a range has values that the option takes.
#[test]
fn the_range_in_an_error_can_be_typed() {
    for entry in apps::ALL {
        for input in entry.inputs.iter().filter(|input| input.free.is_none()) {
            let Err(error) = ranges(entry, &[input.key]) else { continue };
            let said = error.to_string();
            let (_, typed) = said.split_once("expected --free ").unwrap_or_else(|| panic!("{said}"));
            ranges(entry, &[typed]).unwrap_or_else(|error| panic!("{typed}: {error}"));
        }
    }
}

/// Each value that a program of this workspace leaves open is a value that it takes.
#[test]
fn the_free_values_that_programs_state_are_taken() {
    let mut stated = 0;
    for entry in apps::ALL {
        for input in entry.inputs.iter().filter(|input| input.free.is_some()) {
            let mut comparison = Comparison::new(Subject::load(entry, &[]).unwrap(), vec![target("ideal")]);
            comparison.free(&ranges(entry, &[input.key]).unwrap(), &[]).unwrap();
            assert!(comparison.freed.cases.len() > 1, "{}: {}", entry.name, input.key);
            stated += 1;
        }
    }
    assert!(stated > 0);
}
