//! Tests the rules of the workspace's rooms: which room may use which, be unsafe, or print, and the maximum length of a file. The table
//! is that of ARCHITECTURE.md; a new room or a new arrow is written here first.

mod inside;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, TargetKind};

/// The most lines of a source file.
const MAX_LINES: usize = 600;

/// The room that may use every other, and that alone prints, but for [`BENCH`].
const CLI: &str = "cli";

/// The harness of benchmarks: it prints their tables, and every room's benchmarks may use it.
const BENCH: &str = "bench";

/// Each room, which rooms it may use, and whether its tests are held to the same.
const TABLE: &[(&str, &[&str], Tests)] = &[
    ("pdq", &[], Tests::Alone),
    // A copy that may race, apart from the waist, which must be safe.
    ("bulk", &[], Tests::Alone),
    ("segment", &["bulk"], Tests::Alone),
    ("plot", &[], Tests::Alone),
    ("units", &[], Tests::Alone),
    (BENCH, &[], Tests::Alone),
    ("fiber", &[], Tests::Alone),
    ("formats", &[], Tests::Alone),
    ("trace", &["units"], Tests::Alone),
    ("machine", &["units"], Tests::Alone),
    ("des", &["units"], Tests::Free),
    ("hardware", &["des", "machine", "units", "pdq"], Tests::Free),
    ("tempest", &["units", "trace", "pdq", "bulk", "segment", "macros"], Tests::Free),
    ("native", &["tempest", "pdq", "fiber", "segment", "units", "trace"], Tests::Free),
    ("sim", &["tempest", "hardware", "des", "machine", "fiber", "pdq", "units", "trace"], Tests::Free),
    ("protocols", &["tempest"], Tests::Free),
    // A `tempest::world::Launch` cannot be written without `units::Time`.
    ("conformance", &["tempest", "protocols", "units"], Tests::Free),
    ("apps", &["tempest", "protocols", "formats", "units"], Tests::Free),
    ("probes", &["tempest", "protocols", "units"], Tests::Free),
    ("lab", &["machine", "units"], Tests::Free),
    ("macros", &["units"], Tests::Free),
    ("compare", &["tempest", "units"], Tests::Free),
    (
        "worlds",
        &["compare", "machine", "native", "protocols", "sim", "tempest", "trace", "units"],
        Tests::Free,
    ),
    ("report", &["compare", "lab", "plot", "tempest", "units"], Tests::Free),
    (
        "tradewind",
        &[
            "apps",
            "cli",
            "compare",
            "conformance",
            "formats",
            "machine",
            "native",
            "probes",
            "protocols",
            "report",
            "sim",
            "tempest",
            "trace",
            "units",
            "worlds",
        ],
        Tests::Free,
    ),
];

/// Whether the tests of a room may use rooms that it may not use itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tests {
    /// They may not: the room can be taken out of the workspace whole.
    Alone,
    Free,
}

/// The rooms that may be unsafe, and the lint attribute of the crate's root.
const UNSAFE: &[(&str, Option<&str>)] = &[
    ("pdq", Some("#![deny(unsafe_code)]")),
    ("bulk", Some("#![deny(unsafe_code)]")),
    ("segment", Some("#![deny(unsafe_code)]")),
    ("fiber", None),
    ("native", Some("#![deny(unsafe_code)]")),
    ("sim", Some("#![deny(unsafe_code)]")),
];

/// The rooms that may be unsafe in one block of one file: where they make the fibers of threads, whose contract is the program's.
const UNSAFE_ONCE: &[(&str, &str)] = &[("native", "stacks.rs"), ("sim", "fibers.rs")];

/// A use of a room by another.
struct Arrow {
    from: String,
    to: String,
    kind: DependencyKind,
}

impl Arrow {
    /// The complaint about the arrow, if it is forbidden.
    fn complaint(&self) -> Option<String> {
        let Self { from, to, kind } = self;
        let row = TABLE.iter().find(|(room, ..)| room == from);
        let Some((_, allowed, tests)) = row else {
            return (from != CLI)
                .then(|| format!("room {from}: not in the table of rooms, so it may not use {to}"));
        };
        let in_tests = *kind == DependencyKind::Development;
        if in_tests && (*tests == Tests::Free || to == BENCH) || allowed.contains(&to.as_str()) {
            return None;
        }
        let by = if in_tests { "its tests use" } else { "it uses" };
        let may = if allowed.is_empty() { "no other room".to_owned() } else { allowed.join(", ") };
        Some(format!("crates/{from}/Cargo.toml: {by} {to}: {from} may use {may}"))
    }
}

/// A source file of a room.
struct Source<'a> {
    room: &'a str,
    path: &'a Path,
    text: &'a str,
}

impl Source<'_> {
    /// The complaints about a file in any folder.
    fn complaints(&self) -> Vec<String> {
        if self.text.starts_with("//!") {
            return Vec::new();
        }
        vec![self.say(1, "expected `//!` and what the file is for")]
    }

    /// The complaints about a file of `src`.
    fn complaints_of_src(&self) -> Vec<String> {
        let mut complaints = self.complaints();
        let lines = self.text.lines().count();
        if lines > MAX_LINES {
            complaints.push(self.say(lines, &format!("expected at most {MAX_LINES} lines")));
        }
        if self.room != CLI && self.room != BENCH {
            let code = self.text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
            let prints = code.filter(|(_, line)| line.contains("println!") || line.contains("print!("));
            complaints.extend(prints.map(|(at, _)| self.say(at + 1, "only the room cli prints")));
        }
        complaints
    }

    /// The complaint about a crate's root.
    fn complaints_of_root(&self) -> Option<String> {
        let exception = UNSAFE.iter().find(|(room, _)| *room == self.room).map(|(_, line)| *line);
        let expected = exception.unwrap_or(Some("#![forbid(unsafe_code)]"))?;
        let found = self.text.lines().any(|line| line.trim() == expected);
        (!found).then(|| self.say(1, &format!("expected a line `{expected}`")))
    }

    fn say(&self, line: usize, what: &str) -> String {
        format!("{}:{line}: {what}", self.path.display())
    }
}

fn metadata() -> Metadata {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    MetadataCommand::new().manifest_path(manifest).no_deps().exec().expect("cargo describes the workspace")
}

/// Each member's name in `Cargo.toml` and its room, the name of its folder.
fn rooms(metadata: &Metadata) -> BTreeMap<String, PathBuf> {
    let folder = |package: &cargo_metadata::Package| {
        package.manifest_path.parent().expect("a manifest lies in a folder").as_std_path().to_owned()
    };
    metadata
        .workspace_packages()
        .into_iter()
        .map(|package| (package.name.to_string(), folder(package)))
        .collect()
}

fn name(folder: &Path) -> String {
    folder.file_name().expect("a crate's folder has a name").to_string_lossy().into_owned()
}

fn arrows(metadata: &Metadata) -> Vec<Arrow> {
    let rooms = rooms(metadata);
    let mut arrows = Vec::new();
    for package in metadata.workspace_packages() {
        for dependency in &package.dependencies {
            if let Some(to) = rooms.get(&dependency.name) {
                let from = name(&rooms[package.name.as_str()]);
                arrows.push(Arrow { from, to: name(to), kind: dependency.kind });
            }
        }
    }
    arrows
}

/// Every `.rs` file below a folder; none if there is no such folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.expect("the folder can be read").path()) {
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn rooms_use_only_the_rooms_they_may() {
    let arrows = arrows(&metadata());
    assert!(arrows.len() > 20, "only {} arrows found: is this the workspace?", arrows.len());
    none(&arrows.iter().filter_map(Arrow::complaint).collect::<Vec<_>>());
}

/// A row comes with its first use.
#[test]
fn rooms_may_use_only_the_rooms_they_use() {
    let arrows = arrows(&metadata());
    let is_used = |room: &str, other: &str| {
        let arrow =
            |arrow: &Arrow| arrow.from == room && arrow.to == other && arrow.kind == DependencyKind::Normal;
        arrows.iter().any(arrow)
    };
    let unused = TABLE.iter().flat_map(|(room, others, _)| {
        let unused = others.iter().filter(|other| !is_used(room, other));
        unused.map(move |other| format!("crates/{room} may use {other} and does not: expected no such row"))
    });
    none(&unused.collect::<Vec<_>>());
}

#[test]
fn every_room_is_in_the_table() {
    let folders = rooms(&metadata()).into_values();
    let strange = folders
        .map(|folder| name(&folder))
        .filter(|room| room != CLI && TABLE.iter().all(|(known, ..)| known != room));
    let strange: Vec<_> = strange.map(|room| format!("crates/{room}: not in the table of rooms")).collect();
    none(&strange);
}

#[test]
fn the_table_has_no_circle() {
    // Each row names rows that are gone already, until none is left.
    let mut left: Vec<_> = TABLE.iter().map(|(room, allowed, _)| (*room, *allowed)).collect();
    while !left.is_empty() {
        let rooms: Vec<_> = left.iter().map(|(room, _)| *room).collect();
        let before = left.len();
        left.retain(|(_, allowed)| allowed.iter().any(|used| rooms.contains(used)));
        assert!(left.len() < before, "these use each other in a circle: {}", rooms.join(", "));
    }
}

/// The rooms that a row of ARCHITECTURE's table lets a room use. Its columns are room, contents, may use, must never know.
fn may_use_by_the_map(map: &str, room: &str) -> Option<Vec<String>> {
    let begin = format!("| `{room}` | ");
    let row = map.lines().find(|line| line.starts_with(&begin))?;
    let mut columns = row.split(" | ");
    let used = columns.nth(2).filter(|_| columns.next().is_some())?;
    Some(used.split(", ").filter(|used| *used != "–").map(str::to_owned).collect())
}

#[test]
fn the_map_has_the_same_table() {
    let map = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md"));
    let mut complaints = Vec::new();
    // The door may use every room, which the map says in one word.
    for (room, allowed, _) in TABLE.iter().filter(|(room, ..)| *room != "tradewind") {
        let mut expected: Vec<_> = allowed.iter().map(|used| (*used).to_owned()).collect();
        let mut found = may_use_by_the_map(&map, room).unwrap_or_default();
        expected.sort();
        found.sort();
        if found != expected {
            complaints.push(format!("ARCHITECTURE.md: `{room}` may use {found:?}: expected {expected:?}"));
        }
    }
    none(&complaints);
}

#[test]
fn files_are_as_they_should_be() {
    let mut complaints = Vec::new();
    let mut files = 0;
    for folder in rooms(&metadata()).into_values() {
        let room = name(&folder);
        for part in ["src", "tests", "benches"] {
            for path in sources(&folder.join(part)) {
                let text = read(&path);
                let source = Source { room: &room, path: &path, text: &text };
                let found = if part == "src" { source.complaints_of_src() } else { source.complaints() };
                complaints.extend(found);
                files += 1;
            }
        }
    }
    assert!(files > 50, "only {files} files found: is this the workspace?");
    none(&complaints);
}

#[test]
fn only_few_rooms_may_be_unsafe() {
    let metadata = metadata();
    let rooms = rooms(&metadata);
    let mut complaints = Vec::new();
    for package in metadata.workspace_packages() {
        let room = name(&rooms[package.name.as_str()]);
        let is_root = |kind: &TargetKind| matches!(kind, TargetKind::Lib | TargetKind::Bin);
        let roots = package.targets.iter().filter(|target| target.kind.iter().any(is_root));
        for root in roots {
            let path = root.src_path.as_std_path();
            complaints.extend(Source { room: &room, path, text: &read(path) }.complaints_of_root());
        }
    }
    none(&complaints);
}

#[test]
fn the_worlds_have_one_unsafe_block_each() {
    let rooms = rooms(&metadata());
    let folder_of =
        |room: &str| rooms.values().find(|folder| name(folder) == room).expect("a room of the table").clone();
    for (room, file) in UNSAFE_ONCE {
        let is_code = |line: &&str| !line.trim_start().starts_with("//");
        let count = |path: &Path| {
            let text = read(path);
            let lines = text.lines().filter(is_code);
            lines
                .map(|line| line.matches("unsafe").count() - line.matches("unsafe_code").count())
                .sum::<usize>()
        };
        let found = sources(&folder_of(room).join("src"));
        let found: Vec<_> = found.iter().filter(|path| count(path) > 0).collect();
        let complaint = format!("crates/{room}: expected `unsafe` once, in {file}, found it in {found:?}");
        assert!(found.len() == 1 && found[0].ends_with(file) && count(found[0]) == 1, "{complaint}");
    }
}

/// The checker's complaint about a made-up arrow.
fn verdict(from: &str, to: &str, kind: DependencyKind) -> Option<String> {
    Arrow { from: from.to_owned(), to: to.to_owned(), kind }.complaint()
}

#[test]
fn a_forbidden_arrow_is_reported_with_what_is_allowed() {
    use DependencyKind::{Build, Development, Normal};
    assert_eq!(
        verdict("tempest", "sim", Normal).unwrap(),
        "crates/tempest/Cargo.toml: it uses sim: tempest may use units, trace, pdq, bulk, segment, macros"
    );
    assert_eq!(
        verdict("pdq", "units", Development).unwrap(),
        "crates/pdq/Cargo.toml: its tests use units: pdq may use no other room"
    );
    assert!(verdict("apps", "native", Build).is_some());
    assert!(verdict("machine", "tempest", Development).is_some());
    assert!(verdict("novelty", "units", Normal).unwrap().contains("not in the table"));
    assert!(verdict("cli", "sim", Normal).is_none());
    assert!(verdict("sim", "conformance", Development).is_none());
    assert!(verdict("sim", "conformance", Normal).is_some());
}

#[test]
fn a_bad_file_is_reported_with_its_line() {
    let path = Path::new("crates/des/src/lib.rs");
    let say = |room, text: &str| {
        let source = Source { room, path, text };
        let mut complaints = source.complaints_of_src();
        complaints.extend(source.complaints_of_root());
        complaints
    };
    let loud = "use a;\n// println! in a comment\neprintln!(\"x\");\n";
    assert_eq!(
        say("des", loud),
        [
            "crates/des/src/lib.rs:1: expected `//!` and what the file is for",
            "crates/des/src/lib.rs:3: only the room cli prints",
            "crates/des/src/lib.rs:1: expected a line `#![forbid(unsafe_code)]`",
        ]
    );
    let root = "//! A room.\n#![deny(unsafe_code)]\n";
    assert!(say("pdq", root).is_empty() && say("fiber", "//! A room.\n").is_empty());
    assert_eq!(say("des", root).len(), 1);
    let long = format!("//! A room.\n#![forbid(unsafe_code)]\n{}", "\n".repeat(MAX_LINES));
    assert_eq!(say("des", &long), ["crates/des/src/lib.rs:602: expected at most 600 lines"]);
}
