//! Studies: experiments as data. A file says what is run, which figures of it become which metrics, what follows from
//! metrics, and what is checked. Must never run anything, and never know a claim's value.

use crate::Mistakes;
use crate::expression::{Expression, Kind};
use crate::pattern::Pattern;
use crate::reading::{self, Table};
use crate::specification::Specification;
use crate::template::{self, Filling};

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
    /// Which figures.
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
    reading::read(file, text, |top| {
        let name = top.text("name", "the name of the study, that of its file");
        let summary = top.text("summary", "one line that says what is measured");
        let prefix = top.optional_text("prefix", "what names that begin with a dot begin with");
        let prefix = prefix.unwrap_or_default();
        let prefix = prefix.trim_end_matches('.');
        let mut sources = sources(top, "run", run);
        sources.extend(self::sources(top, "model", model));
        sources.extend(self::sources(top, "survey", survey));
        let derived = top.tables("derived").iter().flat_map(|table| derived(table, prefix)).collect();
        let checks = top.tables("check").iter().flat_map(|table| checks(table, prefix)).collect();
        Some(Study { name: name?, summary: summary?, file: file.to_owned(), sources, derived, checks })
    })
}

/// Reads texts of one table, everything of `each` replaced.
struct Texts<'t, 's> {
    table: &'t Table<'s>,
    filling: Filling,
}

impl Texts<'_, '_> {
    fn fill(&self, key: &str, text: &str) -> Option<String> {
        let filled = self.filling.fill(text);
        let unknown = |name| self.table.refuse(key, format!("a list for `{name}` in `each`"));
        filled.map_err(unknown).ok()
    }

    fn text(&self, key: &'static str, expected: &str) -> Option<String> {
        self.fill(key, &self.table.text(key, expected)?)
    }

    fn optional(&self, key: &'static str, expected: &str) -> Option<String> {
        self.fill(key, &self.table.optional_text(key, expected)?)
    }

    /// A whole number from 1, or a text that `each` makes one of.
    fn count(&self, key: &'static str) -> Option<u32> {
        const EXPECTED: &str = "a whole number from 1";
        let written = |item: &toml_edit::Item| {
            item.as_str().map(str::to_owned).or_else(|| Some(item.as_integer()?.to_string()))
        };
        let text = self.fill(key, &self.table.optional(key, EXPECTED, written)?)?;
        let count = text.parse().ok().filter(|count| *count > 0);
        if count.is_none() {
            self.table.refuse(key, EXPECTED);
        }
        count
    }

    fn pairs(&self, key: &'static str) -> Vec<(String, String)> {
        let pairs = self.table.table(key).map(|table| table.pairs()).unwrap_or_default();
        let fill = |(name, value): (String, String)| Some((name, self.fill(key, &value)?));
        pairs.into_iter().filter_map(fill).collect()
    }

    fn mappings(&self) -> Vec<Mapping> {
        let tables = self.table.tables("metrics");
        if tables.is_empty() {
            self.table.refuse("metrics", "a list such as [{ figure = \"gap.*\", metric = \"a.gap.*\" }]");
        }
        let mapping = |table: Table<'_>| {
            let texts = Texts { table: &table, filling: self.filling.clone() };
            let pattern = |key| {
                let text = texts.text(key, "a name, or a family of names with one *")?;
                let pattern = Pattern::new(text);
                if pattern.is_none() {
                    table.refuse(key, "at most one *");
                }
                pattern
            };
            let (figure, metric) = (pattern("figure"), pattern("metric"));
            let factor = table.optional_number("factor", "a number that the figure is multiplied by");
            table.finish();
            let (figure, metric) = (figure?, metric?);
            if figure.is_family() != metric.is_family() {
                table.refuse("metric", "a * in both names, or in none");
            }
            Some(Mapping { figure, metric, factor: factor.unwrap_or(1.0) })
        };
        tables.into_iter().filter_map(mapping).collect()
    }
}

fn sources(top: &Table<'_>, key: &'static str, origin: fn(&Texts<'_, '_>) -> Option<Origin>) -> Vec<Source> {
    let mut sources = Vec::new();
    for table in top.tables(key) {
        for filling in template::each(&table) {
            let texts = Texts { table: &table, filling };
            let (origin, metrics) = (origin(&texts), texts.mappings());
            sources.extend(origin.map(|origin| Source { origin, metrics, line: table.line }));
        }
        table.finish();
    }
    sources
}

fn run(texts: &Texts<'_, '_>) -> Option<Origin> {
    let program = texts.text("program", "the name of a program");
    let machine = texts.text("machine", "the name of a machine, or a machine file");
    let specification = |program, machine| Specification {
        program,
        machine,
        policy: texts.optional("policy", "the name of a policy"),
        mechanism: texts.optional("mechanism", "the name of a mechanism"),
        nodes: texts.count("nodes"),
        processors: texts.count("processors"),
        threads: texts.count("threads"),
        inputs: texts.pairs("inputs"),
        settings: texts.pairs("set"),
        seed: texts.count("seed").map_or(1, u64::from),
    };
    Some(Origin::Run(Box::new(specification(program?, machine?))))
}

fn model(texts: &Texts<'_, '_>) -> Option<Origin> {
    let name = texts.text("name", "the name of a model, such as \"fixed-floating\"");
    let settings = texts.pairs("set");
    Some(Origin::Model { name: name?, settings })
}

fn survey(texts: &Texts<'_, '_>) -> Option<Origin> {
    let file = texts.text("file", "a file of machines, such as \"data/machine-survey.toml\"");
    Some(Origin::Survey { file: file? })
}

/// Puts the study's prefix before every name that begins with a dot.
fn complete(text: &str, prefix: &str) -> String {
    let mut whole = String::new();
    let mut before = ' ';
    for character in text.chars() {
        // A dot inside a number or a name follows one of their characters.
        if character == '.' && !before.is_ascii_alphanumeric() {
            whole += prefix;
        }
        whole.push(character);
        before = character;
    }
    whole
}

/// An expression of the file, or `None` and a mistake with its column.
fn expression(texts: &Texts<'_, '_>, key: &str, text: &str, prefix: &str, kind: Kind) -> Option<Expression> {
    let filled = complete(&texts.fill(key, text)?, prefix);
    let wrong = match filled.parse::<Expression>() {
        Ok(expression) if expression.kind() == kind => return Some(expression),
        Ok(expression) => format!("{kind}, found {}", expression.kind()),
        Err(error) => match texts.table.column(key).filter(|_| filled == text) {
            Some(column) => format!("{} at column {}", error.expected, column + error.at),
            None => format!("{} at character {} of `{filled}`", error.expected, error.at + 1),
        },
    };
    texts.table.refuse(key, wrong);
    None
}

const BECAUSE: &str = "one line that says why this is what the claim states";

fn derived(table: &Table<'_>, prefix: &str) -> Vec<Derived> {
    let one = |filling| {
        let texts = Texts { table, filling };
        let metric = texts.text("metric", "the name of a metric: the id of a claim");
        let value = table.text("value", "an expression over metrics");
        let value = value.and_then(|text| expression(&texts, "value", &text, prefix, Kind::Number));
        let because = texts.text("because", BECAUSE);
        Some(Derived {
            metric: complete(&metric?, prefix),
            value: value?,
            because: because?,
            line: table.line,
        })
    };
    let all = template::each(table).into_iter().filter_map(one).collect();
    table.finish();
    all
}

/// The checks of a table: one for each claim it names. If all its fillings name the same, everything must hold.
fn checks(table: &Table<'_>, prefix: &str) -> Vec<Check> {
    let mut checks: Vec<Check> = Vec::new();
    for filling in template::each(table) {
        let texts = Texts { table, filling };
        let claim = texts.text("claim", "the id of a claim");
        let because = texts.text("because", BECAUSE);
        let holds = table.text("holds", "a comparison of metrics");
        let holds = holds.and_then(|text| expression(&texts, "holds", &text, prefix, Kind::Flag));
        let (Some(claim), Some(because), Some(holds)) = (claim, because, holds) else { continue };
        let claim = complete(&claim, prefix);
        match checks.iter_mut().find(|check| check.claim == claim) {
            Some(check) => check.holds.push(holds),
            None => checks.push(Check { claim, holds: vec![holds], because, line: table.line }),
        }
    }
    table.finish();
    checks
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
        assert_eq!(mapping.apply("gap.get", 3.0), Some(("a.gap.get.now".to_owned(), 6.0)));
        assert_eq!(mapping.apply("gap2.get", 3.0), None);
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
}
