//! Mistakes that only show when claims, studies and surveys are seen at once: names that stand twice, or that nothing
//! yields. This module must never know a measured value.

use std::collections::BTreeMap;

use units::names::nearest_slip;

use crate::assembly::Laboratory;
use crate::lineage::Lineage;
use crate::mistake::{Mistake, Mistakes, Place};
use crate::open_input::half_moved;
use crate::study::{Band, Derived, Origin};
use crate::{Claim, Expression, model};

/// All mistakes of a laboratory, grouped by kind.
pub(crate) fn mistakes(laboratory: &Laboratory) -> Mistakes {
    let lineage = Lineage::new(laboratory);
    let kinds = [
        ids(laboratory),
        decisions(laboratory),
        yields(laboratory),
        circles(laboratory, &lineage),
        needs(laboratory, &lineage),
        bands(laboratory, &lineage),
        idle_bands(laboratory, &lineage),
        double_bands(laboratory),
        half_moved(laboratory, &lineage),
        bounds(laboratory, &lineage),
        origins(laboratory),
    ];
    kinds.into_iter().flatten().collect()
}

/// A file, and a place in it.
type In<'a> = (&'a str, Place);

fn mistake((file, place): In<'_>, key: &str, value: &str, expected: String) -> Mistake {
    let (file, key, value) = (file.to_owned(), key.to_owned(), Some(format!("{value:?}")));
    Mistake { file, place, key, value, expected }
}

/// A mistake for each of these names that has stood before: key, name and place.
fn twice<'a>(names: impl Iterator<Item = (&'static str, &'a str, In<'a>)>, what: &str) -> Mistakes {
    let mut seen = BTreeMap::new();
    let mut mistakes = Vec::new();
    for (key, name, place) in names {
        if let Some((file, earlier)) = seen.insert(name, place) {
            mistakes.push(mistake(place, key, name, format!("{what} in {file}:{earlier}")));
        }
    }
    mistakes
}

/// No id stands for two claims.
fn ids(laboratory: &Laboratory) -> Mistakes {
    let claims = laboratory.claims().iter();
    let ids = claims.map(|claim| {
        ("claim.id", claim.id.as_str(), (claim.file.as_str(), Place { line: claim.line, column: 1 }))
    });
    twice(ids, "an id that is not also")
}

/// No claim is decided twice.
fn decisions(laboratory: &Laboratory) -> Mistakes {
    let decided = laboratory.checks().map(|(study, check)| {
        let place = (study.file.as_str(), check.place);
        ("check.claim", check.claim.as_str(), place)
    });
    twice(decided, "a claim that is not also decided")
}

/// No metric is yielded twice, be it by sources or by derivations.
fn yields(laboratory: &Laboratory) -> Mistakes {
    let sources = laboratory.sources().flat_map(|(study, source)| {
        let names = source.metrics.iter().filter_map(|mapping| Some(mapping.metric.as_ref()?.text()));
        names.map(|name| ("metrics.metric", name, (study.file.as_str(), source.places.table)))
    });
    let derived = laboratory.derived().map(|(study, derived)| {
        let place = (study.file.as_str(), derived.place);
        ("derived.metric", derived.metric.as_str(), place)
    });
    twice(sources.chain(derived), "a metric that is not also yielded")
}

/// No metric follows from itself.
fn circles(laboratory: &Laboratory, lineage: &Lineage<'_>) -> Mistakes {
    let follows =
        |derived: &Derived| lineage.closure(derived.value.names()).contains(derived.metric.as_str());
    let circles = laboratory.derived().filter(|(_, derived)| follows(derived));
    let told = circles.map(|(study, derived)| {
        let expected = "a metric that does not follow from itself".to_owned();
        mistake((&study.file, derived.place), "derived.metric", &derived.metric, expected)
    });
    told.collect()
}

/// The names of all metrics, and of families of them with their `*`.
fn metrics(laboratory: &Laboratory) -> impl Iterator<Item = &str> {
    let sources = laboratory.sources().flat_map(|(_, source)| &source.metrics);
    let yielded = sources.filter_map(|mapping| Some(mapping.metric.as_ref()?.text()));
    yielded.chain(laboratory.derived().map(|(_, derived)| derived.metric.as_str()))
}

/// Whether something yields a metric of this name, as far as names tell.
fn is_yielded(lineage: &Lineage<'_>, name: &str) -> bool {
    lineage.derived(name).is_some() || lineage.yielded(name).is_some()
}

/// The mistake of a name that no metric has.
fn unknown(laboratory: &Laboratory, place: In<'_>, key: &str, name: &str) -> Mistake {
    let nearest = nearest_slip(name, metrics(laboratory));
    let nearest = nearest.map_or_else(String::new, |nearest| format!("; did you mean {nearest:?}?"));
    let expected = format!("a metric that some run, model, survey or [[derived]] yields{nearest}");
    mistake(place, key, name, expected)
}

/// Reports bounds that are neither a metric's nor decided by a check.
fn bounds(laboratory: &Laboratory, lineage: &Lineage<'_>) -> Mistakes {
    let all = laboratory.studies().iter().flat_map(|study| &study.bounds);
    let is_decided = |id: &str| is_yielded(lineage, id) || lineage.is_checked(id);
    let lost = all.filter(|bound| !is_decided(&bound.id));
    let place = |bound: &Claim| Place { line: bound.line, column: 1 };
    lost.map(|bound| unknown(laboratory, (&bound.file, place(bound)), "bound.id", &bound.id)).collect()
}

/// Reports metrics in expressions without a source, as far as names tell.
fn needs(laboratory: &Laboratory, lineage: &Lineage<'_>) -> Mistakes {
    let unknown = |place: In<'_>, key: &str, expression: &Expression| -> Mistakes {
        let names = expression.names().into_iter().filter(|name| !is_yielded(lineage, name));
        names.map(|name| unknown(laboratory, place, key, name)).collect()
    };
    let derived = laboratory
        .derived()
        .flat_map(|(study, derived)| unknown((&study.file, derived.place), "derived.value", &derived.value));
    let checks = laboratory.checks().flat_map(|(study, check)| {
        let expressions = check.holds.iter();
        expressions.flat_map(move |it| unknown((&study.file, check.place), "check.holds", it))
    });
    derived.chain(checks).collect()
}

/// Reports bands of metrics that no source yields: a derived metric moves with the metrics in its expression.
fn bands(laboratory: &Laboratory, lineage: &Lineage<'_>) -> Mistakes {
    let mut mistakes = Mistakes::new();
    for (study, band) in laboratory.bands() {
        let place = (study.file.as_str(), band.place);
        if lineage.yielded(&band.metric).is_none() {
            let expected = "a metric that some run, model or survey yields".to_owned();
            mistakes.push(mistake(place, "band.metric", &band.metric, expected));
        }
        if !is_yielded(lineage, &band.by) {
            mistakes.push(unknown(laboratory, place, "band.by", &band.by));
        }
    }
    mistakes
}

/// Reports bands without another value: of the metric itself, or of the same number of the same run.
fn idle_bands(laboratory: &Laboratory, lineage: &Lineage<'_>) -> Mistakes {
    let is_idle = |band: &Band| band.by == band.metric || lineage.namesakes(&band.metric).contains(&band.by);
    let idle = laboratory.bands().filter(|(_, band)| is_idle(band));
    let told = idle.map(|(study, band)| {
        let expected =
            format!("a metric of another run than `{}`, with another value of the input", band.metric);
        mistake((&study.file, band.place), "band.by", &band.by, expected)
    });
    told.collect()
}

/// No metric has two values at one value of an open input.
fn double_bands(laboratory: &Laboratory) -> Mistakes {
    let mut seen = BTreeMap::new();
    let mut mistakes = Mistakes::new();
    for (study, band) in laboratory.bands() {
        let place = (study.file.as_str(), band.place);
        if let Some((file, earlier)) = seen.insert((&band.open, &band.at, &band.metric), place) {
            let expected = format!("a metric that has no value at {:?} in {file}:{earlier} yet", band.at);
            mistakes.push(mistake(place, "band.metric", &band.metric, expected));
        }
    }
    mistakes
}

/// Reports missing surveys, and models that do not take their settings.
fn origins(laboratory: &Laboratory) -> Mistakes {
    let wrong = laboratory.sources().flat_map(|(study, source)| {
        let place = (study.file.as_str(), source.places.table);
        match &source.origin {
            Origin::Survey { file } if !laboratory.has_survey(file) => {
                vec![mistake(place, "survey.file", file, "a survey beside the studies".to_owned())]
            }
            Origin::Model { name, settings } => {
                let wrong = model::mistakes(name, settings).into_iter();
                let told = wrong.map(|expected| {
                    mistake(place, "model.name", name, format!("other settings: {expected}"))
                });
                told.collect()
            }
            _ => Vec::new(),
        }
    });
    wrong.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::{Laboratory, study};

    const STUDY: &str = r#"
name = "toy"
summary = "a toy"

[[run]]
program = "toy"
machine = "toy"
metrics = [{ figure = "x.*", metric = "a.*" }, { figure = "y", metric = "b" }]

[[derived]]
metric = "c"
value = "a.one + b"
because = "a sum"

[[check]]
claim = "d"
holds = "c > a.two"
because = "an order"
"#;

    fn said(text: &str) -> Vec<String> {
        let study = study::read("toy.toml", text).unwrap();
        let laboratory = Laboratory::new(Vec::new(), vec![study], BTreeMap::new(), Vec::new());
        laboratory.map_or_else(|mistakes| mistakes.iter().map(ToString::to_string).collect(), |_| Vec::new())
    }

    #[test]
    fn what_stands_twice_or_nowhere_is_told_with_its_line() {
        assert_eq!(said(STUDY), [""; 0]);
        let again = format!("{STUDY}\n[[check]]\nclaim = \"d\"\nholds = \"c > 1\"\nbecause = \"again\"\n");
        assert_eq!(
            said(&again),
            [
                "toy.toml:20:1: check.claim = \"d\": expected a claim that is not also decided in toy.toml:15:1"
            ]
        );
        let clash = STUDY.replace("metric = \"c\"", "metric = \"b\"");
        let expected = "a metric that is not also yielded in toy.toml:5:1";
        assert_eq!(said(&clash)[0], format!("toy.toml:10:1: derived.metric = \"b\": expected {expected}"));
        let missing = STUDY.replace("c > a.two", "c > e.two");
        let expected = "a metric that some run, model, survey or [[derived]] yields";
        assert_eq!(said(&missing), [format!("toy.toml:15:1: check.holds = \"e.two\": expected {expected}")]);
        let missing = STUDY.replace("value = \"a.one + b\"", "value = \"a.one + bb\"");
        let expected = "a metric that some run, model, survey or [[derived]] yields; did you mean \"b\"?";
        assert_eq!(said(&missing), [format!("toy.toml:10:1: derived.value = \"bb\": expected {expected}")]);
        let circle = STUDY.replace("a.one + b", "c + b");
        let expected = "a metric that does not follow from itself";
        assert_eq!(said(&circle), [format!("toy.toml:10:1: derived.metric = \"c\": expected {expected}")]);
    }

    #[test]
    fn a_bound_of_no_metric_is_told_with_the_nearest() {
        let bound = |id: &str| {
            let told = "where = \"here\"\nstatement = \"s\"\nstated = \"1\"\n";
            said(&format!("{STUDY}\n[[bound]]\nid = \"{id}\"\n{told}"))
        };
        for known in ["a.three", "b", "c", "d"] {
            assert_eq!(bound(known), [""; 0], "{known}");
        }
        let expected = "a metric that some run, model, survey or [[derived]] yields";
        assert_eq!(bound("else"), [format!("toy.toml:20:1: bound.id = \"else\": expected {expected}")]);
        let slip = format!("toy.toml:20:1: bound.id = \"cc\": expected {expected}; did you mean \"c\"?");
        assert_eq!(bound("cc"), [slip]);
    }
}
