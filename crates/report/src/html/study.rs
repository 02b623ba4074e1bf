//! The part of a report on one study. This module must never measure anything.

use indexmap::IndexSet;
use maud::{Markup, html};
use units::plural::several;

use super::parts::{Drawn, Studied};
use super::prose::{prose, sentence};
use super::shell::{figure, place};
use super::{claims, numbers};
use crate::document::{FailedRun, Figure, Study};
use crate::picture;
use crate::quantity::list;
use crate::words::{self, alike};
use plot::Picture;

/// The pictures of a study, in the order of its part: under a heading, those of its figures, then what is drawn of every study.
pub(super) fn drawn(studied: &Studied) -> Vec<Drawn> {
    let study = &studied.study;
    let named = |name: &str| format!("{}-{name}", study.study);
    let of_figure = |figure: &Figure| Drawn {
        heading: "Figures",
        name: named(&figure.name),
        picture: beside_paper(picture::study(figure, study), studied),
    };
    let agreement = picture::agreement(&format!("{}: measured against stated", study.study), &studied.claims);
    let usual = [
        ("Stated and measured", "stated-measured", agreement),
        ("Policies on machines", "policies", picture::policies(study)),
        ("Where the time went", "time", picture::time(study)),
        ("What was sent", "volume", picture::volume(study)),
    ];
    let usual = usual
        .into_iter()
        .filter_map(|(heading, name, picture)| Some(Drawn { heading, name: named(name), picture: picture? }));
    study.figures.iter().map(of_figure).chain(usual).collect()
}

/// The most places of a paper that a caption names.
const PLACES: usize = 3;

/// A picture whose caption names the figures and tables of the paper that the study is after.
fn beside_paper(mut picture: Picture, studied: &Studied) -> Picture {
    let places: IndexSet<&str> = studied.claims.iter().map(|claim| claim.place.as_str()).collect();
    let places: Vec<_> = places.into_iter().filter(|place| !place.is_empty()).map(str::to_owned).collect();
    if let Some(paper) = studied.paper.as_ref().filter(|_| (1..=PLACES).contains(&places.len())) {
        picture.caption += &format!(" Beside {} of {}.", list(&places), paper.id);
    }
    picture
}

/// The part of the page on a study.
pub(super) fn part(studied: &Studied, drawn: &[Drawn]) -> Markup {
    let study = &studied.study;
    let shown = |heading: &str| drawn.iter().filter(move |it| it.heading == heading).collect::<Vec<_>>();
    html! {
        section.study id=(place(&study.study)) {
            div.head {
                h3 { (sentence(&study.summary)) }
                p.facts {
                    span { "study " b { (study.study) } }
                    span { (ran(study)) }
                    span { "file " code { (study.file) } }
                    @if let Some(partial) = &study.partial { span.differs { "PARTIAL: " (partial) } }
                }
                @if study.partial.is_some() {
                    p.facts { "Claims that need the other runs are not measured. " code { "tradewind study " (study.study) } " does the others." }
                }
            }
            @for (run, others) in FailedRun::by_reason(&study.failed_runs) {
                p.differs { "Failed: " code { (run.command) } ": " (prose(&run.said)) @if others > 0 { " " (alike(others)) } }
            }
            @for it in shown("Figures") { (figure(&it.name, &without_source(&it.picture, study))) }
            (numbers::tables(study))
            (numbers::derived(study))
            (claims::tables(&studied.claims))
            (checks(study, studied))
            @for heading in ["Stated and measured", "Policies on machines", "Where the time went", "What was sent"] {
                @for it in shown(heading) { (figure(&it.name, &it.picture)) }
            }
            @if !study.leaves_out.is_empty() {
                h4 { "What the models leave out" }
                ul { @for said in &study.leaves_out { li { (prose(said)) } } }
            }
        }
    }
}

/// A picture whose caption does not name the study, below whose name it stands.
fn without_source(picture: &Picture, study: &Study) -> Picture {
    let caption = picture.caption.strip_prefix(&picture::source(study)).unwrap_or(&picture.caption);
    Picture { caption: caption.trim_start().to_owned(), ..picture.clone() }
}

fn ran(study: &Study) -> String {
    match study.runs {
        0 => "no run: numbers of tables and equations".to_owned(),
        runs => several(runs as u64, "run"),
    }
}

/// The orders and shapes that a study checks beside the claims.
fn checks(study: &Study, studied: &Studied) -> Markup {
    let is_claim = |id: &str| studied.claims.iter().any(|claim| claim.id == id);
    let own: Vec<_> = study.checks.iter().filter(|check| !is_claim(&check.claim)).collect();
    let told = |holds: Option<bool>| match holds {
        Some(true) => "✓ holds",
        Some(false) => "✗ differs",
        None => "not measured",
    };
    html! {
        @if !own.is_empty() {
            h4 { "Checks" }
            ul {
                @for check in own {
                    li {
                        (told(check.holds)) ": " (check.claim) " (" (prose(&check.because)) ")"
                        @for part in check.parts.iter().filter(|part| part.holds != Some(true)) { br; (prose(&words::part(part))) }
                    }
                }
            }
        }
    }
}
