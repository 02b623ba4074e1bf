//! Studies: experiments as data. A file says what is run, which figures of it become which metrics, what follows from
//! metrics, what is checked, and which bounds of its own it holds metrics against. Must never run anything, and never
//! know the value of a claim of the literature.

mod parts;
mod texts;

use crate::expression::Expression;
use crate::pattern::Pattern;
use crate::specification::Specification;
use crate::{Claim, Mistakes, toml};
use parts::{bounds, checks, derived, model, run, sources, survey};

/// One file of `studies/`.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// Its name: that of the file.
    pub name: String,
    /// One line for people.
    pub summary: String,
    /// Where it was read.
    pub file: String,
    /// What yields figures, in the order of the file.
    pub sources: Vec<Source>,
    /// Metrics that follow from metrics.
    pub derived: Vec<Derived>,
    /// Orders and shapes.
    pub checks: Vec<Check>,
    /// What its metrics should come to by reasons that nobody published as a result: claims of
    /// [`Role::Bound`](crate::Role::Bound).
    pub bounds: Vec<Claim>,
    /// The claims by which something was chosen that nobody published: an input of its runs, say.
    pub fits: Vec<String>,
}

/// Something that yields figures, and what becomes of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// What yields them.
    pub origin: Origin,
    /// What becomes of them.
    pub metrics: Vec<Mapping>,
    /// Its line in the file.
    pub line: usize,
}

/// What yields figures.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// A program on a machine.
    Run(Box<Specification>),
    /// An analytic model, with its settings.
    Model {
        /// Its name, as in `tradewind model NAME`.
        name: String,
        /// As `--set` takes them.
        settings: Vec<(String, String)>,
    },
    /// Machines of a table.
    Survey {
        /// Its file, relative to the studies.
        file: String,
    },
}

/// Figures that become metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// Which, by their names in what the source yields; of a run, by their [way through its
    /// answer](crate::specification::numbers).
    pub figure: Pattern,
    /// What they become; its `*` is that of the figure.
    pub metric: Pattern,
    /// What they are multiplied by.
    pub factor: f64,
}

/// A metric that follows from others.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// Its name.
    pub metric: String,
    /// What it is worth.
    pub value: Expression,
    /// Why this expression is what the claim states.
    pub because: String,
    /// Its line in the file.
    pub line: usize,
}

/// An order or a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The claim it decides.
    pub claim: String,
    /// All of these hold.
    pub holds: Vec<Expression>,
    /// Why these expressions are what the claim states.
    pub because: String,
    /// Its line in the file.
    pub line: usize,
}

impl Mapping {
    /// The metric that a figure becomes, if it is one of these.
    pub fn apply(&self, figure: &str, value: f64) -> Option<(String, f64)> {
        Some((self.metric.fill(self.figure.capture(figure)?), value * self.factor))
    }
}

/// Reads a study. `file` is what to call it in messages.
///
/// # Errors
///
/// All mistakes of the file; of an expression with line and column.
pub fn read(file: &str, text: &str) -> Result<Study, Mistakes> {
    toml::read(file, text, |top| {
        let name = top.text("name", "the name of the study, that of its file");
        let summary = top.text("summary", "one line that says what is measured");
        let prefix = top.optional_text("prefix", "what names that begin with a dot begin with");
        let prefix = prefix.unwrap_or_default();
        let prefix = prefix.trim_end_matches('.');
        let mut sources = sources(top, "run", run);
        sources.extend(parts::sources(top, "model", model));
        sources.extend(parts::sources(top, "survey", survey));
        let derived = top.tables("derived").iter().flat_map(|table| derived(table, prefix)).collect();
        let checks = top.tables("check").iter().flat_map(|table| checks(table, prefix)).collect();
        let bounds = top.tables("bound").iter().flat_map(|table| bounds(table, prefix, file)).collect();
        let fits = top.texts("fits", "a list of ids of claims, or of their beginnings");
        let file = file.to_owned();
        Some(Study { name: name?, summary: summary?, file, sources, derived, checks, bounds, fits })
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
    fn a_wrong_expression_is_told_with_line_and_column() {
        let bad = STUDY.replace("\".gap.{op}.now / 2.5\"", "\"x.y + * 2\"").replace("gap.*.{on}", "gap.{no}");
        let said: Vec<_> = read("toy.toml", &bad).unwrap_err().iter().map(ToString::to_string).collect();
        assert_eq!(
            said[0],
            "toy.toml:13: run.metrics.metric = \"a.gap.{no}\": expected a list for `no` in `each`"
        );
        let wrong = "toy.toml:17: derived.value = \"x.y + * 2\": expected a number, a metric or `(`, found `*` at \
             column 16";
        assert!(said.iter().any(|line| line == wrong), "{said:#?}");
        let kind = STUDY.replace("> 0.5", "+ 1");
        let said = read("toy.toml", &kind).unwrap_err()[0].to_string();
        assert!(said.ends_with("expected a comparison, found a number"), "{said}");
        let unknown = STUDY.replace("policy", "policies");
        let said = read("toy.toml", &unknown).unwrap_err()[0].to_string();
        assert!(said.starts_with("toy.toml:9: run.policies = \"np\": expected one of the keys"), "{said}");
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
            "toy.toml:31: bound.stated = \"1 + .half.get\": expected an expression of numbers alone, whose value is finite"
        );
    }

    #[test]
    fn the_page_on_studies_shows_one_that_is_right() {
        let page = include_str!("../../../../docs/new-study.md");
        let (_, rest) = page.split_once("```toml\n").unwrap();
        let study = read("docs/new-study.md", rest.split_once("```").unwrap().0).unwrap();
        let surveys = std::collections::BTreeMap::new();
        let laboratory = crate::Laboratory::new(Vec::new(), vec![study], surveys, Vec::new()).unwrap();
        let stated: Vec<_> = laboratory.claims().iter().filter_map(Claim::number).collect();
        assert_eq!((laboratory.needed(&["toy".to_owned()]).len(), stated), (1, vec![500.0]));
    }
}
