//! Measured values against stated ones. This module must never decide whether two values agree.

use lab::Basis;
use units::plural::several;

use crate::document::{Claim, Scalar};
use plot::{Axis, Content, Level, Lines, Panel, Picture, Point, Scale, Series, Shared};

/// Fewer points than this are no picture.
const FEW: usize = 4;

/// The picture of all claims with two numbers above zero; `None` if there are too few.
pub fn agreement(title: &str, claims: &[Claim]) -> Option<Picture> {
    let both = |claim: &Claim| match (&claim.stated, &claim.measured) {
        (Some(Scalar::Number(stated)), Some(Scalar::Number(measured)))
            if *stated > 0.0 && *measured > 0.0 =>
        {
            Some((*stated, *measured))
        }
        _ => None,
    };
    let points = |basis: Basis, up: fn(f64, f64) -> f64| -> Series {
        let named = claims.iter().filter(|claim| claim.basis() == Some(basis));
        let named = named.filter_map(|claim| Some((claim, both(claim)?)));
        let (names, points) = named
            .map(|(claim, (stated, measured))| (name(claim), Point::new(stated, up(stated, measured))))
            .unzip();
        Series { label: label(basis).to_owned(), points, names, ..Series::default() }
    };
    let series = |up: fn(f64, f64) -> f64| -> Vec<Series> {
        Basis::ALL
            .into_iter()
            .map(|basis| points(basis, up))
            .filter(|series| !series.points.is_empty())
            .collect()
    };
    let measured = series(|_, measured| measured);
    let drawn: usize = measured.iter().map(|series| series.points.len()).sum();
    if drawn < FEW {
        return None;
    }
    let level = |value: f64, label: &str| Level { value, label: label.to_owned() };
    let stated = || Axis::new("stated, each in its unit", "", Scale::Log);
    let values = Lines {
        x: stated(),
        y: Axis::new("measured, each in its unit", "", Scale::Log),
        series: measured,
        multiples: vec![level(1.0, "as stated")],
        ..Lines::default()
    };
    let ratios = Lines {
        x: stated(),
        y: Axis::new("measured / stated", "", Scale::Log),
        series: series(|stated, measured| measured / stated),
        levels: vec![level(1.1, "10 % more"), level(1.0, "as stated"), level(1.0 / 1.1, "10 % less")],
        ..Lines::default()
    };
    let caption = format!(
        "{} of the literature with a number above 0, each beside its measurement. A point on the line \
         “as stated” came out so.",
        several(drawn as u64, "claim")
    );
    let panel = |title: &str, lines| Panel { title: title.to_owned(), content: Content::Lines(lines) };
    let panels = vec![panel("values", values), panel("ratios", ratios)];
    Some(Picture { title: title.to_owned(), caption, panels, shared: Shared::default() })
}

fn name(claim: &Claim) -> String {
    let unit = if claim.unit.is_empty() { String::new() } else { format!(", {}", claim.unit) };
    format!("{}{unit}, measured and stated", claim.id)
}

/// The words for a basis.
pub(crate) fn label(basis: Basis) -> &'static str {
    match basis {
        Basis::Set => "set a parameter",
        Basis::Follows => "follows from others",
        Basis::Repeated => "repeats another",
        Basis::Substitute => "by other programs",
        Basis::Predicted => "predicted",
        Basis::Blind => "predicted blind",
        Basis::Unknown => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::samples::claim;

    #[test]
    fn every_pair_of_numbers_is_a_point_with_the_name_of_its_claim() {
        let claims: Vec<_> =
            (1..=5).map(|at| claim(&format!("a.{at}"), f64::from(at), "predicted")).collect();
        assert_eq!(agreement("t", &claims[..3]), None);
        let picture = agreement("t", &claims).unwrap();
        let Content::Lines(lines) = &picture.panels[0].content else { panic!("points") };
        assert_eq!((lines.series.len(), lines.series[0].points.len()), (1, 5));
        assert_eq!(lines.series[0].names[1], "a.2, us, measured and stated");
        let svg = plot::svg(&picture);
        assert!(svg.contains("data-values=\"1,1.05 2,2.1 3,3.15"), "{svg}");
        assert!(svg.contains("a.2, us, measured and stated: 2.1 at 2"), "{svg}");
    }
}
