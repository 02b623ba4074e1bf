//! The part of a report on one machine: drawn, a message's way through it, and which of its values were free. This module must never
//! know the effect of a value.

use maud::{Markup, html};
use units::plural::several;

use super::parts::{Drawn, Machine};
use super::prose::prose;
use super::shell::{figure, heads, place};
use crate::document::{Parameter, Score, Underived, Value};
use crate::picture;

/// The pictures of a machine.
pub(super) fn drawn(machine: &Machine) -> Vec<Drawn> {
    let name = &machine.explain.machine;
    let parts = Drawn {
        heading: "",
        name: format!("machine-{name}-parts"),
        picture: picture::machine(&machine.explain),
    };
    let way = picture::message(&machine.explain);
    let way = way.map(|picture| Drawn {
        heading: "A message's way",
        name: format!("machine-{name}-message"),
        picture,
    });
    [Some(parts), way].into_iter().flatten().collect()
}

/// The part of the page on a machine.
pub(super) fn part(machine: &Machine, drawn: &[Drawn]) -> Markup {
    let (explain, fixed) = (&machine.explain, &machine.fixed);
    html! {
        section.study id=(place(&format!("machine {}", explain.machine))) {
            h3 { (explain.machine) }
            p.facts {
                span { "file " code { (explain.machine_file) } }
                span { (several(explain.values.len() as u64, "value")) }
                span { (several(fixed.parameters.len() as u64, "free one")) }
            }
            @for it in drawn { (figure(&it.name, &it.picture)) }
            (without(&explain.not_derived))
            (without(&explain.not_measured))
            h4 { "What was free, and what fixed it" }
            (free(machine))
            (values(&explain.values))
            @if !explain.sources.is_empty() {
                details {
                    summary { "Sources" }
                    div {
                        ul {
                            @for source in &explain.sources {
                                li { (source.mark) ": " (prose(source.text.as_deref().unwrap_or("the head of the file does not say"))) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The quantities that a reader may look for and that are not there, each with the reason.
fn without(quantities: &[Underived]) -> Markup {
    html! {
        @if !quantities.is_empty() {
            ul { @for it in quantities { li { (it.name) ": " (prose(&it.reason)) "." } } }
        }
    }
}

fn free(machine: &Machine) -> Markup {
    let fixed = &machine.fixed;
    let (by_claims, chosen): (Vec<&Parameter>, Vec<_>) =
        fixed.parameters.iter().partition(|it| it.fixed_by.is_some());
    let score = |score: Score| format!("{} of {}{}", score.holds, score.of, score.rest());
    html! {
        @if fixed.parameters.is_empty() {
            p { "Nothing: every value was published, or follows from published ones." }
        } @else {
            p {
                (several(by_claims.len() as u64, "value")) " fixed by claims, "
                (several(chosen.len() as u64, "value")) " chosen by us; the others were published."
                @if [fixed.fixing, fixed.fixing_nothing].iter().any(|it| it.of + it.undecidable > 0) {
                    " Of the values claimed of this machine hold, where they fixed something, " (score(fixed.fixing))
                    ", and where they fixed nothing, " (score(fixed.fixing_nothing)) "."
                }
            }
            (parameters("Values fixed by claims", &by_claims))
            (parameters("Values chosen by us", &chosen))
        }
    }
}

fn parameters(title: &str, listed: &[&Parameter]) -> Markup {
    html! {
        @if !listed.is_empty() {
            details {
                summary { (title) }
                div.wide {
                    table {
                        (heads(&["value", "", "fixed by"]))
                        tbody { @for it in listed { (parameter(it)) } }
                    }
                }
            }
        }
    }
}

fn parameter(it: &Parameter) -> Markup {
    html! {
        tr {
            td.name { (it.key) }
            td { (it.value) }
            td {
                @if let Some(claims) = &it.fixed_by { (claims.join(", ")) }
                @if let Some(choice) = &it.choice { (prose(choice)) }
            }
        }
    }
}

fn values(values: &[Value]) -> Markup {
    html! {
        details {
            summary { "All values" }
            div.wide {
                table {
                    (heads(&["key", "value", "source"]))
                    tbody {
                        @for value in values {
                            tr {
                                td.name { (value.key) }
                                td { (value.value) }
                                td { (prose(value.source.as_deref().unwrap_or("–"))) }
                            }
                        }
                    }
                }
            }
        }
    }
}
