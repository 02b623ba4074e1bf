//! Tests the rules of the workspace's rooms: which room may use which, be unsafe, or print, and the maximum length of a file. The table
//! is that of ARCHITECTURE.md; a new room or a new arrow is written here first.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, TargetKind};

/// The most lines of a source file.
const MAX_LINES: usize = 600;

/// The room that may use every other, and that alone prints.
const CLI: &str = "cli";

/// Each room, which rooms it may use, and whether its tests are held to the same.
const TABLE: &[(&str, &[&str], Tests)] = &[
    ("pdq", &[], Tests::Alone),
    // A copy that may race, apart from the waist, which must be safe.
    ("bulk", &[], Tests::Alone),
    ("segment", &["bulk"], Tests::Alone),
    ("units", &[], Tests::Alone),
    ("fiber", &[], Tests::Alone),
    ("formats", &[], Tests::Alone),
    ("trace", &["units"], Tests::Alone),
    ("machine", &["units"], Tests::Alone),
    ("des", &["units"], Tests::Free),
    ("hardware", &["des", "machine", "units", "pdq"], Tests::Free),
    ("tempest", &["units", "trace", "pdq", "bulk", "segment", "macros"], Tests::Free),
    ("native", &["tempest", "pdq", "fiber", "units", "trace"], Tests::Free),
    ("sim", &["tempest", "hardware", "des", "machine", "fiber", "pdq", "units", "trace"], Tests::Free),
    ("protocols", &["tempest", "units"], Tests::Free),
    // A `tempest::Launch` cannot be written without `units::Time`.
    ("conformance", &["tempest", "protocols", "units"], Tests::Free),
    ("apps", &["tempest", "protocols", "formats", "units"], Tests::Free),
    ("probes", &["tempest", "protocols", "formats", "units"], Tests::Free),
    ("lab", &["machine", "units"], Tests::Free),
    ("macros", &["units"], Tests::Free),
    ("compare", &["tempest", "units", "trace"], Tests::Free),
    (
        "worlds",
        &["compare", "machine", "native", "protocols", "sim", "tempest", "trace", "units"],
        Tests::Free,
    ),
    ("report", &["compare", "lab", "machine", "tempest", "trace", "units"], Tests::Free),
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
        let free = *kind == DependencyKind::Development && *tests == Tests::Free;
        if free || allowed.contains(&to.as_str()) {
            return None;
        }
        let by = if *kind == DependencyKind::Development { "its tests use" } else { "it uses" };
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
        if self.room != CLI {
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

/// The rooms whose modules must not use each other in a circle.
const WITHOUT_CIRCLES: &[&str] = &[
    "cli",
    "compare",
    "conformance",
    "hardware",
    "macros",
    "native",
    "probes",
    "report",
    "sim",
    "units",
    "worlds",
];

/// The modules of a room: by path, such as `text::run`, the paths that each uses and the paths that it only re-exports.
#[derive(Default)]
struct Modules {
    uses: BTreeMap<String, Vec<String>>,
    passes_on: BTreeMap<String, Vec<String>>,
}

impl Modules {
    fn of(src: &Path) -> Self {
        let mut modules = Self::default();
        for path in sources(src) {
            let inner = path.strip_prefix(src).expect("a source lies in src").with_extension("");
            let parts: Vec<_> = inner.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            let parts: Vec<_> = parts.into_iter().filter(|part| part != "mod" && part != "lib").collect();
            modules.add(parts.join("::"), &read(&path));
        }
        modules
    }

    /// Adds a module by its source; its tests are left out.
    fn add(&mut self, module: String, source: &str) {
        let code = source.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
        let is_code = |line: &&str| !line.trim_start().starts_with("//");
        let code: String = code.lines().filter(is_code).map(|line| format!("{line}\n")).collect();
        let (mut uses, mut passes_on) = (Vec::new(), Vec::new());
        for statement in code.split(';') {
            // Attributes may stand on the lines before.
            let (before, tree) = statement.split_once("use ").unwrap_or((statement, ""));
            match before.rsplit('\n').next().unwrap_or_default() {
                "" if !tree.is_empty() => flatten("", tree, &mut uses),
                "pub " | "pub(crate) " if !tree.is_empty() => flatten("", tree, &mut passes_on),
                _ => uses.extend(paths(statement)),
            }
        }
        self.uses.insert(module.clone(), uses);
        self.passes_on.insert(module, passes_on);
    }

    /// The module that a path means which stands in a module; `None` of another crate.
    fn resolve(&self, from: &str, path: &str) -> Option<String> {
        let mut steps = path.split("::").map(str::trim);
        let parent = |module: &str| module.rsplit_once("::").map_or("", |(parent, _)| parent).to_owned();
        let child =
            |of: &str, name: &str| if of.is_empty() { name.to_owned() } else { format!("{of}::{name}") };
        let first = steps.next()?;
        let mut at = match first {
            "crate" => String::new(),
            "super" => parent(from),
            "self" => from.to_owned(),
            name => Some(child(from, name)).filter(|module| self.uses.contains_key(module))?,
        };
        for step in steps {
            if self.uses.contains_key(&child(&at, step)) {
                at = child(&at, step);
                continue;
            }
            let is_it = |passed: &&String| passed.rsplit("::").next() == Some(step);
            let passed = self.passes_on.get(&at).and_then(|passed| passed.iter().find(is_it));
            return passed.and_then(|passed| self.resolve(&at, passed)).or(Some(at));
        }
        Some(at)
    }

    /// The modules that use each other in a circle, and the modules that use these. The crate's root belongs to none.
    fn circle(&self) -> Vec<String> {
        let mut left: BTreeMap<&String, Vec<String>> = BTreeMap::new();
        for (module, paths) in self.uses.iter().filter(|(module, _)| !module.is_empty()) {
            let used = paths.iter().filter_map(|path| self.resolve(module, path));
            left.insert(module, used.filter(|used| used != module && !used.is_empty()).collect());
        }
        loop {
            let before = left.len();
            let names: Vec<_> = left.keys().map(|name| (*name).clone()).collect();
            left.retain(|_, used| used.iter().any(|used| names.contains(used)));
            if left.len() == before {
                return names;
            }
        }
    }
}

/// The paths of a tree behind `use`, such as `a::{b, c::d}`.
fn flatten(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let (mut depth, mut start) = (0, 0);
    let mut branches = Vec::new();
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                branches.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    branches.push(&tree[start..]);
    for branch in branches.iter().map(|branch| branch.trim()).filter(|branch| !branch.is_empty()) {
        match branch.split_once('{') {
            Some((head, rest)) => {
                let rest = rest.strip_suffix('}').expect("a brace is closed");
                flatten(&format!("{prefix}{head}"), rest, paths);
            }
            None => paths.push(format!("{prefix}{}", branch.split(" as ").next().unwrap_or(branch))),
        }
    }
}

/// The paths in a piece of code.
fn paths(code: &str) -> impl Iterator<Item = String> {
    let words = code.split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == ':'));
    words.filter(|word| word.contains("::")).map(|word| word.trim_matches(':').to_owned())
}

#[test]
fn modules_use_each_other_in_no_circle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for room in WITHOUT_CIRCLES {
        let modules = Modules::of(&crates.join(room).join("src"));
        let arrows: usize = modules.uses.values().map(Vec::len).sum();
        assert!(modules.uses.len() > 5 && arrows > 50, "crates/{room}: only {arrows} paths found");
        let circle = modules.circle();
        assert!(circle.is_empty(), "crates/{room}: these use each other in a circle: {}", circle.join(", "));
    }
}

/// The rooms whose types have their methods together.
const GATHERED: &[&str] = &[
    "cli",
    "compare",
    "conformance",
    "des",
    "fiber",
    "formats",
    "lab",
    "machine",
    "native",
    "protocols",
    "sim",
    "tempest",
    "trace",
];

/// The most files in which a type has methods of its own.
const MAX_FILES: usize = 3;

/// The types that a source gives methods of their own, one time each. Its tests are left out.
fn types_with_methods(source: &str) -> Vec<String> {
    let code = source.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let headers = code.lines().filter(|line| line.starts_with("impl") && !line.contains(" for "));
    let name = |header: &str| {
        // Behind the parameters, if there are any: `impl<'a, T> Reader<'a, T> {`.
        let behind = header.strip_prefix("impl")?;
        let end = behind.strip_prefix('<').map_or(Some(0), |_| behind.find("> ").map(|end| end + 1))?;
        let letters = |letter: char| letter.is_alphanumeric() || letter == '_';
        behind[end..].trim_start().split(|letter| !letters(letter)).next().map(str::to_owned)
    };
    let mut types: Vec<_> = headers.filter_map(name).collect();
    types.sort();
    types.dedup();
    types
}

#[test]
fn types_have_their_methods_in_few_files() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for room in GATHERED {
        let mut files: BTreeMap<String, usize> = BTreeMap::new();
        for path in sources(&crates.join(room).join("src")) {
            types_with_methods(&read(&path))
                .into_iter()
                .for_each(|name| *files.entry(name).or_default() += 1);
        }
        assert!(files.len() > 5, "crates/{room}: only {} types found", files.len());
        let spread: Vec<_> = files.iter().filter(|&(_, &count)| count > MAX_FILES).collect();
        assert!(
            spread.is_empty(),
            "crates/{room}: these types have methods in more than {MAX_FILES} files: {spread:?}"
        );
    }
}

#[test]
fn methods_are_found() {
    let source = "impl Core {\nimpl fmt::Display for Core {\nimpl<'a, T: Into<u32>> Reader<'a, T> {\nimpl Core {\n\
                  \n#[cfg(test)]\nmod tests {\nimpl Test {\n";
    assert_eq!(types_with_methods(source), ["Core", "Reader"]);
}

#[test]
fn a_circle_of_modules_is_found() {
    let modules = |looks: &str| {
        let mut modules = Modules::default();
        modules.add(String::new(), "mod data;\nmod looks;\npub use data::{Row, Table};\n");
        modules.add("data".to_owned(), "use std::fmt;\nuse crate::{looks::{bar, Page}};\n");
        modules.add("looks".to_owned(), looks);
        modules.add("looks::bar".to_owned(), "use super::Page;\n");
        modules.circle()
    };
    assert!(modules("use std::fmt;\npub use bar::Bar;\n").is_empty());
    // By a path in the code, by a name that the root passes on, by a child.
    for looks in ["fn f() -> crate::data::Row { 1 }", "use crate::Row;\n", "fn f() { bar::draw() }"] {
        assert!(modules(looks).contains(&"looks".to_owned()), "{looks}");
    }
    assert!(modules("\n#[cfg(test)]\nmod tests {\n    use crate::data::Row;\n}\n").is_empty());
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
