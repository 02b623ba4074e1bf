//! Bands: metrics at further values of an input that the source of the claims leaves open. This module must never know a
//! metric's value.

use super::texts::{Texts, complete};
use crate::mistake::Place;
use crate::template;
use crate::toml::Table;

/// A metric at a further value of an open input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// The open input, in words: `steps of wator`.
    pub open: String,
    /// The further value of the input.
    pub at: String,
    /// The metric.
    pub metric: String,
    /// The metric that has its value there.
    pub by: String,
    /// Reason why the input is open, and for the range of its values.
    pub because: String,
    /// Place in the file.
    pub place: Place,
}

/// The bands of a table.
pub(super) fn bands(table: &Table<'_>, prefix: &str) -> Vec<Band> {
    let one = |filling| {
        let texts = Texts { table, filling };
        let open = texts.text("open", "the input that the source leaves open, in words");
        let at = texts.text("at", "a further value of the open input");
        let metric = texts.text("metric", "the name of a metric");
        let by = texts.text("by", "the metric that has its value there");
        let because = texts.text("because", "one line that says why the input is open");
        Some(Band {
            open: open?,
            at: at?,
            metric: complete(&metric?, prefix),
            by: complete(&by?, prefix),
            because: because?,
            place: table.place,
        })
    };
    let all = template::each(table).into_iter().filter_map(one).collect();
    table.finish();
    all
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use crate::{Finding, Laboratory, Verdict, claim, recorded, study, tolerance};

    const STUDY: &str = r#"
summary = "s"
prefix = "a"
[[run]]
program = "toy"
machine = "toy"
metrics = [{ answer = "time_ns", metric = "a.time" }]

[[run]]
program = "still"
machine = "toy"
metrics = [{ figure = "x", metric = "a.x" }]

[[run]]
program = "toy"
machine = "toy"
inputs = { steps = "{steps}" }
each = { steps = ["1", "9"] }
metrics = [{ answer = "time_ns", metric = "a.{steps}.time" }]

[[derived]]
metric = "a.half"
value = ".time / 2"
because = "half"

[[check]]
claim = "a.order"
holds = ".half < .x"
because = "an order"

[[band]]
open = "steps"
at = "{steps}"
metric = ".time"
by = ".{steps}.time"
because = "nobody says how many"
each = { steps = ["1", "9"] }
"#;

    fn laboratory(study: &str) -> Result<Laboratory, Vec<String>> {
        let claim = |(id, value): (&str, &str)| {
            format!(
                "[[claim]]\nid = \"a.{id}\"\nwhere = \"t\"\nrole = \"result\"\nkind = \"value\"\nstatement = \"s\"\n\
                 confidence = \"exact\"\n{value}\n"
            )
        };
        let claims = [("time", "value = 10.0"), ("half", "value = 5.0"), ("order", ""), ("x", "value = 6.0")];
        let claims = claim::read("a.toml", &claims.map(claim).concat()).unwrap();
        let study = study::read("toy.toml", study).unwrap();
        let rules =
            tolerance::read("t.toml", "[[tolerance]]\nrelative = 0.1\nbecause = \"a test\"\n").unwrap();
        let laboratory = Laboratory::new(claims, vec![study], BTreeMap::new(), rules);
        laboratory.map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect())
    }

    /// The verdicts, with those at one step and at nine, where these numbers were measured.
    fn verdicts(numbers: &[(&str, f64)]) -> Vec<(String, Verdict, Vec<Verdict>)> {
        let lines: String = numbers.iter().map(|(name, number)| format!("{name}\t\t{number}\n")).collect();
        recounted(&lines)
    }

    /// The verdicts of a record with these lines.
    fn recounted(lines: &str) -> Vec<(String, Verdict, Vec<Verdict>)> {
        let recorded = recorded::read("r.tsv", &format!("claim\tverdict\tmeasured\n{lines}")).unwrap();
        let laboratory = laboratory(STUDY).unwrap();
        let findings = laboratory.findings(&[], &laboratory.metrics_recorded(&recorded), &BTreeSet::new());
        let told = |it: &Finding<'_>| {
            (it.claim.id.clone(), it.verdict, it.band.iter().map(|there| there.verdict).collect())
        };
        findings.iter().map(told).collect()
    }

    #[test]
    fn every_claim_that_depends_on_an_open_input_has_a_band() {
        use Verdict::{Differs, Holds, NotMeasured, Undecidable};
        let measured = [("a.time", 10.0), ("a.1.time", 10.5), ("a.9.time", 30.0), ("a.x", 6.0)];
        let expected = [
            ("a.time", Undecidable, vec![Holds, Differs]),
            ("a.half", Undecidable, vec![Holds, Differs]),
            ("a.order", Undecidable, vec![Holds, Differs]),
            ("a.x", Holds, vec![]),
        ];
        let named = |(id, verdict, band): (&str, Verdict, Vec<Verdict>)| (id.to_owned(), verdict, band);
        assert_eq!(verdicts(&measured), expected.map(named));
        // One value of the input was not run.
        let expected = [
            ("a.time", Holds, vec![Holds, NotMeasured]),
            ("a.half", Holds, vec![Holds, NotMeasured]),
            ("a.order", Holds, vec![Holds, NotMeasured]),
            ("a.x", Holds, vec![]),
        ];
        let measured = [measured[0], measured[1], measured[3]];
        assert_eq!(verdicts(&measured), expected.map(named));
    }

    #[test]
    fn the_runs_of_a_band_are_needed_with_the_claim() {
        let laboratory = laboratory(STUDY).unwrap();
        let runs = |id: &str| laboratory.needed(&[id.to_owned()]).len();
        assert_eq!((runs("a.order"), runs("a.x")), (4, 1));
    }

    #[test]
    fn a_band_of_no_measured_metric_is_refused_with_its_line() {
        let said = |from: &str, to: &str| laboratory(&STUDY.replace(from, to)).unwrap_err();
        let expected = "expected a metric that some run, model or survey yields";
        assert_eq!(
            said("metric = \".time\"", "metric = \".half\"")[0],
            format!("toy.toml:31:1: band.metric = \"a.half\": {expected}")
        );
        assert!(
            said("by = \".{steps}.time\"", "by = \".{steps}.tome\"")[0].contains("band.by = \"a.1.tome\"")
        );
    }

    #[test]
    fn a_band_of_the_same_run_is_refused_with_its_line() {
        let expected = "expected a metric of another run than `a.time`, with another value of the input";
        let itself = STUDY.replace("by = \".{steps}.time\"", "by = \".time\"");
        assert_eq!(
            laboratory(&itself).unwrap_err()[0],
            format!("toy.toml:31:1: band.by = \"a.time\": {expected}")
        );
        // Runs without the input are the metric's own.
        let same = STUDY.replace("inputs = { steps = \"{steps}\" }\n", "");
        assert_eq!(
            laboratory(&same).unwrap_err()[1],
            format!("toy.toml:30:1: band.by = \"a.9.time\": {expected}")
        );
    }

    #[test]
    fn two_bands_of_one_metric_at_one_value_are_refused_with_their_lines() {
        let (_, band) = STUDY.split_once("[[band]]").unwrap();
        let said = laboratory(&format!("{STUDY}\n[[band]]{}", band.replace(", \"9\"]", "]"))).unwrap_err();
        let mistake =
            "band.metric = \"a.time\": expected a metric that has no value at \"1\" in toy.toml:31:1 yet";
        assert_eq!(said[0], format!("toy.toml:39:1: {mistake}"));
    }

    #[test]
    fn an_undecidable_claim_of_a_record_stays_so_without_the_parts_of_its_band() {
        use Verdict::{Holds, NotMeasured, Undecidable};
        let lines = "a.time\tundecidable\t10\na.half\tundecidable\t5\na.order\tundecidable\ttrue\na.x\tundecidable\t6\n";
        let open = vec![NotMeasured, NotMeasured];
        let expected = [
            ("a.time", Undecidable, open.clone()),
            ("a.half", Undecidable, open.clone()),
            ("a.order", Undecidable, open),
            // Nothing leaves it open any more.
            ("a.x", Holds, vec![]),
        ];
        let named = |(id, verdict, band): (&str, Verdict, Vec<Verdict>)| (id.to_owned(), verdict, band);
        assert_eq!(recounted(lines), expected.map(named));
        // With the parts, the band is counted anew.
        let all = [("a.time", Holds), ("a.half", Holds), ("a.order", Holds)]
            .map(|(id, it)| (id, it, vec![Holds; 2]));
        let whole = recounted(&format!("{lines}a.1.time\t\t10\na.9.time\t\t10.5\n"));
        assert_eq!(whole[..3], all.map(named));
    }
}
