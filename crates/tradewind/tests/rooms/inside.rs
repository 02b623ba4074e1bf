//! The inside of rooms: modules use each other in no circle, a type has its methods in few files, and a native node is reached by its
//! links.

use std::collections::BTreeMap;
use std::path::Path;

use crate::{none, read, sources};

/// The rooms whose modules must not use each other in a circle.
const WITHOUT_CIRCLES: &[&str] = &[
    "apps",
    "bench",
    "bulk",
    "cli",
    "compare",
    "conformance",
    "des",
    "fiber",
    "formats",
    "hardware",
    "lab",
    "machine",
    "macros",
    "native",
    "pdq",
    "plot",
    "probes",
    "protocols",
    "report",
    "segment",
    "sim",
    "tempest",
    "trace",
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
        let code = without_tests(source);
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
            if step == "super" {
                at = parent(&at);
                continue;
            }
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

    /// For each module, the modules that it uses. The crate's root belongs to none.
    fn arrows(&self) -> Arrows {
        let modules = self.uses.iter().filter(|(module, _)| !module.is_empty());
        let arrows = modules.map(|(module, paths)| {
            let used = paths.iter().filter_map(|path| self.resolve(module, path));
            (module.clone(), used.filter(|used| used != module && !used.is_empty()).collect())
        });
        arrows.collect()
    }
}

/// For each module or folder, the modules or folders that it uses.
type Arrows = BTreeMap<String, Vec<String>>;

/// The arrows between the folders of a room; a module beside the folders counts as one.
fn between_folders(arrows: &Arrows) -> Arrows {
    let folder = |module: &str| module.split("::").next().unwrap_or(module).to_owned();
    let mut folders = Arrows::new();
    for (module, used) in arrows {
        let from = folder(module);
        let others = used.iter().map(|used| folder(used)).filter(|to| *to != from);
        folders.entry(from.clone()).or_default().extend(others);
    }
    folders
}

/// The modules that use each other in a circle, and the modules that use these.
fn circle(mut left: Arrows) -> Vec<String> {
    loop {
        let before = left.len();
        let names: Vec<_> = left.keys().cloned().collect();
        left.retain(|_, used| used.iter().any(|used| names.contains(used)));
        if left.len() == before {
            return names;
        }
    }
}

/// A source without the tests at its end, also where tests of other modules use them. A module of tests in a file of its own ends nothing.
fn without_tests(source: &str) -> &str {
    let begins_tests = |at: &usize| {
        let line = source[at + TESTS.len()..].lines().next().unwrap_or_default();
        let is_module = line.starts_with("mod ") || line.starts_with("pub(") && line.contains(") mod ");
        is_module && line.ends_with('{')
    };
    let at = source.match_indices(TESTS).map(|(at, _)| at).find(begins_tests);
    at.map_or(source, |at| &source[..at])
}

/// The line before a module of tests.
const TESTS: &str = "\n#[cfg(test)]\n";

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
        assert!(modules.uses.len() > 2 && arrows > 40, "crates/{room}: only {arrows} paths found");
        let circle = circle(modules.arrows());
        assert!(circle.is_empty(), "crates/{room}: these use each other in a circle: {}", circle.join(", "));
    }
}

/// The rooms whose folders must not use each other in a circle.
const LAYERED: &[&str] = &["native", "sim", "tempest"];

#[test]
fn folders_use_each_other_in_no_circle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for room in LAYERED {
        let folders = between_folders(&Modules::of(&crates.join(room).join("src")).arrows());
        assert!(folders.len() > 5, "crates/{room}: only {} folders found", folders.len());
        let circle = circle(folders);
        assert!(circle.is_empty(), "crates/{room}: these use each other in a circle: {}", circle.join(", "));
    }
}

/// The names in the root of the waist, which most programs need. A name that few need stands in a module.
const ROOT_OF_THE_WAIST: &str = "Access Actions Array Block Cells Class Element Event FinalState Handler Handlers Homes Job Key Keyed \
    Layout MAX_WORDS Mapped Mechanism Memory Merge Message Messages NodeId Operations Place Policy \
    Primitive Private Program Protocol Report Right Rights Segment Setup Shape Shared Tag Thread \
    ThreadId Volume Waiter handlers program";

/// The most names in the root of the waist.
const MOST_NAMES: usize = 45;

#[test]
fn the_root_of_the_waist_has_the_names_that_programs_need() {
    let modules = Modules::of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tempest/src"));
    let name = |path: &String| path.rsplit("::").next().unwrap_or(path).to_owned();
    let mut names: Vec<_> = modules.passes_on[""].iter().map(name).collect();
    names.sort();
    assert_eq!(names.join(" "), ROOT_OF_THE_WAIST, "left: the root of tempest; right: ROOT_OF_THE_WAIST");
    assert!(names.len() <= MOST_NAMES, "{} names: expected at most {MOST_NAMES}", names.len());
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
    let code = without_tests(source);
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
        circle(modules.arrows())
    };
    assert!(modules("use std::fmt;\npub use bar::Bar;\n").is_empty());
    // By a path in the code, by a name that the root passes on, by a child.
    for looks in ["fn f() -> crate::data::Row { 1 }", "use crate::Row;\n", "fn f() { bar::draw() }"] {
        assert!(modules(looks).contains(&"looks".to_owned()), "{looks}");
    }
    assert!(modules("\n#[cfg(test)]\nmod tests {\n    use crate::data::Row;\n}\n").is_empty());
    assert!(modules("\n#[cfg(test)]\npub(super) mod tests {\n    use crate::data::Row;\n}\n").is_empty());
    // Behind a module of tests that has a file of its own.
    let uses = "\n#[cfg(test)]\nmod testing;\nmod bar;\n\nuse crate::data::Row;\n";
    assert!(modules(uses).contains(&"looks".to_owned()));
}

#[test]
fn a_circle_of_folders_is_found() {
    let folders = |looks: &str| {
        let mut modules = Modules::default();
        modules.add(String::new(), "mod data;\nmod looks;\n");
        modules.add("data".to_owned(), "mod row;\nmod table;\n");
        modules.add("looks".to_owned(), "mod bar;\nmod page;\n");
        modules.add("data::row".to_owned(), "use crate::looks::bar;\n");
        modules.add("data::table".to_owned(), "use crate::data::row::Row;\n");
        modules.add("looks::bar".to_owned(), "use std::fmt;\n");
        modules.add("looks::page".to_owned(), looks);
        circle(between_folders(&modules.arrows()))
    };
    assert!(folders("use crate::looks::bar;\n").is_empty());
    // No module is in a circle here.
    assert_eq!(folders("use crate::data::table::Table;\n"), ["data", "looks"]);
}

/// The names of the constants of a file of tuning constants, and the complaints about these.
fn tuning(source: &str, speed: &str) -> (Vec<String>, Vec<String>) {
    let (mut names, mut complaints, mut row) = (Vec::new(), Vec::new(), None);
    for line in source.lines() {
        let is_bound = line.starts_with("/// Bound: ");
        row = line.strip_prefix("/// Row: ").or(is_bound.then_some("")).or(row);
        let Some((_, rest)) = line.split_once("const ").filter(|_| line.starts_with("pub")) else { continue };
        let name = rest.split(':').next().unwrap_or(rest).to_owned();
        match row.take().map(|row| row.trim_end_matches('.')) {
            None => complaints.push(format!("{name}: expected a row of docs/speed.md, or a bound")),
            Some(row) if !speed.contains(row) => {
                complaints.push(format!("{name}: docs/speed.md has no row `{row}`"));
            }
            Some(_) => {}
        }
        names.push(name);
    }
    (names, complaints)
}

#[test]
fn tuning_constants_stand_once_and_name_their_row() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let speed = read(&root.join("docs/speed.md"));
    let mut all = Vec::new();
    for path in sources(&root.join("crates/native/src")).iter().filter(|path| path.ends_with("tuning.rs")) {
        let (names, complaints) = tuning(&read(path), &speed);
        assert!(complaints.is_empty(), "{}: {}", path.display(), complaints.join("; "));
        all.extend(names);
    }
    let count = all.len();
    all.sort();
    all.dedup();
    assert!(count > 20 && all.len() == count, "{count} constants of {} names", all.len());
}

#[test]
fn a_tuning_constant_without_a_row_is_found() {
    let source = "/// Row: a switch.\npub(crate) const A: u32 = 1;\n/// Row: a trip.\npub const B: u32 = 2;\n\
                  /// Bound: memory; no row.\npub const C: u32 = 3;\n/// Nothing.\npub const D: u32 = 4;\n";
    let (names, complaints) = tuning(source, "| a switch, 64 threads |");
    assert_eq!(names, ["A", "B", "C", "D"]);
    assert_eq!(complaints.len(), 2, "{complaints:?}");
    assert!(complaints[0].starts_with("B: docs/speed.md has no") && complaints[1].starts_with("D: expected"));
}

/// The files of `native` that may look at several nodes of their process: a run begins and ends there, and is measured.
const SEE_ALL_NODES: &[&str] = &[
    "parts/endpoint.rs",
    "parts/world.rs",
    "world.rs",
    "measure/outcome.rs",
    "measure/totals.rs",
    "runner/os_threads.rs",
];

/// The words by which a source takes hold of a node of its process, or of the gauges of all processors.
const OF_ALL_NODES: &[&str] = &[".own_node(", ".own_nodes(", ".gauges.iter(", ".gauges[", ".stolen["];

/// The first line of a source, with its number, that takes hold of nodes other than its own.
fn sees_all_nodes(source: &str) -> Option<(usize, &str)> {
    let code = without_tests(source).lines().enumerate();
    let mut code = code.filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.find(|(_, line)| OF_ALL_NODES.iter().any(|words| line.contains(words)))
        .map(|(at, line)| (at + 1, line))
}

#[test]
fn a_native_node_is_reached_by_its_links() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../native/src");
    let complaints: Vec<String> = sources(&src)
        .iter()
        .filter(|path| !path.to_string_lossy().ends_with("_tests.rs"))
        .filter(|path| !SEE_ALL_NODES.iter().any(|file| **path == src.join(file)))
        .filter_map(|path| {
            let source = read(path);
            let (at, line) = sees_all_nodes(&source)?;
            Some(format!(
                "{}:{at}: `{}` takes hold of another node: expected its links, or a control message",
                path.display(),
                line.trim()
            ))
        })
        .collect();
    none(&complaints);
}

#[test]
fn a_hold_of_another_node_is_found() {
    let source = "// world.own_node(1)\nlet node = endpoint.node();\nlet other = world.own_node(1);\n";
    assert_eq!(sees_all_nodes(source), Some((3, "let other = world.own_node(1);")));
    assert_eq!(sees_all_nodes("fn f() {}\n#[cfg(test)]\nmod tests {\nworld.own_node(1) }"), None);
}
