//! Studies beside the literature, and the machines that they ran on, as one page. This module must never run anything.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use lab::Basis;
use maud::{Markup, html};
use units::plural::several;

use super::parts::{Drawn, Machine, Paper, Studied, facts};
use super::shell::{Entry, Shell, figure, place};
use super::{claims, machine, study};
use crate::document::{Circumstances, Claim, Predictions, Score, Standing};
use crate::grouped::grouped;
use crate::picture;
use plot::Picture;

/// A report.
#[derive(Clone, Debug)]
pub struct Report {
    /// The command line that makes the report.
    pub command: String,
    /// The circumstances in which the page is made.
    pub made: Circumstances,
    /// The studies, in the order of the page.
    pub studies: Vec<Studied>,
    /// The machines that the studies ran on.
    pub machines: Vec<Machine>,
}

impl Report {
    /// Every claim of the report once.
    fn claims(&self) -> Vec<Claim> {
        let mut seen = BTreeSet::new();
        let claims = self.studies.iter().flat_map(|it| &it.claims);
        claims.filter(|claim| seen.insert(claim.id.as_str())).cloned().collect()
    }

    /// The picture of all claims together; `None` for a single study, whose part has it.
    fn together(&self) -> Option<Drawn> {
        let picture = picture::agreement("All studies: measured against stated", &self.claims());
        let picture = picture.filter(|_| self.studies.len() > 1)?;
        Some(Drawn { heading: "", name: "stated-measured".to_owned(), picture })
    }

    /// Every picture of the report with its name, in the order of the page.
    pub fn pictures(&self) -> Vec<(String, Picture)> {
        let of_studies = self.studies.iter().flat_map(study::drawn);
        let of_machines = self.machines.iter().flat_map(machine::drawn);
        let all = self.together().into_iter().chain(of_studies).chain(of_machines);
        all.map(|drawn| (drawn.name, drawn.picture)).collect()
    }

    /// The page.
    pub fn page(&self) -> String {
        let title = match self.studies.as_slice() {
            [one] => format!("The study {}", one.study.study),
            several => format!("{} studies, beside the literature", several.len()),
        };
        let score = Standing::all(&self.claims());
        let body = html! {
            @if !score.is_empty() { (self.in_short(&score)) }
            @for (paper, studies) in &self.papers() { (part(*paper, studies)) }
            @if !self.machines.is_empty() {
                section.chapter {
                    h2 id="machines" { "The machines" }
                    @for it in &self.machines { (machine::part(it, &machine::drawn(it))) }
                }
            }
        };
        let head = html! {
            p.lead { (lead(self, &score)) }
            (facts(&self.made))
            p.facts { span { code { (self.command) } } }
        };
        let foot = format!(
            "Made by `{}`. Nothing on this page is loaded from elsewhere, and nothing runs on it.",
            self.command
        );
        Shell { title, head, contents: self.contents(!score.is_empty()), body, foot }.page()
    }

    /// The studies by the papers that they are after, in the order in which papers come first.
    fn papers(&self) -> IndexMap<Option<&Paper>, Vec<&Studied>> {
        grouped(self.studies.iter().map(|studied| (studied.paper.as_ref(), studied)))
    }

    fn contents(&self, has_score: bool) -> Vec<Entry> {
        let part = |name: &str, at: String| Entry::Part(name.to_owned(), place(&at));
        let mut contents = Vec::new();
        contents.extend(has_score.then(|| part("In short", "in short".to_owned())));
        for (paper, studies) in self.papers() {
            contents.push(Entry::Group(heading(paper)));
            contents.extend(studies.iter().map(|it| part(&it.study.study, it.study.study.clone())));
        }
        if !self.machines.is_empty() {
            contents.push(Entry::Group("Machines".to_owned()));
        }
        let machines = self.machines.iter().map(|it| &it.explain.machine);
        contents.extend(machines.map(|name| part(name, format!("machine {name}"))));
        contents
    }

    /// The score, and how to read it.
    fn in_short(&self, score: &[Standing]) -> Markup {
        html! {
            section id="in-short" {
                h2 { "In short" }
                (claims::score(score, &Predictions::all(&self.claims())))
                div.note {
                    p {
                        "A claim that " b { "set a parameter" } " holds by construction. One that " b { "follows from others" }
                        " is arithmetic on numbers that were typed in, or on other claims, and says nothing new; nor does one that "
                        b { "repeats another" } ". Where " b { "other programs" } " answer, the paper's own do not exist here. One that was "
                        b { "predicted" } " could have come out otherwise, though its value was in view. One that was "
                        b { "predicted blind" } " was measured while its stated value was kept apart, so that this page has no verdict."
                    }
                    p { "Judge the models by the last two." }
                }
                (claims::marks())
                @if let Some(drawn) = self.together() { (figure(&drawn.name, &drawn.picture)) }
            }
        }
    }
}

/// The heading over the studies of a paper.
fn heading(paper: Option<&Paper>) -> String {
    paper.map_or_else(|| "Studies".to_owned(), |paper| paper.id.clone())
}

/// The part of the page on the studies of a paper.
fn part(paper: Option<&Paper>, studies: &[&Studied]) -> Markup {
    let heading = heading(paper);
    html! {
        section.chapter {
            h2 id=(place(&format!("paper {heading}"))) { (heading) }
            @if let Some(work) = paper.and_then(|paper| paper.work.as_ref()) { p.lead { (work) } }
            @for studied in studies { (study::part(studied, &study::drawn(studied))) }
        }
    }
}

/// The page in a sentence or two.
fn lead(report: &Report, score: &[Standing]) -> String {
    let machines = several(report.machines.len() as u64, "modelled machine");
    let runs: usize = report.studies.iter().map(|it| it.study.runs).sum();
    let ran = format!("{} on {machines}.", several(runs as u64, "run"));
    // The last row is that of all studies together.
    let Some((_, all)) = Standing::rows(score).pop() else { return ran };
    let blind = all.of(Basis::Blind).measured();
    let predicted = Score::of(all.of(Basis::Predicted));
    match predicted.of + predicted.undecidable + blind {
        0 => ran,
        _ => format!(
            "{ran} Of {} of the literature that were predicted, {} hold{}; {blind} more were predicted blind.",
            several(predicted.of as u64, "claim"),
            predicted.holds,
            predicted.rest()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{FixedMachine, samples};

    fn report() -> Report {
        let claims = ["set", "follows", "predicted", "predicted", "blind"];
        let claims = claims.into_iter().enumerate().map(|(at, basis)| {
            let claim = samples::claim(&format!("toy.{at}"), (at + 1) as f64, basis);
            match basis {
                "blind" => Claim { stated: None, error: None, verdict: "held out".to_owned(), ..claim },
                _ => claim,
            }
        });
        let score = Score { holds: 1, of: 1, undecidable: 1 };
        let fixed = FixedMachine {
            machine: "toy".to_owned(),
            parameters: Vec::new(),
            fixing: score,
            fixing_nothing: score,
        };
        Report {
            command: "tradewind report toy".to_owned(),
            made: Circumstances {
                build: "0.1.0".to_owned(),
                commit: Some("abc".to_owned()),
                date: "2026-01-02".to_owned(),
                host: "toy".to_owned(),
                load: Some(0.25),
            },
            studies: vec![Studied { study: samples::study(), paper: None, claims: claims.collect() }],
            machines: vec![Machine { explain: samples::explain(), fixed }],
        }
    }

    #[test]
    fn a_page_has_every_picture_and_every_value_of_its_claims() {
        let report = report();
        let names: Vec<_> = report.pictures().into_iter().map(|(name, _)| name).collect();
        let expected =
            ["toy-stated-measured", "toy-time", "toy-volume", "machine-toy-parts", "machine-toy-message"];
        assert_eq!(names, expected);
        let page = report.page();
        for name in expected {
            assert_eq!(page.matches(&format!("id=\"{name}\"")).count(), 1, "{name}");
        }
        assert!(page.contains("data-claim=\"toy.1\" data-measured=\"2.1\""));
        assert!(page.contains("A toy has no parts."));
        let made = "<span>tradewind 0.1.0 (abc)</span><span>2026-01-02</span><span>on toy</span><span>load 0.2</span>";
        assert!(page.contains(made), "{page}");
        let lead = "Of 2 claims of the literature that were predicted, 2 hold; 1 more were predicted blind.";
        assert!(page.contains(lead), "{page}");
    }

    #[test]
    fn the_score_has_a_row_for_each_number_and_a_column_for_each_paper() {
        let mut report = report();
        report.studies[0].claims.push(samples::claim("other.1", 1.0, "predicted"));
        let page = report.page();
        let row = |label: &str, cells: [&str; 3]| {
            let cells = cells.map(|cell| format!("<td class=\"number\">{cell}</td>")).concat();
            format!("<tr><td>{label}</td>{cells}</tr>")
        };
        assert!(page.contains(&row("predicted", ["1 of 1", "2 of 2", "3 of 3"])), "{page}");
        assert!(page.contains(&row("predicted blind", ["0", "1", "1"])), "{page}");
    }

    #[test]
    fn code_in_a_text_of_a_document_is_set_as_code() {
        let mut report = report();
        report.studies[0].claims[2].cause = Some("with `--set hop` it holds".to_owned());
        report.studies[0].study.leaves_out = vec!["the `state` of a line".to_owned()];
        let page = report.page();
        assert!(page.contains("with <code>--set hop</code> it holds"), "{page}");
        assert!(page.contains("<li>the <code>state</code> of a line</li>"), "{page}");
    }

    #[test]
    fn no_name_of_a_place_stands_twice() {
        let page = report().page();
        let mut names: Vec<_> =
            page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        for link in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(names.contains(&link), "{link}");
        }
    }
}
