//! Free inputs of a comparison: inputs of unknown value. A person names them, with a range or a list of values where the program
//! states none; here they become the cases of a comparison, each a program with its inputs. This module must never rank anything.
//!
//! A range has two values, its ends; the input's own value lies between them and belongs to the case that the tables show. The other
//! cases are all combinations of the values of all free inputs. A comparison of more than [`MOST_CASES`] cases, or of more than
//! [`MOST_INPUTS`] free inputs, is refused.

use std::str::FromStr;

use compare::Free;
use compare::free::FreeInput;
use tempest::entry::{Entry, Input, Kind, UnknownName};

use crate::free_mistake::{FreeMistake, MOST_CASES, MOST_INPUTS, TO};
use crate::{Comparison, Error, Mistake, Subject};

/// A free input that a person asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AskedFree {
    /// The name of the input.
    pub input: String,
    /// The values to try.
    pub values: AskedValues,
}

/// The values of a free input that a person asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AskedValues {
    /// The values that the program states.
    Stated,
    /// All numbers between two ends.
    Range(String, String),
    /// Each of a list.
    Listed(Vec<String>),
}

impl FromStr for AskedValues {
    type Err = String;

    /// Reads `LOW..HIGH` or `A,B`.
    fn from_str(text: &str) -> Result<Self, String> {
        let is_text = |text: &&str| !text.is_empty();
        let all: Vec<_> = text.split(',').map(str::trim).collect();
        if let ([range], Some((low, high))) = (&all[..], text.split_once(TO)) {
            let ends = [low.trim(), high.trim()];
            let [low, high] = ends.map(str::to_owned);
            return match ends.iter().all(is_text) {
                true => Ok(Self::Range(low, high)),
                false => Err(format!("`{range}` has one end: expected two, such as 10..100")),
            };
        }
        if let Some((_, twice)) = all.iter().enumerate().find(|(index, value)| all[..*index].contains(value))
        {
            return Err(format!("the value `{twice}` stands there twice: expected each value once"));
        }
        if let Some(range) = all.iter().find(|value| value.contains(TO)) {
            return Err(format!(
                "`{range}` is a range in a list: expected LOW{TO}HIGH alone, or values with commas between them; another input has \
                 a --free of its own"
            ));
        }
        if !all.iter().all(is_text) || all.len() < 2 {
            return Err("expected two values or more, as LOW..HIGH or A,B".to_owned());
        }
        Ok(Self::Listed(all.into_iter().map(str::to_owned).collect()))
    }
}

impl AskedFree {
    /// Reads names of inputs with commas between them, or one input with its values: `NAME=LOW..HIGH` or `NAME=A,B`.
    ///
    /// # Errors
    /// The mistake in the values, behind the name of the input.
    pub fn read(text: &str) -> Result<Vec<Self>, String> {
        let Some((input, values)) = text.split_once('=') else {
            let stated = |input: &str| Self { input: input.trim().to_owned(), values: AskedValues::Stated };
            return Ok(text.split(',').map(stated).collect());
        };
        let input = input.trim();
        if input.contains(',') || values.contains('=') {
            return Err(format!(
                "{text}: expected one input where values follow, and a --free for each other input"
            ));
        }
        let values = values.parse().map_err(|why| format!("{input}: {why}"))?;
        Ok(vec![Self { input: input.to_owned(), values }])
    }
}

/// A free input with its values, checked.
#[derive(Clone, Debug)]
struct Ranged {
    input: Input,
    /// The two ends, or the list.
    values: Vec<String>,
    is_range: bool,
}

/// The free inputs of a program, each with its values.
#[derive(Clone, Debug, Default)]
pub struct Ranges(Vec<Ranged>);

impl Ranges {
    /// The free inputs that a person asks for, with the values of the request, or else of the program.
    ///
    /// # Errors
    /// [`Mistake::Free`] for each input that the program does not have, or that has no values.
    pub fn new(entry: &Entry, asked: &[AskedFree]) -> Result<Self, Error> {
        let mut mistakes = Vec::new();
        let mut ranges = Vec::new();
        for (index, one) in asked.iter().enumerate() {
            let is_repeated = asked[..index].iter().any(|earlier| earlier.input == one.input);
            let ranged = if is_repeated { Err(FreeMistake::Twice) } else { Ranged::new(entry, one) };
            match ranged {
                Ok(ranged) => ranges.push(ranged),
                Err(why) => mistakes.push(Mistake::Free { input: Some(one.input.clone()), why: why.into() }),
            }
        }
        if asked.len() > MOST_INPUTS {
            mistakes.push(Mistake::Free { input: None, why: FreeMistake::ManyInputs(asked.len()).into() });
        }
        let least = ranges.iter().map(|ranged| ranged.values.len()).product::<usize>();
        if least > MOST_CASES && mistakes.is_empty() {
            mistakes.push(Mistake::Free { input: None, why: FreeMistake::ManyCases(least).into() });
        }
        if mistakes.is_empty() { Ok(Self(ranges)) } else { Err(Error::Wrong(mistakes)) }
    }

    /// Whether nothing is free.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Ranged {
    fn new(entry: &Entry, asked: &AskedFree) -> Result<Self, FreeMistake> {
        let known = || entry.inputs.iter().map(|input| input.key);
        let unknown = || FreeMistake::Unknown(UnknownName::new("input", &asked.input, known()));
        let input = *entry.inputs.iter().find(|input| input.key == asked.input).ok_or_else(unknown)?;
        let stated = || match (input.free, input.default) {
            (Some(free), _) => free.parse().ok(),
            // A flag has two values.
            (None, "true" | "false") => {
                Some(AskedValues::Listed(vec!["false".to_owned(), "true".to_owned()]))
            }
            (None, _) => None,
        };
        let values = match &asked.values {
            AskedValues::Stated => stated().ok_or(FreeMistake::NoRange { input })?,
            values => values.clone(),
        };
        match values {
            AskedValues::Range(low, high) => {
                let numbers = number(&low).zip(number(&high));
                if numbers.is_none() && matches!(input.kind, Kind::Text | Kind::File) {
                    return Err(FreeMistake::NoNumber);
                }
                let is_range = numbers.is_some_and(|(low, high)| low < high);
                let range = format!("{low}{TO}{high}");
                let values = vec![low, high];
                is_range.then_some(Self { input, values, is_range }).ok_or(FreeMistake::Ends { range })
            }
            AskedValues::Listed(mut values) => {
                if values.iter().all(|value| number(value).is_some()) {
                    values.sort_by(|one, other| {
                        number(one).partial_cmp(&number(other)).expect("both are finite")
                    });
                }
                Ok(Self { input, values, is_range: false })
            }
            AskedValues::Stated => Err(FreeMistake::NoRange { input }),
        }
    }

    /// A value as it stands among the free values; `None` if it is no free value.
    fn find(&self, value: &str) -> Option<String> {
        let is_equal =
            |one: &&String| *one == value || number(one).is_some_and(|one| Some(one) == number(value));
        let ends = || number(value).zip(number(&self.values[0]).zip(number(&self.values[1])));
        let is_within = || ends().is_some_and(|(value, (low, high))| (low..=high).contains(&value));
        let known = self.values.iter().find(is_equal).cloned();
        known.or_else(|| (self.is_range && is_within()).then(|| value.to_owned()))
    }

    /// The input's value in the first case: its own, if that is a free value.
    ///
    /// # Errors
    /// [`FreeMistake::Outside`] if `own`, the value that a person gives the input, is no free value.
    fn first(&self, own: Option<&str>, usual: &str) -> Result<String, FreeMistake> {
        let outside = |own: &str| FreeMistake::Outside { value: own.to_owned(), free: self.text() };
        match own {
            Some(own) => self.find(own).ok_or_else(|| outside(own)),
            None => Ok(self.find(usual).unwrap_or_else(|| self.values[0].clone())),
        }
    }

    /// The free values as a person types them.
    fn text(&self) -> String {
        self.values.join(if self.is_range { TO } else { "," })
    }

    /// The free values, and the value of the first case among them.
    fn listed(&self, first: &str) -> FreeInput {
        let mut values = self.values.clone();
        if !values.iter().any(|value| value == first) {
            values.insert(1, first.to_owned());
        }
        FreeInput { name: self.input.key.to_owned(), values, is_range: self.is_range }
    }
}

/// A finite number.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

impl Comparison {
    /// Frees inputs: the comparison runs in every case of their values. `given` are the inputs of its subject as texts, from which
    /// [`Subject::told`] made it. The tables show the case of the inputs' own values, or else of the first free ones.
    ///
    /// # Errors
    /// [`Error::Wrong`] if a given value is no free value, there are too many cases, or the program refuses a value.
    pub fn free(&mut self, ranges: &Ranges, given: &[String]) -> Result<(), Error> {
        if ranges.is_empty() {
            return Ok(());
        }
        let firsts = self.firsts(&ranges.0, given)?;
        let cases = cases(&ranges.0, &firsts);
        if cases.len() > MOST_CASES {
            return Err(Mistake::Free { input: None, why: FreeMistake::ManyCases(cases.len()).into() }.into());
        }
        let mut subjects = Vec::new();
        for case in &cases {
            subjects.push(self.subject_of(&ranges.0, case, given)?);
        }
        self.subject = subjects.remove(0);
        self.cases = subjects;
        let inputs = ranges.0.iter().zip(&firsts).map(|(ranged, first)| ranged.listed(first)).collect();
        self.freed = Free { inputs, cases };
        Ok(())
    }

    /// The values of the free inputs in the first case.
    fn firsts(&self, ranges: &[Ranged], given: &[String]) -> Result<Vec<String>, Error> {
        let facts = self.subject.instance.describe();
        let mechanisms: &[_] =
            if self.mechanisms.is_empty() { self.subject.entry.mechanisms } else { &self.mechanisms };
        let first = |ranged: &Ranged| {
            let input = &ranged.input;
            if !input.is_heeded(mechanisms) {
                let names: Vec<_> = input.only.iter().map(|mechanism| mechanism.name()).collect();
                return Err(FreeMistake::Ignored { heeded: names.join(" or ") });
            }
            let own = given.iter().find_map(|text| value_of(input, text));
            // The default may be that of a preset, which the program knows alone.
            let usual = facts.iter().find(|(name, _)| *name == input.key).map(|(_, value)| value.as_str());
            ranged.first(own, usual.unwrap_or(input.default))
        };
        let named = |ranged: &Ranged| -> Result<String, Error> {
            first(ranged).map_err(|why| {
                Mistake::Free { input: Some(ranged.input.key.to_owned()), why: why.into() }.into()
            })
        };
        let add = |firsts, first| {
            let both = Error::both(firsts, first);
            both.map(|(firsts, first): (Vec<String>, String)| [firsts, vec![first]].concat())
        };
        ranges.iter().map(named).fold(Ok(Vec::new()), add)
    }

    /// The subject with the values of a case.
    fn subject_of(&self, ranges: &[Ranged], case: &[String], given: &[String]) -> Result<Subject, Error> {
        let is_free = |text: &&String| ranges.iter().any(|ranged| value_of(&ranged.input, text).is_some());
        let free = ranges.iter().zip(case).map(|(ranged, value)| format!("{}={value}", ranged.input.key));
        let texts: Vec<_> = given.iter().filter(|text| !is_free(text)).cloned().chain(free).collect();
        Ok(Subject::told(&self.subject.entry, &texts)?.sharing(self.subject.sharing))
    }
}

/// The value that a text gives an input, if it gives it one.
fn value_of<'t>(input: &Input, text: &'t str) -> Option<&'t str> {
    text.split_once('=').filter(|(key, _)| *key == input.key).map(|(_, value)| value)
}

/// All cases, that of the first values before the others, the last input's values changing fastest.
fn cases(ranges: &[Ranged], firsts: &[String]) -> Vec<Vec<String>> {
    let with = |cases: Vec<Vec<String>>, ranged: &Ranged| -> Vec<Vec<String>> {
        let extended = |case: &Vec<String>| {
            ranged
                .values
                .iter()
                .map(|value| [case.as_slice(), std::slice::from_ref(value)].concat())
                .collect::<Vec<_>>()
        };
        cases.iter().flat_map(extended).collect()
    };
    let corners = ranges.iter().fold(vec![Vec::new()], with);
    let others = corners.into_iter().filter(|case| case != firsts);
    std::iter::once(firsts.to_vec()).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, AskedValues)>, String> {
        Ok(AskedFree::read(text)?.into_iter().map(|asked| (asked.input, asked.values)).collect())
    }

    fn ranged(values: &[&str], is_range: bool) -> Ranged {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        Ranged { input: Input::integer("steps", 1..=1000, "10", "steps"), values, is_range }
    }

    #[test]
    fn free_inputs_are_names_or_one_name_with_values() {
        let named = |name: &str, values| (name.to_owned(), values);
        assert_eq!(
            read("steps, order"),
            Ok(vec![named("steps", AskedValues::Stated), named("order", AskedValues::Stated)])
        );
        let range = AskedValues::Range("10".to_owned(), "100".to_owned());
        assert_eq!(read("steps=10..100"), Ok(vec![named("steps", range)]));
        let list = AskedValues::Listed(vec!["row".to_owned(), "column".to_owned()]);
        assert_eq!(read("order=row,column"), Ok(vec![named("order", list)]));
        for (text, says) in [
            ("steps=10..", "steps: `10..` has one end"),
            ("steps=10", "steps: expected two values or more, as LOW..HIGH or A,B"),
            ("steps=10,10", "steps: the value `10` stands there twice"),
            ("steps=10..100,order", "steps: `10..100` is a range in a list"),
            ("steps,order=row,column", "expected one input where values follow"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(says) || error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn the_cases_are_all_corners_and_the_inputs_own_values_come_first() {
        let (steps, order) = (ranged(&["10", "100"], true), ranged(&["row", "column"], false));
        let said = |firsts: [&str; 2]| {
            let cases = cases(&[steps.clone(), order.clone()], &firsts.map(str::to_owned));
            cases.iter().map(|case| case.join(" ")).collect::<Vec<_>>()
        };
        assert_eq!(said(["30", "row"]), ["30 row", "10 row", "10 column", "100 row", "100 column"]);
        assert_eq!(said(["100", "row"]), ["100 row", "10 row", "10 column", "100 column"]);
    }

    #[test]
    fn the_first_case_has_the_own_value_of_an_input_if_that_is_free() {
        let steps = ranged(&["20", "100"], true);
        assert_eq!(steps.first(None, "10"), Ok("20".to_owned()));
        assert_eq!(steps.first(None, "50"), Ok("50".to_owned()));
        assert_eq!(steps.first(Some("30"), "10"), Ok("30".to_owned()));
        let outside = FreeMistake::Outside { value: "10".to_owned(), free: "20..100".to_owned() };
        assert_eq!(steps.first(Some("10"), "50"), Err(outside));
        assert_eq!(steps.listed("50").values, ["20", "50", "100"]);
        assert_eq!(steps.listed("20").values, ["20", "100"]);
        let listed = ranged(&["1", "2"], false);
        assert_eq!(listed.first(None, "1.5"), Ok("1".to_owned()));
        assert_eq!(listed.first(Some("2.0"), "1"), Ok("2".to_owned()));
    }
}
