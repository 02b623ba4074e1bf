//! Typed errors of names, inputs and plans. Each prints the mistake and the expected form. This module must never know
//! any one program.

use std::fmt;

use units::names::nearest;

use crate::data::BadLayout;
use crate::memory::NoFrames;

/// The error of an unknown name: no object of the expected kind has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownName {
    /// The expected kind of object, such as `program` or `input`.
    pub what: &'static str,
    /// The name that was given.
    pub name: String,
    /// The most similar known name, if one is similar enough to be meant.
    pub nearest: Option<String>,
    /// All known names.
    pub known: Vec<String>,
}

impl UnknownName {
    /// Makes the error of the name `name`, which no object of the kind `what`, such as `"program"`, has. `known` are
    /// all names that exist.
    pub fn new<'k>(what: &'static str, name: &str, known: impl IntoIterator<Item = &'k str>) -> Self {
        let known: Vec<_> = known.into_iter().map(str::to_owned).collect();
        let nearest = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
        Self { what, name: name.to_owned(), nearest, known }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} `{}`:", self.what, self.name)?;
        if let Some(nearest) = &self.nearest {
            write!(f, " did you mean `{nearest}`?")?;
        }
        write!(f, " expected one of {}", self.known.join(", "))
    }
}

impl std::error::Error for UnknownName {}

/// The error that two programs of a table have the same name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Duplicate {
    /// The name of both programs.
    pub name: &'static str,
    /// The descriptions of the two programs, one line each.
    pub summaries: [&'static str; 2],
}

impl fmt::Display for Duplicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, summaries: [first, second] } = self;
        write!(
            f,
            "two programs are called `{name}` (\"{first}\" and \"{second}\"): expected another name for one"
        )
    }
}

impl std::error::Error for Duplicate {}

/// An error in the inputs of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputError {
    /// The program has no input with this name.
    Unknown(UnknownName),
    /// The value of an input is not allowed.
    Wrong {
        /// The name of the input.
        input: String,
        /// The value that was given; `None` where showing the value does not help.
        value: Option<String>,
        /// A description of the problem and of the expected value.
        problem: String,
    },
    /// The program declares this input and never reads it: a mistake of the program's author.
    Unread(&'static str),
    /// The values of several inputs contradict each other. The text names the inputs and the contradiction.
    Together(String),
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputError::Unknown(name) => name.fmt(f),
            InputError::Wrong { input, value: Some(value), problem } => {
                write!(f, "input `{input}={value}`: {problem}")
            }
            InputError::Wrong { input, value: None, problem } => write!(f, "input `{input}`: {problem}"),
            InputError::Unread(input) => {
                write!(
                    f,
                    "input `{input}`: the program never reads it: expected a program that uses its inputs"
                )
            }
            InputError::Together(problem) => f.write_str(problem),
        }
    }
}

impl std::error::Error for InputError {}

impl From<String> for InputError {
    /// Makes the error from the program's description of a contradiction between inputs.
    fn from(problem: String) -> Self {
        Self::Together(problem)
    }
}

/// All errors in the inputs of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadInputs(pub Vec<InputError>);

impl BadInputs {
    /// Returns the text of each error, without a line break.
    pub fn texts(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }
}

impl fmt::Display for BadInputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.texts().join("\n"))
    }
}

impl std::error::Error for BadInputs {}

impl<E: Into<InputError>> From<E> for BadInputs {
    fn from(error: E) -> Self {
        Self(vec![error.into()])
    }
}

/// The error of a [`Plan`](super::Plan) that a program cannot follow. The text states a plan that it can.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadPlan(pub String);

impl fmt::Display for BadPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadPlan {}

impl From<String> for BadPlan {
    fn from(problem: String) -> Self {
        Self(problem)
    }
}

impl From<InputError> for BadPlan {
    fn from(bad: InputError) -> Self {
        Self(bad.to_string())
    }
}

impl From<BadLayout> for BadPlan {
    fn from(bad: BadLayout) -> Self {
        Self(bad.to_string())
    }
}

impl From<NoFrames> for BadPlan {
    fn from(bad: NoFrames) -> Self {
        Self(bad.to_string())
    }
}
