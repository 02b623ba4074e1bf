//! What a report is made of. This module must never know how a part looks.

use crate::document::{Claim, Explain, FixedMachine, Study};
use crate::plot::Picture;

/// A study with the claims that it decides.
#[derive(Clone, Debug)]
pub struct Studied {
    /// What the study found.
    pub study: Study,
    /// The claims, held against what was found.
    pub claims: Vec<Claim>,
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
    /// The heading that it stands under.
    pub(super) heading: &'static str,
    /// Its name: no other picture of the report has it.
    pub(super) name: String,
    pub(super) picture: Picture,
}
