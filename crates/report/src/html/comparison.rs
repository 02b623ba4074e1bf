//! One program by every mechanism under every policy, as one page. This module must never rank anything.

use maud::{Markup, html};

use super::parts::facts;
use super::prose::{prose, sentence};
use super::shell::{Entry, Shell, figure, place};
use crate::document::{Band, Circumstances, Comparison, Row, World};
use crate::picture;
use crate::quantity::{bytes, count, time};

/// The page of a comparison. `summary` is one line about the program, and `command` the command line that makes the page.
pub fn comparison(found: &Comparison, summary: &str, command: &str, made: &Circumstances) -> String {
    let asked = &found.asked;
    let drawn = [
        ("Ranked", "ranked", Some(picture::comparison(found))),
        ("Mechanisms under policies", "mechanisms", picture::mechanisms(found)),
        ("What was sent", "volume", picture::volumes(found)),
        ("Where the time of an event goes", "events", picture::events(found)),
    ];
    let drawn: Vec<_> =
        drawn.into_iter().filter_map(|(heading, name, picture)| Some((heading, name, picture?))).collect();
    let pictures = drawn.iter().map(|(heading, name, _)| Entry::Part((*heading).to_owned(), place(name)));
    let worlds = found.worlds.iter().map(|world| Entry::Part(world.place(), place(&world.place())));
    let contents = [Entry::Group("Pictures".to_owned())]
        .into_iter()
        .chain(pictures)
        .chain([Entry::Group("Tables".to_owned())])
        .chain(worlds)
        .collect();
    let input: Vec<_> = asked.input.iter().map(|(key, value)| format!("{key} {value}")).collect();
    let head = html! {
        p.lead { (prose(&found.verdict.text.0.join(" "))) }
        (facts(made))
        p.facts {
            span { (asked.program) ": " (prose(summary)) }
            @if !input.is_empty() { span { (input.join(", ")) } }
            span { code { (command) } }
            @if let Some(partial) = &found.partial { span.differs { "PARTIAL: " (partial) } }
        }
    };
    let tried = found.tried();
    let body = html! {
        @for (heading, name, picture) in &drawn { h3 { (heading) } (figure(name, picture)) }
        @for agreement in &found.agreements { p { (sentence(&agreement.text)) } }
        @for prediction in &found.predictions { p { (sentence(&prediction.text)) } }
        @for world in &found.worlds { (part(world, tried.as_deref())) }
    };
    let foot =
        "Every answer was checked against a sequential run. Nothing on this page is loaded from elsewhere."
            .to_owned();
    Shell { title: format!("{}, compared", asked.program), head, contents, body, foot }.page()
}

/// The meaning of the column of processors.
const PROCESSORS: &str = "processors of each node that compute + others, which run handlers or move messages; 1 of 8: the others have no work";

fn part(world: &World, tried: Option<&str>) -> Markup {
    let left = world.refused.iter().map(|it| (&it.mechanism, &it.reason));
    let failed = world.failed.iter().map(|it| (&it.mechanism, &it.reason));
    html! {
        section id=(place(&world.place())) {
            h2 { (world.place()) }
            p { (sentence(&world.finding.text)) }
            @if let Some(fate) = &world.fate {
                p { (sentence(&fate.text)) @if let Some(tried) = tried { " The band is over " (tried) "." } }
            }
            div.wide {
                table {
                    thead {
                        tr {
                            th.number scope="col" { "" }
                            th scope="col" { "mechanism" }
                            th scope="col" { "policy" }
                            th.number scope="col" title=(PROCESSORS) { "procs" }
                            th.number scope="col" { "time" }
                            th.number scope="col" { "ratio" }
                            @if let Some(baseline) = &world.baseline {
                                th.number scope="col" title=(format!("over {}", baseline.name)) { "speed-up" }
                            }
                            @if let Some(tried) = tried {
                                th.number scope="col" title=(format!("least and greatest ratio over {tried}")) { "band" }
                            }
                            th.number scope="col" { "messages" }
                            th.number scope="col" { "data" }
                            th.number scope="col" { "all bytes" }
                            th scope="col" { "answer" }
                        }
                    }
                    tbody { @for it in &world.rows { (row(it, world, tried.is_some())) } }
                }
            }
            @for it in world.fate.iter().flat_map(|fate| &fate.failed) {
                p.differs { "Failed at " (it.case) ": " (it.mechanism) ": " (prose(&it.reason)) }
            }
            @for (mechanism, reason) in failed { p.differs { "Failed: " (mechanism) ": " (prose(reason)) } }
            @for (mechanism, reason) in left { p.quiet { "Refused: " (mechanism) ": " (prose(reason)) } }
            @for it in &world.left_out {
                p.quiet {
                    "Left out: " (it.mechanism.as_deref().or(it.policy.as_deref()).unwrap_or_default()) ": " (prose(&it.reason))
                }
            }
        }
    }
}

fn row(row: &Row, world: &World, has_band: bool) -> Markup {
    let has_baseline = world.baseline.is_some();
    let volume = row.measured.volume_bytes;
    let all = volume.data + volume.headers + volume.requests + volume.invalidations;
    html! {
        tr data-mechanism=(row.combination.mechanism) data-policy=(row.combination.policy) data-time=(row.measured.time_ns) {
            td.number { @if let Some(rank) = row.rank { (rank) } }
            td { (row.combination.mechanism) }
            td { (row.combination.policy) }
            td.number { (row.combination.split().out_of(world.processors)) }
            td.number { (time(row.measured.time_ns)) }
            td.number { (row.ratio_to_best.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"))) }
            @if has_baseline { td.number { (row.speedup.map_or_else(|| "–".to_owned(), |it| format!("{it:.2}"))) } }
            @if has_band { td.number { (row.band.as_ref().map_or_else(|| "–".to_owned(), Band::ends)) } }
            td.number { (count(row.measured.counters.messages)) }
            td.number { (bytes(volume.data)) }
            td.number { (bytes(all)) }
            td.mark { @if row.rank.is_some() { span.holds { "✓" } } @else { span.differs { "✗ wrong" } } }
        }
    }
}
