//! The parts of a report. This module must never know how a part looks.

use maud::{Markup, html};

use crate::document::{Circumstances, Claim, Explain, FixedMachine, Study};
use plot::Picture;

/// A study with the claims that it decides.
#[derive(Clone, Debug)]
pub struct Studied {
    /// The results.
    pub study: Study,
    /// The paper that the study is after; `None` if there is none.
    pub paper: Option<Paper>,
    /// The claims, held against the results.
    pub claims: Vec<Claim>,
}

/// A paper of the literature.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Paper {
    /// The first part of the ids of its claims.
    pub id: String,
    /// Authors, title, place and year of publication; `None` if the file of its claims does not say.
    pub work: Option<String>,
}

/// A machine of a report.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The values and the numbers that follow from them.
    pub explain: Explain,
    /// The unpublished values, and the claims or choices that fixed them.
    pub fixed: FixedMachine,
}

/// The circumstances of a page, as facts for its head.
pub(super) fn facts(made: &Circumstances) -> Markup {
    html! {
        p.facts { @for fact in made.facts() { span { (fact) } } }
    }
}

/// A picture of a report.
pub(super) struct Drawn {
    /// The heading over the picture.
    pub(super) heading: &'static str,
    /// A name that no other picture of the report has.
    pub(super) name: String,
    pub(super) picture: Picture,
}
