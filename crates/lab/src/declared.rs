//! Claims about which a file says something, with a reason: that they follow from others, or why they differ. This module must never
//! know a measured value.

use crate::Mistakes;
use crate::claim::Claim;
use crate::toml::{self, Table};

/// Claims of which one reason is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Ids of claims, or their beginnings.
    pub claims: Vec<String>,
    /// The reason.
    pub because: String,
}

impl Declared {
    /// Whether the declaration is about this claim.
    pub fn is_of(&self, claim: &Claim) -> bool {
        self.claims.iter().any(|beginning| claim.is_under(beginning))
    }
}

/// Declarations about claims that no expression shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    /// Claims that follow from others or from typed numbers.
    pub follows: Vec<Declared>,
    /// Claims about programs that do not exist here, for which others answer.
    pub substitutes: Vec<Declared>,
    /// Claims that are illegible in the paper, and that no run can meet. They leave the count.
    pub unreadable: Vec<Declared>,
}

impl Declarations {
    /// The reason of the declaration about a claim, if there is one.
    pub(crate) fn because(&self, claim: &Claim) -> Option<&str> {
        let all = self.follows.iter().chain(&self.substitutes).chain(&self.unreadable);
        all.filter(|it| it.is_of(claim)).map(|it| it.because.as_str()).next()
    }

    /// Whether a claim is declared illegible.
    pub(crate) fn is_unreadable(&self, claim: &Claim) -> bool {
        self.unreadable.iter().any(|it| it.is_of(claim))
    }
}

/// The declarations of a file, each a table of this key.
pub(crate) fn tables(top: &Table<'_>, key: &'static str) -> Vec<Declared> {
    top.tables(key).iter().filter_map(declared).collect()
}

/// Reads a file of causes: why claims differ. `file` is its name in messages.
///
/// # Errors
///
/// All mistakes of the file.
pub fn causes(file: &str, text: &str) -> Result<Vec<Declared>, Mistakes> {
    toml::read(file, text, |top| Some(tables(top, "cause")))
}

fn declared(table: &Table<'_>) -> Option<Declared> {
    let claims = table.texts("claims", "a list of ids of claims, or of their beginnings");
    if claims.is_empty() {
        table.refuse("claims", "at least one id of a claim, or its beginning");
    }
    let because = table.text("because", "one line that says the reason");
    table.finish();
    Some(Declared { claims, because: because? })
}
