//! Studies: experiments as data. A file gives runs, the metrics made of their figures, derived metrics, checks, bounds
//! of its own on metrics, and figures to draw. This module must never run anything, and never know the value of a claim
//! of the literature.

mod band;
mod contents;
mod figure;
mod files;
mod mapping;
mod parts;
mod texts;

use std::path::Path;

use crate::Mistakes;
use crate::toml;
use parts::{bounds, checks, derived, sources};

pub use band::Band;
pub use contents::{Check, Derived, Most, Origin, OwnFile, Places, Source, Study};
pub(crate) use figure::quantity;
pub use figure::{Coordinate, Figure, Level, Lines, Scale, Series};
pub use mapping::{Mapping, TIME};
pub use parts::RANKED;

/// Reads a study. `file` is its name in messages; unless the study says another, its name is that of the file.
///
/// # Errors
///
/// All mistakes of the file, each with line and column; more runs than [`Study::MOST`] are one.
pub fn read(file: &str, text: &str) -> Result<Study, Mistakes> {
    match read_at_most(Study::MOST, file, text) {
        (Some(study), mistakes) if mistakes.is_empty() => Ok(study),
        (_, mistakes) => Err(mistakes),
    }
}

/// Reads a study of at most `most` runs, and all mistakes of its file, each with line and column. A study with mistakes
/// is good for nothing but finding more of them.
pub fn read_at_most(most: Most, file: &str, text: &str) -> (Option<Study>, Mistakes) {
    toml::read_all(file, text, |top| {
        let name = top.optional_text("name", "the name of the study");
        let name = name.or_else(|| Some(Path::new(file).file_stem()?.to_str()?.to_owned()));
        let summary = top.text("summary", "one line that says what is measured");
        let prefix = top.optional_text("prefix", "what names that begin with a dot begin with");
        let prefix = prefix.unwrap_or_default();
        let prefix = prefix.trim_end_matches('.');
        let before = top.reported();
        let sources: Vec<_> = parts::KINDS.iter().flat_map(|kind| sources(top, kind, prefix, most)).collect();
        let are_read = top.reported() == before;
        let files = files::files(top, &sources, are_read);
        let derived = top.tables("derived").iter().flat_map(|table| derived(table, prefix)).collect();
        let checks = top.tables("check").iter().flat_map(|table| checks(table, prefix)).collect();
        let bands = top.tables("band").iter().flat_map(|table| band::bands(table, prefix)).collect();
        let bounds = top.tables("bound").iter().flat_map(|table| bounds(table, prefix, file)).collect();
        let fits = top.texts("fits", "a list of ids of claims, or of their beginnings");
        let figures = top.tables("figure").iter().filter_map(|table| figure::figure(table, prefix)).collect();
        let labels = top.table("labels").map(|table| figure::labels(&table)).unwrap_or_default();
        let leaves_out =
            top.texts("leaves_out", "a list of sentences, each on something that the models leave out");
        let (name, file) = (name.unwrap_or_default(), file.to_owned());
        let summary = summary?;
        let study = Study {
            name,
            summary,
            file,
            files,
            sources,
            derived,
            checks,
            bands,
            bounds,
            fits,
            figures,
            labels,
            leaves_out,
        };
        if study.sources.is_empty() && are_read {
            top.refuse("run", "at least one [[run]], [[model]] or [[survey]]");
        }
        if study.runs() > most.0 {
            top.report(top.place_of("run"), "run", Some(format!("{} runs", study.runs())), most.expected());
        }
        figure::check(&study, are_read, top);
        Some(study)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Value;

    const STUDY: &str = r#"
name = "toy"
summary = "a toy"
prefix = "a"

[[run]]
program = "split-phase"
machine = "{on}"
policy = "np"
nodes = 2
each = { on = ["cm-5", "now"] }
inputs = { operations = 10 }
metrics = [{ figure = "gap.*", metric = "a.gap.*.{on}", factor = 2 }]

[[derived]]
metric = ".half.{op}"
value = ".gap.{op}.now / 2.5"
each = { op = ["get", "put"] }
because = "halved"

[[check]]
claim = "a.all"
holds = ".gap.{op}.now > 0.5"
each = { op = ["get", "put"] }
because = "both"
"#;

    #[test]
    fn each_makes_many_of_one() {
        let study = read("toy.toml", STUDY).unwrap();
        let machine = |source: &Source| match &source.origin {
            Origin::Run(run) => (run.machine.clone(), run.inputs.clone(), run.nodes),
            other => panic!("{other:?}"),
        };
        let machines: Vec<_> = study.sources.iter().map(machine).collect();
        let inputs = || vec![("operations".to_owned(), "10".to_owned())];
        let expected = ["cm-5", "now"].map(|machine| (machine.to_owned(), inputs(), Some(2)));
        assert_eq!(machines, expected);
        let [mapping] = study.sources[1].metrics.as_slice() else { panic!("one mapping") };
        let gap = |figure| mapping.apply(figure, 3.0);
        assert_eq!(gap("report.figures.gap.get"), Some(("a.gap.get.now".to_owned(), 6.0)));
        assert_eq!(gap("report.figures.gap2.get"), None);
        assert_eq!(study.derived[1].metric, "a.half.put");
        assert_eq!(study.derived[1].value.names(), ["a.gap.put.now"]);
        let [check] = study.checks.as_slice() else { panic!("one check") };
        assert_eq!(check.holds.len(), 2);
        let look = |name: &str| Some(if name == "a.gap.put.now" { 0.0 } else { 1.0 });
        assert_eq!(check.holds[1].evaluate(&look), Some(Value::Flag(false)));
    }

    #[test]
    fn each_may_stand_in_the_key_of_a_setting() {
        let keys = STUDY.replace("inputs = {", "set = { \"{on}.clock\" = \"1 GHz\" }\ninputs = {");
        let study = read("toy.toml", &keys).unwrap();
        let setting = |source: &Source| match &source.origin {
            Origin::Run(run) => run.settings.clone(),
            other => panic!("{other:?}"),
        };
        let settings: Vec<_> = study.sources.iter().flat_map(setting).map(|(key, _)| key).collect();
        assert_eq!(settings, ["cm-5.clock", "now.clock"]);
    }

    #[test]
    fn a_wrong_expression_is_told_with_line_and_column() {
        let bad = STUDY.replace("\".gap.{op}.now / 2.5\"", "\"x.y + * 2\"").replace("gap.*.{on}", "gap.{no}");
        let said: Vec<_> = read("toy.toml", &bad).unwrap_err().iter().map(ToString::to_string).collect();
        assert_eq!(
            said[0],
            "toy.toml:13:41: run.metrics.metric = \"a.gap.{no}\": expected a list for `no` in `each`"
        );
        let wrong =
            "toy.toml:17:16: derived.value = \"x.y + * 2\": expected a number, a metric or `(`, found `*`";
        assert!(said.iter().any(|line| line == wrong), "{said:#?}");
        let kind = STUDY.replace("> 0.5", "+ 1");
        let said = read("toy.toml", &kind).unwrap_err()[0].to_string();
        assert!(said.ends_with("expected a comparison, found a number"), "{said}");
        let unknown = STUDY.replace("policy", "policies");
        let said = read("toy.toml", &unknown).unwrap_err()[0].to_string();
        assert!(said.starts_with("toy.toml:9:1: run.policies = \"np\": expected one of the keys"), "{said}");
    }

    #[test]
    fn any_number_of_the_answer_of_a_run_may_become_a_metric() {
        let answer = STUDY.replace("figure = \"gap.*\"", "answer = \"phases.*.time_ns\"");
        let study = read("toy.toml", &answer).unwrap();
        let apply = |name| study.sources[0].metrics[0].apply(name, 1.5);
        assert_eq!(apply("phases.get.time_ns"), Some(("a.gap.get.cm-5".to_owned(), 3.0)));
        assert_eq!(apply("report.figures.phases.get.time_ns"), None);
        // A model has no answer.
        let model = answer.replace("[[run]]", "[[model]]").replace("program =", "name =");
        let said: Vec<_> = read("toy.toml", &model).unwrap_err().iter().map(ToString::to_string).collect();
        assert!(said.iter().any(|line| line.contains("metrics.figure is missing")), "{said:#?}");
    }

    #[test]
    fn a_bound_is_a_claim_of_the_study_and_states_a_number() {
        let bound = "\n[[bound]]\nid = \".gap.{n}\"\nwhere = \"arithmetic\"\nstatement = \"two for each\"\n\
             stated = \"1 + 2 * {n}\"\nunit = \"us\"\neach = { n = [\"3\", \"4\"] }\n";
        let study = read("toy.toml", &format!("{STUDY}{bound}")).unwrap();
        let stated: Vec<_> = study.bounds.iter().map(|it| (it.id.as_str(), it.number().unwrap())).collect();
        assert_eq!(stated, [("a.gap.3", 7.0), ("a.gap.4", 9.0)]);
        assert_eq!((study.bounds[0].role, study.bounds[0].line), (crate::Role::Bound, 27));
        let measured = bound.replace("2 * {n}", ".half.get");
        let said = read("toy.toml", &format!("{STUDY}{measured}")).unwrap_err();
        assert_eq!(
            said[0].to_string(),
            "toy.toml:31:10: bound.stated = \"1 + .half.get\": expected an expression of numbers alone, whose value is finite"
        );
    }

    #[test]
    fn a_bound_states_a_number_or_a_limit_and_perhaps_a_tolerance() {
        let bound = |told: &str| {
            let bound = format!("[[bound]]\nid = \"a.half.get\"\nwhere = \"w\"\nstatement = \"s\"\n{told}\n");
            read("toy.toml", &format!("{STUDY}\n{bound}"))
        };
        let holds = |told: &str, measured: f64| {
            let bound = bound(told).unwrap().bounds.remove(0);
            crate::verdict::hold(&bound, (None, Some(measured)), &[]).verdict == crate::Verdict::Holds
        };
        let sides = |told: &str| [1.9, 2.0, 2.1].map(|measured| holds(told, measured));
        assert_eq!(sides("stated = \"2\""), [false, true, false]);
        assert_eq!(sides("stated = \"2\"\ntolerance = 0.06"), [true, true, true]);
        assert_eq!(sides("at_least = \"2\""), [false, true, true]);
        assert_eq!(sides("at_most = \"2\""), [true, true, false]);
        assert_eq!(sides("at_most = \"2\"\ntolerance = 0.06"), [true, true, true]);
        let said = |told: &str| bound(told).unwrap_err()[0].to_string();
        assert_eq!(
            said("at_most = \"1 - 1\"\ntolerance = 0.1"),
            "toy.toml:32:13: bound.tolerance = 0.1: expected no share of at_most, which is 0"
        );
        assert_eq!(
            said("stated = \"2\"\nat_most = \"2\""),
            "toy.toml:32:11: bound.at_most = \"2\": expected no such key beside stated"
        );
        let none =
            "bound.stated is missing: expected an expression of numbers; or at_least or at_most in its place";
        assert!(said("unit = \"us\"").ends_with(none), "{}", said("unit = \"us\""));
    }

    #[test]
    fn the_page_on_studies_shows_some_that_are_right() {
        let page = include_str!("../../../../book/src/study-files.md");
        let texts = page.split("```toml\n").skip(1).filter_map(|rest| rest.split_once("```"));
        let studies: Vec<_> = texts
            .map(|(text, _)| read("book/src/study-files.md", text).map_err(|it| it[0].to_string()).unwrap())
            .collect();
        let runs: Vec<_> = studies.iter().map(|study| (study.runs(), study.figures.len())).collect();
        assert_eq!(runs, [(6, 1), (2, 0), (4, 0), (16, 2), (2, 1)]);
        let surveys = std::collections::BTreeMap::new();
        let toy = studies[1].clone();
        let laboratory = crate::Laboratory::new(Vec::new(), vec![toy], surveys, Vec::new()).unwrap();
        let stated: Vec<_> = laboratory.claims().iter().filter_map(crate::Claim::number).collect();
        assert_eq!((laboratory.needed(&["toy".to_owned()]).len(), stated), (1, vec![500.0]));
    }

    const DRAWN: &str = r#"
summary = "s"
[[run]]
program = "toy"
machine = ["cm-5", "native"]
policy = ["np", "proc"]
inputs = { size = [1, 2], nodes = 3 }
metrics = ["time", { figure = "gap.*", metric = "a.{machine}.{policy}.{size}.*" }, "rate"]

[[figure]]
x = "size"
y = "time"
series = "policy"
panels = "machine"
"#;

    fn said(text: &str) -> Vec<String> {
        let said = read("drawn.toml", text).map(|study| study.sources.len());
        said.map_or_else(|mistakes| mistakes.iter().map(ToString::to_string).collect(), |_| Vec::new())
    }

    #[test]
    fn a_list_in_place_of_a_value_is_an_axis() {
        let study = read("drawn.toml", DRAWN).unwrap();
        assert_eq!((study.name.as_str(), study.sources.len()), ("drawn", 8));
        let [first, .., last] = study.sources.as_slice() else { panic!("eight sources") };
        let fields = ["program", "machine", "policy", "seed", "size", "inputs.nodes", "nodes"];
        let of =
            |source: &Source| fields.map(|name| source.field(name).map(str::to_owned).unwrap_or_default());
        assert_eq!(of(first), ["toy", "cm-5", "np", "1", "1", "3", ""]);
        assert_eq!(of(last), ["toy", "native", "proc", "1", "2", "3", ""]);
        // On this host a run is repeated, on a model it is not.
        assert_eq!((first.rounds, last.rounds, study.runs()), (1, 9, 4 + 4 * 9));
        let metric = last.metrics.iter().find_map(|mapping| mapping.apply("report.figures.gap.x", 1.0));
        assert_eq!(metric.unwrap().0, "a.native.proc.2.x");
        let again = DRAWN.replace("inputs =", "each = { policy = [\"x\"] }\nrepeat = 2\ninputs =");
        assert_eq!(
            said(&again),
            ["drawn.toml:6:10: run.policy = [\"np\", \"proc\"]: expected a name that `each` does not have: policy";
                1]
        );
        let twice = DRAWN.replace("[1, 2]", "[1, 1]");
        assert!(
            said(&twice)[0].contains("expected every value once; `1` stands there twice"),
            "{:?}",
            said(&twice)
        );
    }

    #[test]
    fn a_free_axis_has_a_range_and_is_no_choice_that_is_ranked() {
        let free = |names: &str| said(&DRAWN.replace("inputs =", &format!("free = [{names}]\ninputs =")));
        assert_eq!(free("\"size\", \"machine\""), [""; 0]);
        let study = read("drawn.toml", &DRAWN.replace("inputs =", "free = [\"size\"]\ninputs =")).unwrap();
        assert!(study.sources.iter().all(|source| source.free == ["size"]));
        for (name, says) in [
            ("\"inputs.nodes\"", "`inputs.nodes` has no such range"),
            ("\"steps\"", "such as inputs = { steps = [10, 100] }; `steps` has no such range"),
            ("\"policy\"", "`policy` is a choice that is ranked"),
            ("\"size\", \"size\", \"size\"", "`size` stands there twice"),
            ("\"steps\", \"steps\"", "`steps` stands there twice"),
        ] {
            let told = free(name);
            assert!(told.len() == 1 && told[0].starts_with("drawn.toml:7:8: run.free = ["), "{told:?}");
            assert!(told[0].contains(says), "{told:?}");
        }
        let model = format!("{DRAWN}\n[[model]]\nname = \"fixed-floating\"\nfree = [\"size\"]\n");
        assert!(said(&model)[0].contains("model.free = "), "{:?}", said(&model));
    }

    #[test]
    fn what_a_figure_names_must_be_there() {
        let of = |from: &str, to: &str| said(&DRAWN.replace(from, to));
        assert_eq!(said(DRAWN), [""; 0]);
        assert_eq!(of("y = \"time\"", "y = \"gap.get\""), [""; 0]);
        let unknown = of("x = \"size\"", "x = \"sise\"");
        assert!(
            unknown[0].starts_with("drawn.toml:11:5: figure.x = \"sise\": expected an axis or a value of the runs: did you mean `size`? one of gap.*, inputs.nodes"),
            "{unknown:?}"
        );
        let unknown =
            [of("y = \"time\"", "y = \"tmie\""), of("s = \"machine\"", "s = \"machines\"")].concat();
        assert!(
            unknown[0].starts_with(
                "drawn.toml:12:5: figure.y = \"tmie\": expected `time`, or a number that stands"
            ),
            "{unknown:?}"
        );
        assert!(unknown[1].starts_with("drawn.toml:14:10: figure.panels = \"machines\": expected an axis of the runs: did you mean `machine`?"), "{unknown:?}");
        let missing = of("panels = \"machine\"", "only = { policy = \"no\" }");
        assert!(
            missing[0].contains("figure.only.policy = \"no\": expected a value of the runs"),
            "{missing:?}"
        );
        let twice = of("panels = \"machine\"", "");
        assert!(twice[0].contains("one run for each point; some differ in `machine` alone"), "{twice:?}");
        assert_eq!(of("panels = \"machine\"", "only = { machine = \"native\" }"), [""; 0]);
        // Every mistake at once.
        let both =
            said(&DRAWN.replace("x = \"size\"", "x = \"sise\"").replace("y = \"time\"", "y = \"tmie\""));
        assert_eq!(both.len(), 2, "{both:?}");
        let odd = of("[1, 2]", "[1, \"all\"]");
        assert!(odd[0].contains("expected numbers in all runs, or in none; `all` is none"), "{odd:?}");
        let named = format!("{DRAWN}name = \"a b\"\n");
        assert!(
            said(&named)[0].contains("figure.name = \"a b\": expected a name for a file"),
            "{:?}",
            said(&named)
        );
    }

    #[test]
    fn no_two_series_or_figures_have_one_name() {
        let labels = format!("{DRAWN}[labels]\nnp = \"same\"\nproc = \"same\"\n");
        assert!(
            said(&labels)[0]
                .contains("figure.series = \"policy\": expected a label of its own for each series"),
            "{:?}",
            said(&labels)
        );
        let again = format!("{DRAWN}{}", &DRAWN[DRAWN.find("[[figure]]").unwrap()..]);
        assert_eq!(
            said(&again),
            [
                "drawn.toml:15:1: figure.name = \"time-by-size\": expected a name that no other figure of the study has"
            ]
        );
        let series = |label: &str, metric: &str| {
            format!("[[figure.series]]\nlabel = \"{label}\"\nmetric = \"{metric}\"\n")
        };
        let two = |one: String, other: String| {
            let run = DRAWN.replace("{size}.*", "*.{size}").split("[[figure]]").next().unwrap().to_owned();
            said(&format!("{run}[[figure]]\nx = \"size\"\ny = \"gap\"\n{one}{other}"))
        };
        let get = |label| series(label, "a.cm-5.np.get.*");
        assert_eq!(two(get("a"), get("b")), [""; 0]);
        assert!(
            two(get("a"), get("a"))[0]
                .contains("figure.series.label = \"a\": expected a name that no other series")
        );
        assert!(
            two(get("a"), series("b", "b.*"))[0]
                .contains("figure.series.metric = \"b.*\": expected metrics that a run")
        );
        assert!(
            two(get("a"), series("b", "a"))[0].contains("figure.series.metric = \"a\": expected a family")
        );
    }

    #[test]
    fn a_sweep_of_a_million_runs_is_counted_and_not_made() {
        let many: Vec<_> = (0..1000).map(|value| value.to_string()).collect();
        let many = many.join(", ");
        let huge =
            DRAWN.replace("[1, 2]", &format!("[{many}]")).replace("nodes = 3", &format!("b = [{many}]"));
        let told = said(&huge);
        assert_eq!(told.len(), 1, "{told:?}");
        let expected =
            "drawn.toml:3:1: run = 4000000 runs: expected at most 10000 in a study; --yes allows 100000";
        assert_eq!(told[0], expected);
        // Rounds count.
        let rounds = DRAWN.replace("inputs", "repeat = 2500\ninputs");
        assert!(said(&rounds)[0].contains("run = 10004 runs: expected at most 10000"), "{:?}", said(&rounds));
        let (study, mistakes) = read_at_most(Study::MOST_ASKED, "d.toml", &rounds);
        assert_eq!((study.map(|study| study.runs()), mistakes), (Some(10004), Vec::new()));
    }
}
