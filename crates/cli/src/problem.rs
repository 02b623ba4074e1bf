//! Reasons for which a command failed. This module must never print.

use std::io;

/// Reason for which a command failed.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The command line or an input is wrong: one line for each mistake.
    Wrong(Vec<String>),
    /// The run or a check failed.
    Failed(String),
    /// The results could not be written.
    Output(io::Error),
}

impl Problem {
    /// A problem of one mistake.
    pub(crate) fn wrong(mistake: impl Into<String>) -> Self {
        Self::Wrong(vec![mistake.into()])
    }

    /// A problem of a path, which the option `--out` mostly names, where another option named it.
    pub(crate) fn of_option(self, option: &str) -> Self {
        let named = |text: String| match text.strip_prefix("--out ") {
            Some(rest) => format!("{option} {rest}"),
            None => text,
        };
        match self {
            Self::Wrong(mistakes) => Self::Wrong(mistakes.into_iter().map(named).collect()),
            Self::Failed(text) => Self::Failed(named(text)),
            other => other,
        }
    }

    /// A problem of these mistakes, if there are any.
    pub(crate) fn check(mistakes: Vec<String>) -> Result<(), Self> {
        if mistakes.is_empty() { Ok(()) } else { Err(Self::Wrong(mistakes)) }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<worlds::Error> for Problem {
    fn from(error: worlds::Error) -> Self {
        match error {
            worlds::Error::Wrong(mistakes) => Self::Wrong(mistakes.iter().map(ToString::to_string).collect()),
            other => Self::Failed(other.to_string()),
        }
    }
}

/// Several results as one, with the mistakes of all: a person wants to read all of them at once.
pub(crate) trait All {
    /// The values of all results.
    type Values;

    /// The values, or every mistake; another problem than a mistake comes first.
    fn all(self) -> Result<Self::Values, Problem>;
}

/// The value of a result; its problem is added to another.
fn note<T>(result: Result<T, Problem>, found: &mut Option<Problem>) -> Option<T> {
    match (result, found.as_mut()) {
        (Ok(value), _) => return Some(value),
        (Err(Problem::Wrong(more)), Some(Problem::Wrong(mistakes))) => mistakes.extend(more),
        (Err(other), None | Some(Problem::Wrong(_))) => *found = Some(other),
        (Err(_), Some(_)) => {}
    }
    None
}

macro_rules! all {
    ($($value:ident),+) => {
        impl<$($value),+> All for ($(Result<$value, Problem>,)+) {
            type Values = ($($value,)+);

            #[allow(non_snake_case, reason = "a type parameter and its value have one name")]
            fn all(self) -> Result<Self::Values, Problem> {
                let ($($value,)+) = self;
                let mut found = None;
                $(let $value = note($value, &mut found);)+
                match (found, ($($value,)+)) {
                    (None, ($(Some($value),)+)) => Ok(($($value,)+)),
                    (found, _) => Err(found.unwrap_or_else(|| Problem::Wrong(Vec::new()))),
                }
            }
        }
    };
}

all!(A, B);
all!(A, B, C);
all!(A, B, C, D);
all!(A, B, C, D, E);
all!(A, B, C, D, E, F);

/// The values of results of one kind, or every mistake.
pub(crate) fn each<T>(results: impl IntoIterator<Item = Result<T, Problem>>) -> Result<Vec<T>, Problem> {
    let mut found = None;
    let values = results.into_iter().filter_map(|result| note(result, &mut found)).collect();
    found.map_or(Ok(values), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mistakes_of_all_are_told() {
        let wrong = |what: &str| -> Result<u8, Problem> { Err(Problem::wrong(what)) };
        let Err(Problem::Wrong(mistakes)) = (wrong("a"), Ok::<_, Problem>(1), wrong("b")).all() else {
            panic!("expected mistakes")
        };
        assert_eq!(mistakes, ["a", "b"]);
        assert_eq!((Ok::<_, Problem>(1), Ok::<_, Problem>("x")).all().unwrap(), (1, "x"));
        let failed = || -> Result<u8, Problem> { Err(Problem::Failed("broken".to_owned())) };
        assert!(matches!((wrong("a"), failed()).all(), Err(Problem::Failed(_))));
        assert!(matches!((failed(), wrong("a")).all(), Err(Problem::Failed(_))));
        assert_eq!(each([Ok(1), Ok(2)]).unwrap(), [1, 2]);
    }
}
