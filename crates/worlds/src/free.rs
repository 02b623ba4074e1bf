//! Free inputs of a comparison: inputs of unknown value. A person names them, with a range or a list of values where the program
//! states none; here they become the cases of a comparison, each a program with its inputs. This module must never rank anything.
//!
//! A range has two values, its ends; the input's own value lies between them and belongs to the case that the tables show. The other
//! cases are all combinations of the values of all free inputs. A comparison of more than [`MOST_CASES`] cases, or of more than
//! [`MOST_INPUTS`] free inputs, is refused.

use compare::Free;
use compare::free::FreeInput;
use tempest::entry::{Entry, Input, UnknownName};
use units::Values;
use units::values::number;

use crate::free_mistake::{FreeMistake, MOST_CASES, MOST_INPUTS};
use crate::{Comparison, Error, Mistake, Subject};

/// A free input that a person asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AskedFree {
    /// The name of the input.
    pub input: String,
    /// The values to try; `None` for the values that the program states.
    pub values: Option<Values>,
}

impl AskedFree {
    /// Reads names of inputs with commas between them, or one input with its values: `NAME=LOW..HIGH` or `NAME=A,B`.
    ///
    /// # Errors
    /// The mistake in the values, behind the name of the input.
    pub fn read(text: &str) -> Result<Vec<Self>, String> {
        let Some((input, values)) = text.split_once('=') else {
            let stated = |input: &str| Self { input: input.trim().to_owned(), values: None };
            return Ok(text.split(',').map(stated).collect());
        };
        let input = input.trim();
        if input.contains(',') || values.contains('=') {
            return Err(format!(
                "{text}: expected one input where values follow, and a --free for each other input"
            ));
        }
        let values = values.parse().map_err(|why| format!("{input}: {why}"))?;
        Ok(vec![Self { input: input.to_owned(), values: Some(values) }])
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
    /// [`Mistake::Free`] for each input that the program does not have, that has no values, or that is asked for twice.
    pub fn new(entry: &Entry, asked: &[AskedFree]) -> Result<Self, Error> {
        let mut mistakes = Vec::new();
        let mut ranges = Vec::new();
        for (index, one) in asked.iter().enumerate() {
            let is_same = |other: &AskedFree| other.input == one.input;
            if asked[..index].iter().any(is_same) {
                continue;
            }
            let is_repeated = asked[index + 1..].iter().any(is_same);
            let ranged = if is_repeated { Err(FreeMistake::Twice) } else { Ranged::new(entry, one) };
            match ranged {
                Ok(ranged) => ranges.push(ranged),
                Err(why) => mistakes.push(Mistake::Free { input: Some(one.input.clone()), why: why.into() }),
            }
        }
        if ranges.len() > MOST_INPUTS {
            mistakes.push(Mistake::Free { input: None, why: FreeMistake::ManyInputs(ranges.len()).into() });
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
            (None, "true" | "false") => Some(Values::Listed(vec!["false".to_owned(), "true".to_owned()])),
            (None, _) => None,
        };
        let values = asked.values.clone().or_else(stated).ok_or(FreeMistake::NoRange { input })?;
        if let Some(same) = values.same_number().filter(|_| input.is_number()) {
            return Err(FreeMistake::Same(same.map(str::to_owned)));
        }
        Ok(match values {
            Values::Range(low, high) => Self { input, values: vec![low, high], is_range: true },
            Values::Listed(mut values) => {
                if values.iter().all(|value| number(value).is_some()) {
                    values.sort_by(|one, other| {
                        number(one).partial_cmp(&number(other)).expect("both are finite")
                    });
                }
                Self { input, values, is_range: false }
            }
        })
    }

    /// The input's value in the first case: `usual`, its value without a request, as it stands among the free values; if it is none, the
    /// first of these.
    fn first(&self, usual: &str) -> String {
        let is_equal = |one: &&String| {
            *one == usual
                || self.input.is_number() && number(one).is_some_and(|one| Some(one) == number(usual))
        };
        let ends = || number(usual).zip(number(&self.values[0]).zip(number(&self.values[1])));
        let is_within = || ends().is_some_and(|(usual, (low, high))| (low..=high).contains(&usual));
        let within = || (self.is_range && is_within()).then(|| usual.to_owned());
        self.values.iter().find(is_equal).cloned().or_else(within).unwrap_or_else(|| self.values[0].clone())
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

impl Comparison {
    /// Frees inputs: the comparison runs in every case of their values. `given` are the inputs of its subject as texts, from which
    /// [`Subject::told`] made it. The tables show the case of the inputs' defaults, or else of the first free values.
    ///
    /// # Errors
    /// [`Error::Wrong`] if a free input is among the given ones, there are too many cases, or the program refuses a value.
    pub fn free(&mut self, ranges: &Ranges, given: &[String]) -> Result<(), Error> {
        if ranges.is_empty() {
            return Ok(());
        }
        let firsts = self.firsts(&ranges.0)?;
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
    fn firsts(&self, ranges: &[Ranged]) -> Result<Vec<String>, Error> {
        let facts = self.subject.instance.describe();
        let mechanisms: &[_] =
            if self.mechanisms.is_empty() { self.subject.entry.mechanisms } else { &self.mechanisms };
        let first = |ranged: &Ranged| {
            let input = &ranged.input;
            if !input.is_heeded(mechanisms) {
                let names: Vec<_> = input.only.iter().map(|mechanism| mechanism.name()).collect();
                return Err(FreeMistake::Ignored { heeded: names.join(" or ") });
            }
            if self.subject.is_given(input.key) {
                return Err(FreeMistake::Given);
            }
            // The default may be that of a preset, which the program knows alone.
            let usual = facts.iter().find(|(name, _)| *name == input.key).map(|(_, value)| value.as_str());
            Ok(ranged.first(usual.unwrap_or(input.default)))
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
        let free = ranges.iter().zip(case).map(|(ranged, value)| format!("{}={value}", ranged.input.key));
        let texts: Vec<_> = given.iter().cloned().chain(free).collect();
        Ok(Subject::told(&self.subject.entry, &texts)?.sharing(self.subject.sharing))
    }
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

    fn read(text: &str) -> Result<Vec<(String, Option<Values>)>, String> {
        Ok(AskedFree::read(text)?.into_iter().map(|asked| (asked.input, asked.values)).collect())
    }

    fn ranged(values: &[&str], is_range: bool) -> Ranged {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        Ranged { input: Input::integer("steps", 1..=1000, "10", "steps"), values, is_range }
    }

    #[test]
    fn free_inputs_are_names_or_one_name_with_values() {
        let named = |name: &str, values: Option<&str>| {
            (name.to_owned(), values.map(|values| values.parse().expect("values")))
        };
        assert_eq!(read("steps, order"), Ok(vec![named("steps", None), named("order", None)]));
        for values in ["10..100", "row,column"] {
            assert_eq!(read(&format!("steps={values}")), Ok(vec![named("steps", Some(values))]));
        }
        let error = read("steps=10..").unwrap_err();
        assert!(error.starts_with("steps: `10..` has one end"), "{error}");
        let error = read("steps,order=row,column").unwrap_err();
        assert!(
            error.contains("expected one input where values follow, and a --free for each other"),
            "{error}"
        );
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
        assert_eq!([steps.first("10"), steps.first("50"), steps.first("100.0")], ["20", "50", "100"]);
        assert_eq!(steps.listed("50").values, ["20", "50", "100"]);
        assert_eq!(steps.listed("20").values, ["20", "100"]);
        let listed = ranged(&["1", "2"], false);
        assert_eq!([listed.first("1.5"), listed.first("2.0")], ["1", "2"]);
    }
}
