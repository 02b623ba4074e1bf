//! From arguments to a program with its inputs, or all that is wrong with them.

use tempest::entry::Entry;
use tempest::{Breakdown, Counters, Mechanism, Outcome};
use worlds::Subject;

use crate::arguments::Common;
use crate::{House, Problem, both, names, sharing};

/// What the command line asks for, and the mechanisms that it names; `or_else` says which are used if it names none.
pub(crate) fn find(
    house: &House,
    common: &Common,
    mechanisms: &[String],
    or_else: fn(&Entry) -> &[Mechanism],
) -> Result<(Subject, Vec<Mechanism>), Problem> {
    let (mechanisms, sharing) = (names::mechanisms(mechanisms), sharing::read(house, common));
    match house.programs.find(&common.program) {
        Ok(entry) => {
            let mechanisms = mechanisms.and_then(|asked| {
                Subject::check(entry, &asked)?;
                let used = if asked.is_empty() { or_else(entry) } else { &asked };
                sharing::check(common, entry, used).map(|()| asked)
            });
            let subject = Subject::told(entry, &common.inputs).map_err(Problem::from);
            let ((subject, mechanisms), sharing) = both(both(subject, mechanisms), sharing)?;
            Ok((subject.sharing(sharing), mechanisms))
        }
        // What inputs there are, nobody knows.
        Err(unknown) => {
            both(Err(Problem::wrong(unknown.to_string())), both(mechanisms, sharing).map(|(asked, _)| asked))
        }
    }
}

/// The mechanisms of a program, for people.
pub(crate) fn mechanism_names(entry: &Entry) -> String {
    let names: Vec<_> = entry.mechanisms.iter().map(|mechanism| mechanism.name()).collect();
    names.join(", ")
}

/// What was counted and spent in the part of a run that is timed.
pub(crate) struct Region {
    pub(crate) counters: Counters,
    pub(crate) breakdown: Breakdown,
}

/// The region that counts: the first phase, or the whole run if there is none.
pub(crate) fn region(outcome: &Outcome) -> Region {
    let whole = Region { counters: outcome.counters, breakdown: outcome.breakdown };
    let timed = outcome.phases.first();
    timed.map_or(whole, |phase| Region { counters: phase.counters, breakdown: phase.breakdown })
}
