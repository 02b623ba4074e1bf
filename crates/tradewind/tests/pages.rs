//! Tests the pages: the targets of links and the files that they name exist, the README stays one page, and the book has every chapter
//! in its table of contents.
//!
//! This test reads Markdown as text; it must never know the subject of a page.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The most lines of the README.
const README_LINES: usize = 150;

fn crate_of_tests() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn root() -> PathBuf {
    crate_of_tests().join("../..")
}

/// The Markdown files of a folder, as paths from the root of the repository.
fn pages_in(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let names =
        entries.map(|entry| Path::new(folder).join(entry.expect("the folder can be read").file_name()));
    names.filter(|name| name.extension().is_some_and(|extension| extension == "md")).collect()
}

fn pages() -> Vec<PathBuf> {
    let mut pages = pages_in("");
    for folder in ["book/src", "docs", "crates/pdq", "inputs", "fuzz", "results"] {
        pages.extend(pages_in(folder));
    }
    pages
}

fn read(page: &Path) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

/// The targets of a line's links that lie in the repository, each as a file and an anchor. Either may be empty. Links to Rust items
/// are none.
fn links(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let targets = line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
    let inside = targets.filter(|target| !target.contains("://") && !target.contains("::"));
    inside.map(|target| target.split_once('#').unwrap_or((target, "")))
}

/// The anchors of a page: its headings in lower case, spaces as hyphens, without marks.
fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let words = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase());
    let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    words.map(|heading| heading.chars().filter(kept).collect::<String>().replace(' ', "-")).collect()
}

/// The files and folders of the repository that a line names between backticks.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter(|text| text.starts_with("crates/") && !text.contains(['*', '…', ' ']))
}

#[test]
fn links_lead_to_files_and_named_files_exist() {
    let mut complaints = Vec::new();
    let mut checked = 0;
    for page in pages() {
        let folder = root().join(page.parent().expect("a page lies in a folder"));
        for (at, line) in read(&page).lines().enumerate() {
            let mut say = |what: String| complaints.push(format!("{}:{}: {what}", page.display(), at + 1));
            let linked = links(line).filter(|(file, _)| !file.is_empty());
            let linked = linked.map(|(file, _)| (file, folder.join(file)));
            let named = named(line).map(|file| (file, root().join(file)));
            for (file, path) in linked.chain(named) {
                checked += 1;
                if !path.exists() {
                    say(format!("there is no {file}"));
                }
            }
            for (file, anchor) in links(line).filter(|(_, anchor)| !anchor.is_empty()) {
                let path = if file.is_empty() { root().join(&page) } else { folder.join(file) };
                if path.is_file() && !anchors(&read(&path)).iter().any(|known| known == anchor) {
                    say(format!("{file} has no heading #{anchor}"));
                }
            }
        }
    }
    assert!(checked > 100, "only {checked} links and names found: are these the pages?");
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn the_readme_is_one_page() {
    let lines = read(Path::new("README.md")).lines().count();
    assert!(lines <= README_LINES, "README.md has {lines} lines: expected at most {README_LINES}");
}

#[test]
fn the_readme_shows_the_example_as_it_is() {
    let readme = read(Path::new("README.md"));
    let example = include_str!("../examples/histogram.rs");
    let code = example.find("use tradewind::prelude::*;").expect("the example uses the prelude");
    assert!(
        readme.contains(&format!("```rust\n{}```\n", &example[code..])),
        "README.md shows another program"
    );
}

#[test]
fn links_and_names_are_found_in_a_line() {
    let line =
        "[a](docs/a.md#b) ![c](img/c.svg) [d](https://d.example/) [e](#f) `crates/x/src/y.rs` `crates/*/z`";
    assert_eq!(links(line).collect::<Vec<_>>(), [("docs/a.md", "b"), ("img/c.svg", ""), ("", "f")]);
    assert_eq!(anchors("# One: `two`, three\n\ntext\n## Four\n"), ["one-two-three", "four"]);
    assert_eq!(named(line).collect::<Vec<_>>(), ["crates/x/src/y.rs"]);
}

/// The files of a folder of the book, by name.
fn files_of_the_book(folder: &str) -> Vec<String> {
    let path = root().join("book/src").join(folder);
    let entries = fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let names =
        paths.filter(|path| path.is_file()).filter_map(|path| path.file_name().map(ToOwned::to_owned));
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

#[test]
fn the_book_lists_every_chapter_once_and_shows_every_picture() {
    let summary = read(Path::new("book/src/SUMMARY.md"));
    let listed: Vec<_> = summary.lines().flat_map(links).map(|(file, _)| file).collect();
    for file in files_of_the_book("").iter().filter(|file| *file != "SUMMARY.md") {
        let times = listed.iter().filter(|listed| *listed == file).count();
        assert_eq!(times, 1, "book/src/SUMMARY.md lists {file} {times} times");
    }
    let text: String = pages().iter().map(|page| read(page)).collect();
    for picture in files_of_the_book("img") {
        assert!(text.contains(&format!("img/{picture})")), "no page shows book/src/img/{picture}");
    }
}

#[test]
fn every_picture_of_a_study_has_the_command_that_draws_it_in_its_chapter() {
    let mut shown = 0;
    for page in pages_in("book/src") {
        let text = read(&page);
        let pictures = text.lines().flat_map(links).filter(|(file, _)| file.starts_with("img/study-"));
        for (file, _) in pictures {
            shown += 1;
            let picture = read(&Path::new("book/src").join(file));
            let told = picture.split_once("Study ").and_then(|(_, rest)| rest.split_once(": "));
            let (study, _) = told.unwrap_or_else(|| panic!("{file} does not say of which study it is"));
            let path = format!("studies/{study}.toml");
            assert!(root().join(&path).exists(), "{file}: there is no {path}");
            let command = format!("tradewind study {study} --out ");
            assert!(text.contains(&command), "{}: {file} without `{command}…`", page.display());
        }
    }
    assert!(shown >= 10, "only {shown} pictures of studies found: is this the book?");
}

/// The lines of a source that are neither empty nor comments.
fn code_lines(source: &str) -> usize {
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    source.lines().filter(is_code).count()
}

#[test]
fn the_first_program_has_25_lines_and_a_main_of_three() {
    let file = include_str!("../examples/histogram.rs");
    let (_, code) = file.split_once("\n\n").expect("an empty line behind the head of the file");
    let (program, main) = code.split_once("\nfn main() -> ExitCode").expect("a `main` at the end");
    let (program, main) = (code_lines(program), code_lines(main));
    assert!(program <= 25 && main == 3, "{program} lines of program, {main} of main");
}

/// The texts of all files below a folder whose names end so.
fn texts(folder: &Path, ending: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let of = |path: PathBuf| match path.extension() {
        _ if path.is_dir() => texts(&path, ending),
        Some(extension) if extension == ending => vec![fs::read_to_string(&path).expect("a text")],
        _ => Vec::new(),
    };
    paths.flat_map(of).collect()
}

#[test]
fn every_program_of_the_book_is_in_a_file_that_is_compiled() {
    let compiled: Vec<_> = ["examples", "../apps/src"]
        .iter()
        .flat_map(|folder| texts(&crate_of_tests().join(folder), "rs"))
        .collect();
    let mut shown = 0;
    for page in pages_in("book/src") {
        let text = read(&page);
        for block in text.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("rust\n")) {
            shown += 1;
            let first = block.lines().next().unwrap_or_default();
            assert!(
                compiled.iter().any(|file| file.contains(block)),
                "{}: no example has the program that begins with {first:?} as it is here",
                page.display()
            );
        }
    }
    assert!(shown >= 3, "only {shown} programs found: is this the book?");
}

/// The records of claims: files of `results`, named by their days, the oldest first.
fn records() -> Vec<PathBuf> {
    let files = fs::read_dir(root().join("results")).expect("a folder of records");
    let files = files.map(|file| file.expect("the folder can be read").path());
    let is_record = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "tsv");
    let mut records: Vec<_> = files.filter(is_record).collect();
    records.sort();
    records
}

/// A result of a record: its basis, its verdict, and the distance from a stated number other than 0.
struct Counted {
    basis: String,
    verdict: String,
    distance: Option<f64>,
}

/// The results of records by the study of their ids, and of all together under `~all`. A later record of a claim replaces an earlier one.
fn counted(records: &[String]) -> BTreeMap<String, Vec<Counted>> {
    let head: Vec<_> = records[0].lines().next().expect("a line of names").split('\t').collect();
    let column = |name: &str| head.iter().position(|known| *known == name).expect(name);
    let [claim, basis, verdict, stated, error] = ["claim", "basis", "verdict", "stated", "error"].map(column);
    let lines = records.iter().flat_map(|record| record.lines().skip(1));
    let lines = lines.map(|line| line.split('\t').collect::<Vec<_>>());
    let newest: BTreeMap<_, _> = lines.map(|line| (line[claim], line)).collect();
    let mut studies: BTreeMap<String, Vec<Counted>> = BTreeMap::new();
    for line in newest.into_values().filter(|line| !line[basis].is_empty()) {
        let study = line[claim].split('.').next().expect("an id has a first part");
        let is_share = line[stated].parse().is_ok_and(|stated: f64| stated != 0.0);
        let distance = line[error].parse().ok().filter(|_| is_share).map(f64::abs);
        for name in [study, "~all"] {
            let (basis, verdict) = (line[basis].to_owned(), line[verdict].to_owned());
            studies.entry(name.to_owned()).or_default().push(Counted { basis, verdict, distance });
        }
    }
    studies
}

/// The lines of the README's score table, from records of claims.
fn score(records: &[String]) -> Vec<String> {
    const DECIDED: [&str; 2] = ["holds", "differs"];
    let row = |(study, claims): (&String, &Vec<Counted>)| {
        let count = |is_it: &dyn Fn(&Counted) -> bool| claims.iter().filter(|claim| is_it(claim)).count();
        let of = |basis: &str| {
            let is_of = |claim: &Counted, verdicts: &[&str]| {
                claim.basis == basis && verdicts.contains(&claim.verdict.as_str())
            };
            match count(&|claim| is_of(claim, &DECIDED)) {
                0 => "–".to_owned(),
                of => format!("{} of {of}", count(&|claim| is_of(claim, &["holds"]))),
            }
        };
        let verdict = |verdict: &str| count(&|claim| claim.verdict == verdict);
        let measured = |basis: &str| count(&|claim| claim.basis == basis && claim.verdict != "not measured");
        let within = |most: f64| {
            count(&|claim| {
                let is_decided = claim.basis == "predicted" && DECIDED.contains(&claim.verdict.as_str());
                is_decided && claim.distance.is_some_and(|distance| distance <= most)
            })
        };
        let numbers = [f64::INFINITY, 0.05, 0.15].map(|most| within(most).to_string());
        let predicted = [of("predicted"), measured("blind").to_string(), verdict("undecidable").to_string()];
        let apart = ["set", "follows", "repeated", "substitute"].map(of);
        let is_unknown = |claim: &Counted| {
            claim.basis != "blind" && ["held out", "unknown"].contains(&claim.verdict.as_str())
        };
        let unknown = [count(&is_unknown), verdict("not measured")].map(|number| number.to_string());
        let cells = [&numbers[..], &predicted, &apart, &unknown].concat();
        format!("| {} | {} |", study.trim_start_matches('~'), cells.join(" | "))
    };
    counted(records).iter().map(row).collect()
}

#[test]
fn the_readme_tells_the_score_of_the_records() {
    let (paths, readme) = (records(), read(Path::new("README.md")));
    for path in &paths {
        let name = path.file_name().expect("a file").to_string_lossy();
        assert!(readme.contains(&format!("results/{name}")), "README.md does not name results/{name}");
    }
    let records: Vec<_> =
        paths.iter().map(|path| fs::read_to_string(path).expect("a record is a text")).collect();
    for line in score(&records) {
        assert!(
            readme.lines().any(|known| known == line),
            "README.md lacks, by the records of results:\n{}",
            score(&records).join("\n")
        );
    }
}
