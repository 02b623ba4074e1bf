//! That a result is not all that was asked for, as text. This module must never know what is missing.

use crate::document::Partial;
use crate::page::{ALARM, Page};

/// The first line of a result that is not all that was asked for; no line where it is.
pub(super) fn partial(partial: Option<&Partial>, page: &Page) -> Vec<String> {
    let line = |partial: &Partial| {
        let said = format!("{partial}; what follows is of these alone");
        page.paint(ALARM, &page.fold("PARTIAL: ", &said))
    };
    partial.map(line).into_iter().flat_map(|line| [line, String::new()]).collect()
}
