//! The words of doc comments and pages, as STYLE.md has them: each comment stands alone, no retired word comes back, and habits
//! that replace a noun become fewer.
//!
//! rustdoc sorts the items of a module by name, so a comment that begins with "The same," or "As [`x`]" stands beside a
//! neighbour that it does not mean. `words.tsv` has the greatest number of each habit in each room and page: a change may only
//! lower them. This test reads sources as text; it must never know what they do.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// First words that lean on another comment.
const OPENINGS: &[&str] = &["The same,", "The same ", "As [`"];

/// The first word of a sentence that has no subject.
const SUBJECTLESS: &str = "Must";

/// A retired word and the one that the field has for it.
const RETIRED: &[(&str, &str)] = &[
    ("arrears", "backlog"),
    ("digested", "acknowledged"),
    ("takeaway", "downgrade"),
    ("takeaways", "downgrades"),
    ("muster", "start"),
];

/// The habits that are counted, in the order of the columns of `words.tsv`.
const HABITS: [&str; 5] = ["what", "so many", "those that", "who", "opening"];

/// The first words of a doc comment that stand in place of a noun, a verb in the third person or "Whether".
const NOUNLESS: &[&str] = &[
    "What", "How", "Who", "Whose", "Whom", "One", "Its", "Those", "So", "Such", "Of", "In", "That", "Which",
    "Where", "When",
];

/// The names of types that stand in more than [`ROOMS`] rooms, with the number of rooms, which may only fall. A name that is new here
/// means one thing in the whole workspace.
const HOMONYMS: &[(&str, usize)] = &[
    ("Block", 4),
    ("Cell", 4),
    ("Choice", 5),
    ("Config", 4),
    ("Counts", 5),
    ("Dispatch", 4),
    ("Entry", 8),
    ("Event", 6),
    ("Field", 5),
    ("Found", 6),
    ("Input", 4),
    ("Item", 4),
    ("Kept", 4),
    ("Key", 4),
    ("Kind", 10),
    ("Lines", 5),
    ("Memory", 5),
    ("Node", 6),
    ("Number", 4),
    ("Part", 5),
    ("Place", 9),
    ("Point", 4),
    ("Reader", 4),
    ("Report", 4),
    ("Row", 4),
    ("Run", 6),
    ("Setting", 6),
    ("Shared", 4),
    ("Stage", 5),
    ("State", 6),
    ("Step", 5),
    ("Study", 4),
    ("Value", 4),
    ("Verdict", 6),
    ("World", 4),
];

/// The number of rooms in which the name of a type may stand without being listed.
const ROOMS: usize = 3;

/// The number of each habit in a room or page.
type Counts = [usize; HABITS.len()];

/// A line of a doc comment: its number, its text, and whether the comment begins with it.
struct Line<'a> {
    number: usize,
    text: &'a str,
    begins: bool,
}

/// The lines of all doc comments of a source file.
fn doc_lines(source: &str) -> impl Iterator<Item = Line<'_>> {
    let mut last = None;
    source.lines().enumerate().filter_map(move |(at, line)| {
        let line = line.trim_start();
        let mark = ["///", "//!"].into_iter().find(|mark| line.starts_with(mark));
        let begins = mark.is_some() && mark != last;
        last = mark;
        Some(Line { number: at + 1, text: line.strip_prefix(mark?)?.trim(), begins })
    })
}

/// What is wrong with the words of a source file.
fn complaints(path: &Path, source: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for Line { number, text, begins } in doc_lines(source) {
        let mut say = |what: String| complaints.push(format!("{}:{number}: {what}", path.display()));
        if let Some(opening) = OPENINGS.iter().find(|opening| begins && text.starts_with(**opening)) {
            say(format!(
                "a doc comment begins with “{opening}”: expected one that stands alone (STYLE.md, rule 1)"
            ));
        }
        let mut begins = text.split(". ").filter_map(|sentence| sentence.split(' ').next());
        if begins.any(|first| first == SUBJECTLESS) {
            say(format!("a sentence begins with “{SUBJECTLESS}”: expected its subject first (STYLE.md)"));
        }
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        for word in words.map(str::to_lowercase) {
            if let Some((retired, noun)) = RETIRED.iter().find(|(retired, _)| *retired == word) {
                say(format!("“{retired}”: expected the field's word, {noun} (STYLE.md, retired words)"));
            }
        }
    }
    complaints
}

/// The words of a text without its code and its quotations, in lower case.
fn prose(text: &str) -> Vec<String> {
    let (mut code, mut quoted) = (false, false);
    let is_prose = |letter: &char| {
        match letter {
            '`' => code = !code,
            '"' | '“' | '”' => quoted = !quoted,
            _ => {}
        }
        !code && !quoted
    };
    let text: String = text.chars().filter(is_prose).collect();
    let words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '\''));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Adds the habits in a text to the counts of its room.
fn count(counts: &mut Counts, text: &str, begins: bool) {
    let words = prose(text);
    let pairs = words.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str()));
    let [what, so_many, those_that, who, opening] = counts;
    for word in &words {
        *what += usize::from(["what", "whatever"].contains(&word.as_str()));
        *who += usize::from(
            ["who", "whoever", "whom", "nobody", "somebody", "everybody", "anybody"].contains(&word.as_str()),
        );
    }
    for pair in pairs {
        *so_many += usize::from(matches!(pair, ("so", "many" | "long" | "far" | "few" | "much" | "often")));
        *those_that +=
            usize::from(matches!(pair, ("those" | "one" | "ones", "that" | "of" | "which" | "in" | "who")));
    }
    let first = text.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or("");
    *opening += usize::from(begins && NOUNLESS.contains(&first));
}

/// The habits of a page: all of its lines but those of code, tables of keys and links.
fn count_page(counts: &mut Counts, page: &str) {
    let mut code = false;
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        } else if !code && !line.starts_with("    ") {
            count(counts, line, false);
        }
    }
}

/// The habits of every room and page.
fn habits(house: &Path) -> BTreeMap<String, Counts> {
    let mut found = BTreeMap::new();
    for room in paths(&house.join("crates")).filter(|path| path.is_dir()) {
        let counts: &mut Counts = found.entry(name(house, &room)).or_default();
        for path in sources(&room) {
            doc_lines(&text(&path)).for_each(|line| count(counts, line.text, line.begins));
        }
    }
    let pages = [house.to_owned(), house.join("docs"), house.join("book/src")];
    for page in pages.iter().flat_map(|folder| paths(folder)) {
        if page.extension().is_some_and(|extension| extension == "md") {
            count_page(found.entry(name(house, &page)).or_default(), &text(&page));
        }
    }
    found
}

/// The path from the root of the workspace.
fn name(house: &Path, path: &Path) -> String {
    path.strip_prefix(house).expect("it lies in the workspace").display().to_string()
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The table of `words.tsv`: a line for each room and page that has a habit.
fn table(habits: &BTreeMap<String, Counts>) -> String {
    let mut table = format!("\t{}\n", HABITS.join("\t"));
    for (place, counts) in habits.iter().filter(|(_, counts)| **counts != Counts::default()) {
        let cells: Vec<_> = counts.iter().map(usize::to_string).collect();
        writeln!(table, "{place}\t{}", cells.join("\t")).expect("a text grows");
    }
    table
}

/// The counts of a table by room and page.
fn ceilings(table: &str) -> BTreeMap<String, Counts> {
    let counts = |line: &str| {
        let (place, cells) = line.split_once('\t')?;
        let cells: Vec<usize> = cells.split('\t').map_while(|cell| cell.parse().ok()).collect();
        Some((place.to_owned(), cells.try_into().ok()?))
    };
    table.lines().skip(1).map(|line| counts(line).unwrap_or_else(|| panic!("words.tsv: {line}"))).collect()
}

#[test]
fn habits_that_replace_a_noun_become_fewer() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (house, file) = (manifest.join("../.."), manifest.join("tests/words.tsv"));
    let house = house.canonicalize().expect("the workspace is there");
    let found = habits(&house);
    let known = ceilings(&text(&file));
    let most = |place: &String| known.get(place).copied().unwrap_or_default();
    let mut more = Vec::new();
    for (place, counts) in &found {
        let places = counts.iter().zip(most(place)).zip(HABITS);
        more.extend(places.filter(|((count, most), _)| *count > most).map(|((count, most), habit)| {
            format!(
                "{place}: “{habit}” {count} times, expected at most {most}: name the thing (STYLE.md, rule 2)"
            )
        }));
    }
    assert!(more.is_empty(), "\n{}", more.join("\n"));
    if env::var_os("TRADEWIND_WRITE").is_some() {
        fs::write(&file, table(&found)).expect("the table is written");
    }
    assert!(
        table(&found) == text(&file),
        "there are fewer habits than words.tsv allows: TRADEWIND_WRITE=1 cargo test -p tradewind --test words lowers it"
    );
}

/// The name of the type that a line of a source declares for other modules.
fn declared(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = if rest.starts_with('(') { rest.split_once(')')?.1 } else { rest };
    let (kind, rest) = rest.strip_prefix(' ')?.split_once(' ')?;
    let is_type = ["struct", "enum", "trait", "type", "union"].contains(&kind);
    rest.split(|letter: char| !letter.is_alphanumeric()).next().filter(|name| is_type && !name.is_empty())
}

#[test]
fn a_type_name_stands_in_few_rooms() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a crate lies beside the others");
    let mut rooms: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for room in paths(crates).filter(|path| path.join("src").is_dir()) {
        for source in sources(&room.join("src")) {
            for name in text(&source).lines().filter_map(declared) {
                rooms.entry(name.to_owned()).or_default().insert(room.clone());
            }
        }
    }
    let found: Vec<_> = rooms.iter().map(|(name, rooms)| (name.as_str(), rooms.len())).collect();
    let found: Vec<_> = found.into_iter().filter(|(_, rooms)| *rooms > ROOMS).collect();
    assert_eq!(
        found, HOMONYMS,
        "left: the names of types that stand in more than {ROOMS} rooms; right: HOMONYMS, whose numbers may only fall"
    );
}

#[test]
fn declarations_of_types_are_found() {
    let lines =
        ["pub struct A<T> {", "    pub(crate) enum B {", "pub(in crate::x) trait C: D {", "pub type E = F;"];
    assert_eq!(lines.map(declared), [Some("A"), Some("B"), Some("C"), Some("E")]);
    assert_eq!(["struct A;", "pub fn a() {", "pub mod a;", "// pub struct"].map(declared), [None; 4]);
}

#[test]
fn habits_are_counted_outside_of_code_and_quotations() {
    let mut counts = Counts::default();
    count(&mut counts, "What has come, of those that wait so long: nobody knows `what`, nor “who”.", true);
    assert_eq!(counts, [1, 1, 1, 1, 1]);
    count(&mut counts, "One that", false);
    assert_eq!(counts, [1, 1, 2, 1, 1]);
    let mut counts = Counts::default();
    count_page(&mut counts, "what\n```\nwhat\n```\n    what\n| what |\n");
    assert_eq!(counts, [2, 0, 0, 0, 0]);
}

/// The paths in a folder.
fn paths(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.expect("the folder can be read").path())
}

/// Every `.rs` file below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in paths(folder) {
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn doc_comments_stand_alone_and_use_the_fields_words() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a crate lies beside the others");
    let mut found = Vec::new();
    for room in paths(crates).filter(|path| path.is_dir()) {
        let files = sources(&room);
        assert!(!files.is_empty(), "{} has no sources: is it still a room?", room.display());
        for path in files {
            let source =
                fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let shown = Path::new("crates").join(path.strip_prefix(crates).expect("it lies in the room"));
            found.extend(complaints(&shown, &source));
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn a_bad_comment_is_reported_with_its_line() {
    let source = "//! A room.\n//!\n//! The same, as text in the middle.\n\n/// The same, but faster.\nfn a() {}\n\
                  \n    /// As [`a`].\n    /// Its arrears are many.\n    b: u32, // The same, and no doc comment\n\
                  \t//! A part of it. Must never know the rest, and “Must never” is well in a quotation.\n\
                  \t//! Another part of it. Must\n";
    let found = complaints(Path::new("crates/x/src/lib.rs"), source);
    let lines: Vec<_> =
        found.iter().map(|complaint| complaint.split_once(": ").expect("a place").0).collect();
    assert_eq!(lines, [5, 8, 9, 11, 12].map(|line| format!("crates/x/src/lib.rs:{line}")));
    assert!(
        found[0].contains("“The same,”")
            && found[2].contains("“arrears”")
            && found[3..].iter().all(|complaint| complaint.contains("subject first")),
        "{found:?}"
    );
}
