//! A comparison over free inputs as a document. This module must never find anything itself: bands and survivals are made in room
//! `compare`.

use compare::free::{self, Best, Survival};
use compare::{Ranking, Refusal};

use super::comparison::{Comparison, Row, World};
use super::documented::Documented;
use super::free::{FailedCase, Fate};
use crate::words;

impl Comparison {
    /// Adds bands, and the fate of each ranking, to a comparison whose tables are `rankings`; `further` has the rankings of each further
    /// case in the same order.
    pub fn over_free(&mut self, free: &compare::Free, rankings: &[Ranking], further: &[Vec<Ranking>]) {
        self.free = Some(free.into());
        for first in self.verdict.text.0.iter_mut().take(1) {
            *first = format!("At {} {first}", free.case(0));
        }
        let several = self.worlds.len() > 1;
        for (index, world) in self.worlds.iter_mut().enumerate() {
            let of_case = further.iter().filter_map(|rankings| rankings.get(index));
            let cases: Vec<_> = rankings.get(index).into_iter().chain(of_case).collect();
            world.free(free, &cases, several);
            self.verdict.text.0.extend(world.fate.iter().map(|fate| fate.text.clone()));
        }
    }
}

impl World {
    fn free(&mut self, free: &compare::Free, cases: &[&Ranking], several: bool) {
        for (place, rows) in cases.iter().take(1).flat_map(|first| &first.places).zip(self.places()) {
            for (way, row) in place.row.ways().zip(rows) {
                row.band = Some(free::Band::of(&way, cases).documented());
            }
        }
        let best: Vec<_> = cases.iter().map(|ranking| Best::of(ranking)).collect();
        let survival = Survival::of(&best);
        let place = several.then(|| words::on(cases[0]));
        let (survivors, by) = match &survival {
            Survival::Survives { best, by } => (best.documented(), *by),
            _ => (Vec::new(), None),
        };
        let ways: Vec<_> = cases.iter().flat_map(|case| case.rows()).flat_map(compare::Row::ways).collect();
        let further = cases.iter().enumerate().skip(1);
        let failed = |(case, ranking): (usize, &&Ranking)| -> Vec<FailedCase> {
            let failed = |it: Refusal| FailedCase {
                case: free.case(case),
                mechanism: it.mechanism.to_string(),
                policy: it.policy,
                reason: it.reason,
            };
            free::failures(cases[0], ranking).into_iter().map(failed).collect()
        };
        self.fate = Some(Fate {
            text: words::fate(free, place.as_deref(), &ways, &survival, &best),
            survives: survival.survives(),
            best: survivors,
            cases: best
                .iter()
                .map(|best| best.as_ref().map_or(Vec::new(), |it| it.best.documented()))
                .collect(),
            at_least_percent: by.map(super::verdict::percent),
            failed: further.flat_map(failed).collect(),
        });
    }

    /// The rows of each place of the ranking.
    fn places(&mut self) -> impl Iterator<Item = &mut [Row]> {
        self.rows.chunk_by_mut(|_, row| row.same_as.is_some())
    }
}

#[cfg(feature = "command")]
impl Comparison {
    /// The cases for people: each input with the values that were tried; `None` if nothing is free.
    pub(crate) fn tried(&self) -> Option<String> {
        let input = |input: &super::free::FreeInput| format!("{} {}", input.name, input.values.join(", "));
        Some(self.free.as_ref()?.inputs.iter().map(input).collect::<Vec<_>>().join("; "))
    }
}

#[cfg(test)]
mod tests {
    use compare::free::FreeInput;
    use compare::samples::{ranking, rows};
    use tempest::Mechanism::Messages;

    use super::*;
    use crate::document::Band;
    use crate::document::samples::comparison;

    /// The document of a comparison in two cases.
    fn found(here: Ranking, further: Ranking) -> Comparison {
        let input = |values: [String; 2]| FreeInput {
            name: "steps".to_owned(),
            values: values.into(),
            is_range: true,
        };
        let values = ["10", "30"].map(str::to_owned);
        let cases = values.iter().map(|value| vec![value.clone()]).collect();
        let free = compare::Free { inputs: vec![input(values)], cases };
        let mut found = comparison(std::slice::from_ref(&here));
        found.over_free(&free, &[here], &[vec![further]]);
        found
    }

    #[test]
    fn policies_that_are_the_same_in_one_case_alone_stand_apart() {
        let mut here = rows(&[(Messages, "proc", 100), (Messages, "np", 150)]);
        here[0].policies.push("single".to_owned());
        let here = ranking("toy", &here);
        let alike = found(here.clone(), here.clone());
        assert_eq!(alike.worlds[0].table()[0].policies, ["proc", "single"]);
        let further = rows(&[(Messages, "single", 100), (Messages, "proc", 140), (Messages, "np", 200)]);
        let found = found(here, ranking("toy", &further));
        let table = found.worlds[0].table();
        let said = table.iter().map(|row| {
            (row.policies.join(" "), row.rank, row.band.as_ref().map(Band::ends).unwrap_or_default())
        });
        let expected =
            [("proc", 1, "1.00 .. 1.40"), ("single", 1, "1.00 .. 1.00"), ("np", 2, "1.50 .. 2.00")];
        let expected = expected.map(|(policy, rank, band)| (policy.to_owned(), Some(rank), band.to_owned()));
        assert_eq!(said.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_verdict_names_its_case_and_ends_with_the_fate() {
        let here = ranking("toy", &rows(&[(Messages, "proc", 100), (Messages, "np", 150)]));
        let further = ranking("toy", &rows(&[(Messages, "np", 100), (Messages, "proc", 150)]));
        let found = found(here, further);
        assert_eq!(
            found.verdict.text.0,
            [
                "At steps 10 em3d is fastest under the policy proc on toy (a model), by 50 %.",
                "The ranking does not survive: the fastest is proc at steps 10; np at steps 30."
            ]
        );
        assert_eq!(found.tried().as_deref(), Some("steps 10, 30"));
    }

    #[test]
    fn a_case_without_a_right_answer_is_listed_as_failed_and_marked_in_the_band() {
        let here = ranking("toy", &rows(&[(Messages, "proc", 100), (Messages, "np", 150)]));
        let mut wrong = here.clone();
        let np = &mut wrong.places[1];
        np.row.verified = false;
        np.row.failures.push("word 3 is 7, not 8".to_owned());
        let [np] = &ranking("toy", std::slice::from_ref(&np.row)).places[..] else { panic!("a place") };
        wrong.places[1] = np.clone();
        let found = found(here, wrong);
        let fate = found.worlds[0].fate.as_ref().expect("a fate");
        let failed: Vec<_> = fate.failed.iter().map(|it| (it.case.as_str(), it.reason.as_str())).collect();
        assert_eq!(failed, [("steps 30", "word 3 is 7, not 8")]);
        let ends: Vec<_> = found.worlds[0].rows.iter().map(|row| row.band.as_ref().unwrap().ends()).collect();
        assert_eq!(ends, ["1.00 .. 1.00", "1.50 .. 1.50?"]);
    }
}
