//! Claims with their verdicts, and the score. This module must never decide a verdict.

use lab::Basis;
use maud::{Markup, html};
use units::plural::several;

use super::prose::prose;
use super::shell::heads;
use crate::document::{Claim, Grid, Predictions, Scalar, Standing, Verdicts};
use crate::picture::basis_label;
use crate::words::{error, scalar, stated, tolerance};

/// The most claims of a table that stands open; a longer table is folded away.
const OPEN: usize = 14;

/// The most claims of a table that stands on one page of paper.
const SHORT: usize = 14;

/// Claims that stand under one heading.
struct Group<'c> {
    heading: &'static str,
    /// The noun for an entry.
    one: &'static str,
    claims: Vec<&'c Claim>,
}

/// The role of claims that a study states itself.
const BOUND: &str = "bound";

/// Claims of the literature, then bounds that the study states itself; of each those that differ, in the open, then all.
pub(super) fn tables(claims: &[Claim]) -> Markup {
    let is_asked = |claim: &&Claim| match claim.role.as_str() {
        "input" => claim.measured.is_some(),
        _ => !matches!(claim.verdict.as_str(), "not measured" | "unreadable"),
    };
    let (bounds, literature) = claims.iter().filter(is_asked).partition(|claim| claim.role == BOUND);
    let groups = [
        Group { heading: "Beside the literature", one: "claim", claims: literature },
        Group { heading: "Beside what the study says it should come to", one: "bound", claims: bounds },
    ];
    html! { @for group in &groups { @if !group.claims.is_empty() { (group.part()) } } }
}

impl Group<'_> {
    fn part(&self) -> Markup {
        let Self { heading, one, claims } = self;
        let differ: Vec<&Claim> = claims.iter().copied().filter(|claim| claim.verdict == "differs").collect();
        html! {
            h4 { (heading) }
            p.told { (told(one, claims)) }
            @if claims.len() > OPEN {
                @if !differ.is_empty() { (table("What differs", &differ)) }
                details { summary { "All " (claims.len()) " " (one) "s" } div { (table("", claims)) } }
            } @else {
                (table("", claims))
            }
        }
    }
}

/// How the claims came out, in a sentence; `one` is what one of them is called.
fn told(one: &str, claims: &[&Claim]) -> String {
    let counts = Verdicts::of(claims.iter().copied());
    let parts = [
        (counts.holds, if counts.holds == 1 { "holds" } else { "hold" }),
        (counts.differs, if counts.differs == 1 { "differs" } else { "differ" }),
        (counts.undecidable, "undecidable"),
        (counts.held_out, "measured blind, the stated value being kept apart"),
        (counts.unknown, "of which nobody can read the stated value"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    format!("Of {}, {}.", several(claims.len() as u64, one), parts.collect::<Vec<_>>().join(", "))
}

fn table(caption: &str, claims: &[&Claim]) -> Markup {
    let of_bounds = claims.iter().all(|claim| claim.role == BOUND);
    let (first, last) = if of_bounds { ("bound", "tolerance") } else { ("claim", "evidence") };
    html! {
        div.wide {
            table.short[claims.len() <= SHORT] {
                @if !caption.is_empty() { caption { (caption) } }
                (heads(&[first, "#stated", "#measured", "", "#error", "verdict", last]))
                tbody { @for (at, claim) in claims.iter().enumerate() { (row(claim, &claims[..at])) } }
            }
        }
    }
}

fn row(claim: &Claim, above: &[&Claim]) -> Markup {
    let is_told = above.last().is_some_and(|above| above.cause == claim.cause);
    let raw = claim.measured.as_ref().filter(|it| !matches!(it, Scalar::Text(_)));
    html! {
        tr data-claim=(claim.id) data-measured=[raw] {
            td.name title=[claim.because.as_deref()] { (claim.id)
                small { (prose(&claim.statement)) " (" (claim.place) ")" }
                @if let Some(cause) = &claim.cause { small.cause { b { "Why: " } (prose(if is_told { "as above" } else { cause })) } }
            }
            td.number { (stated(claim).unwrap_or_else(none)) }
            td.number { (claim.measured.as_ref().map_or_else(none, scalar)) }
            td { (claim.unit) }
            td.number { (error(claim).unwrap_or_else(none)) }
            td.mark { (verdict(&claim.verdict)) }
            @if claim.role == BOUND { td { (tolerance(claim).unwrap_or_else(none)) } }
            @else { td { (claim.basis().map_or(if claim.role == "input" { "an input" } else { "none" }, basis_label)) } }
        }
    }
}

fn verdict(verdict: &str) -> Markup {
    let (class, sign) = match verdict {
        "holds" => ("holds", "✓ "),
        "differs" => ("differs", "✗ "),
        _ => ("quiet", ""),
    };
    html! { span class=(class) { (sign) (verdict) } }
}

fn none() -> String {
    "–".to_owned()
}

/// The meanings of the marks of verdicts.
pub(super) fn marks() -> Markup {
    html! {
        dl {
            dt { (verdict("holds")) }
            dd { "The measured value is within the tolerance that was set for its kind of claim, or the order or shape was found." }
            dt { (verdict("differs")) }
            dd { "It is not. This is a result; where its cause is known, the cause stands below the claim." }
            dt { (verdict("undecidable")) }
            dd { "The paper leaves an input open: at some of its values the claim holds, at others it differs." }
            dt { (verdict("held out")) }
            dd { "The value was measured, and the stated one is kept apart." }
            dt { (verdict("unknown")) }
            dd { "The value was measured, and nobody can read what the paper states." }
        }
    }
}

/// The numbers of each study of the literature, and of all together: a column for each, since a page is wide enough for papers and not
/// for all their numbers.
pub(super) fn score(standings: &[Standing], predictions: &[Predictions]) -> Markup {
    const DECIDED: [Basis; 5] =
        [Basis::Predicted, Basis::Set, Basis::Follows, Basis::Repeated, Basis::Substitute];
    let papers = Standing::rows(standings);
    let names = papers.iter().map(|(study, _)| format!("#{}", study.unwrap_or("all")));
    let columns: Vec<_> = std::iter::once(String::new()).chain(names).collect();
    let predicted = |number: fn(&Predictions) -> usize| {
        let of = |study: &Option<&str>| number(&Predictions::of(predictions, *study)).to_string();
        papers.iter().map(|(study, _)| of(study)).collect()
    };
    let counted = |number: fn(&Grid) -> usize| papers.iter().map(|(_, it)| number(it).to_string()).collect();
    let decided = |basis: &Basis| {
        (basis_label(*basis), papers.iter().map(|(_, grid)| grid.holds(*basis)).collect::<Vec<_>>())
    };
    let numbers = [
        ("numbers predicted", predicted(|it| it.numbers)),
        ("within 5 %", predicted(|it| it.within_5)),
        ("within 15 %", predicted(|it| it.within_15)),
    ];
    let last = [
        (basis_label(Basis::Blind), counted(|grid| grid.of(Basis::Blind).measured())),
        (basis_label(Basis::Unknown), counted(Grid::unknown)),
        ("undecidable", counted(Grid::undecidable)),
        ("not measured", counted(Grid::not_measured)),
    ];
    html! {
        div.wide {
            table.summed[papers.len() > 1] {
                caption {
                    "Independent predictions of a number, and those near the stated one; claims that hold, of those that were \
                     decided; of the last four rows, how many there are."
                }
                (heads(&columns.iter().map(String::as_str).collect::<Vec<_>>()))
                tbody {
                    @for (label, cells) in numbers.into_iter().chain(DECIDED.iter().map(decided)).chain(last) {
                        tr { td { (label) } @for cell in cells { td.number { (cell) } } }
                    }
                }
            }
        }
    }
}
