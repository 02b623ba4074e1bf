//! Names of a program's objects, as reports and traces print them.
//!
//! A name that is written in the source lives as long as the process. A name that a program makes at run time is kept as long,
//! once for all objects that have it: a million nodes name their events alike. This module must never know the named objects.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The names that were made at run time, without duplicates.
static MADE: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// Converts a name to a text that lives as long as the process.
pub(crate) fn lasting(name: impl Into<Cow<'static, str>>) -> &'static str {
    match name.into() {
        Cow::Borrowed(name) => name,
        Cow::Owned(name) => kept(name),
    }
}

#[cold]
fn kept(name: String) -> &'static str {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = made.get(name.as_str()) {
        return known;
    }
    let name: &'static str = name.leak();
    made.insert(name);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_kept_once() {
        let [one, other] = [1, 1].map(|number| lasting(format!("queue {number}")));
        assert_eq!(one, "queue 1");
        assert!(std::ptr::eq(one, other));
        assert_ne!(lasting(format!("queue {}", 2)), one);
    }
}
