//! Claims: statements of the literature, as data. This module must never know a measured value.
//!
//! A file of claims is a list of `[[claim]]`, and may name the `work` of all of them. It is copied from the study and
//! never edited to fit.

use std::fmt::{self, Display, Formatter};

use crate::Mistakes;
use crate::toml::{self, Table};

/// Whether a statement is something that the study was given or something that came of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    /// A constant of a machine, a size, a procedure: it is configured.
    Input,
    /// A result: it must come from running.
    Result,
    /// A result that nobody published: a study works out the expected value of its metric.
    Bound,
}

/// The confidence of a claim that only repeats, in other words, the contents of other claims.
pub(crate) const DERIVED: &str = "derived";

/// Kind of a statement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A quantity with its unit.
    Value,
    /// A quantity over another, or a share.
    Ratio,
    /// An order of several quantities by size.
    Order,
    /// The course of a quantity.
    Shape,
}

/// Required relation of a metric to the number that a claim states.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Relation {
    /// The metric is as near as the tolerance for the claim asks.
    #[default]
    About,
    /// The metric is no lower.
    AtLeast,
    /// The metric is no higher.
    AtMost,
}

/// Value that a claim states beside its words.
#[derive(Clone, Debug, PartialEq)]
pub enum Stated {
    /// A number, and how it was written: its digits say how exactly it is meant.
    Number(f64, String),
    /// A text, as some inputs are.
    Text(String),
}

/// A statement of the literature or of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Name of the claim and of its metric: `split-c.table1.gap.get.cm5.proc`.
    pub id: String,
    /// The work it stands in: authors, title, where and when it was published; `None` if the file does not say.
    pub work: Option<String>,
    /// The table, figure or section it stands in.
    pub place: String,
    /// Role of the statement: input, result or bound.
    pub role: Role,
    /// Kind of the statement.
    pub kind: Kind,
    /// The statement in words.
    pub statement: String,
    /// The number or text; `None` for orders and shapes, and where it is held out or not known.
    pub value: Option<Stated>,
    /// Required relation of a metric to the number. Claims of the literature state the approximate value.
    pub relation: Relation,
    /// Tolerance of a metric, as a share of the number; `None` to leave it to the rules for all claims.
    pub tolerance: Option<f64>,
    /// Unit of the number, as the claim writes it; empty if it has none.
    pub unit: String,
    /// Confidence in the transcription: `exact`, `derived`, `recalled`, …
    pub confidence: String,
    /// Whether it may set a parameter of a model.
    pub fit: bool,
    /// Whether the value is known to others and kept from us.
    pub held_out: bool,
    /// The file it stands in, and its line.
    pub file: String,
    /// Line in the file, from 1.
    pub line: usize,
}

impl Role {
    /// Name in files of claims and for scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Result => "result",
            Self::Bound => "bound",
        }
    }
}

impl Relation {
    /// Name in files of studies and for scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::About => "stated",
            Self::AtLeast => "at_least",
            Self::AtMost => "at_most",
        }
    }
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Value, Self::Ratio, Self::Order, Self::Shape];

    /// Name in files of claims.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Ratio => "ratio",
            Self::Order => "order",
            Self::Shape => "shape",
        }
    }

    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl Display for Stated {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(_, text) | Self::Text(text) => f.write_str(text),
        }
    }
}

impl Claim {
    /// The number it states, if any.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            Some(Stated::Number(number, _)) => Some(number),
            _ => None,
        }
    }

    /// The study it belongs to: the first part of its id.
    pub fn study(&self) -> &str {
        self.id.split('.').next().unwrap_or(&self.id)
    }

    /// Whether `prefix` is a beginning of the claim's id, in whole parts: `split-c.gap` does not match `split-c.gap2`.
    pub fn is_under(&self, prefix: &str) -> bool {
        let rest = self.id.strip_prefix(prefix.trim_end_matches('.'));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

/// Reads a file of claims. `file` is its name in messages.
///
/// # Errors
///
/// All mistakes of the file, two claims of one id among them.
pub fn read(file: &str, text: &str) -> Result<Vec<Claim>, Mistakes> {
    toml::read(file, text, |top| {
        let expected = "authors, title and year of the work";
        let work = top.optional("work", expected, |item| item.as_str().map(str::to_owned));
        let mut claims: Vec<Claim> = Vec::new();
        for table in top.tables("claim") {
            let claim = claim(file, work.as_deref(), &table);
            table.finish();
            let Some(claim) = claim else { continue };
            if claims.iter().any(|other| other.id == claim.id) {
                table.refuse("id", "an id that no other claim of the file has");
            }
            claims.push(claim);
        }
        if claims.is_empty() {
            top.refuse("claim", "at least one [[claim]]");
        }
        Some(claims)
    })
}

fn claim(file: &str, work: Option<&str>, table: &Table<'_>) -> Option<Claim> {
    let id = table.text("id", "a name such as \"split-c.table1.gap.get.cm5.proc\"");
    let place = table.text("where", "the table, figure or section it stands in");
    let role = table.required("role", "\"input\" or \"result\"", |item| match item.as_str()? {
        "input" => Some(Role::Input),
        "result" => Some(Role::Result),
        _ => None,
    });
    let kinds = "\"value\", \"ratio\", \"order\" or \"shape\"";
    let kind = table.required("kind", kinds, |item| Kind::find(item.as_str()?));
    let statement = table.text("statement", "the statement in words");
    let written = table.written("value");
    let value = table.optional("value", "a number or a text", |item| {
        let number = toml::number(item).zip(written).map(|(number, text)| Stated::Number(number, text));
        number.or_else(|| item.as_str().map(|text| Stated::Text(text.to_owned())))
    });
    // Some studies write an empty unit where there is none.
    let unit = table.optional("unit", "a text", |item| item.as_str().map(str::to_owned)).unwrap_or_default();
    let confidence = table.text("confidence", "how sure it is, such as \"exact\"");
    let (fit, held_out) = (table.flag("fit"), table.flag("held_out"));
    Some(Claim {
        id: id?,
        work: work.map(str::to_owned),
        place: place?,
        role: role?,
        kind: kind?,
        statement: statement?,
        value,
        relation: Relation::About,
        tolerance: None,
        unit,
        confidence: confidence?,
        fit,
        held_out,
        file: file.to_owned(),
        line: table.place.line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[[claim]]\nid = \"a.b\"\nwhere = \"Table 1\"\nrole = \"result\"\nkind = \"value\"\n\
        statement = \"it takes\"\nvalue = 14.0\nunit = \"us\"\nconfidence = \"exact\"\nfit = true\n";

    #[test]
    fn a_claim_is_read_with_the_digits_it_was_written_with() {
        let [claim] = read("a.toml", GOOD).unwrap().try_into().unwrap();
        assert_eq!((claim.number(), claim.line, claim.fit, claim.held_out), (Some(14.0), 1, true, false));
        assert_eq!(claim.value.unwrap().to_string(), "14.0");
    }

    #[test]
    fn all_mistakes_of_a_file_are_told_at_once() {
        let bad = GOOD.replace("result", "outcome").replace("14.0", "true").replace("fit", "fitted");
        let twice = format!("{bad}{GOOD}{GOOD}");
        let said: Vec<_> = read("a.toml", &twice).unwrap_err().iter().map(ToString::to_string).collect();
        assert_eq!(
            said[..2],
            [
                "a.toml:4:8: claim.role = \"outcome\": expected \"input\" or \"result\"",
                "a.toml:7:9: claim.value = true: expected a number or a text",
            ]
        );
        let unknown = "a.toml:10:1: claim.fitted = true: expected one of the keys id, where";
        assert!(said[2].starts_with(unknown), "{said:#?}");
        assert_eq!(
            said[3],
            "a.toml:22:6: claim.id = \"a.b\": expected an id that no other claim of the file has"
        );
        assert_eq!(said.len(), 4);
    }

    #[test]
    fn a_prefix_means_whole_parts() {
        let [claim] = read("a.toml", &GOOD.replace("a.b", "split-c.gap2.x")).unwrap().try_into().unwrap();
        assert!(claim.is_under("split-c") && claim.is_under("split-c.gap2.x") && claim.is_under("split-c."));
        assert!(!claim.is_under("split-c.gap") && !claim.is_under("split"));
        assert_eq!(claim.study(), "split-c");
    }
}
