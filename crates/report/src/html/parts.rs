//! What a report is made of. This module must never know how a part looks.

use crate::document::{Claim, Explain, FixedMachine, Study};
use plot::Picture;

/// A study with the claims that it decides.
#[derive(Clone, Debug)]
pub struct Studied {
    /// What the study found.
    pub study: Study,
    /// The paper that the study is after; `None` of a study that stands beside none.
    pub paper: Option<Paper>,
    /// The claims, held against what was found.
    pub claims: Vec<Claim>,
}

/// A paper of the literature.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Paper {
    /// The first part of the ids of its claims.
    pub id: String,
    /// Its authors, its title, where and when it was published; `None` if the file of its claims does not say.
    pub work: Option<String>,
}

/// A machine of a report.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its values and what follows from them.
    pub explain: Explain,
    /// The values that nobody published, and what fixed them.
    pub fixed: FixedMachine,
}

/// A picture of a report.
pub(super) struct Drawn {
    /// What the picture is among those of its part.
    pub(super) heading: &'static str,
    /// Its name: no other picture of the report has it.
    pub(super) name: String,
    pub(super) picture: Picture,
}
