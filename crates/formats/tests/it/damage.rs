//! Files with one damage each, fifty of every input: a reader names the wrong line, or the file is still right and is
//! read with its changed contents.
//!
//! Damages are drawn by a generator that always draws the same. This module must never know how a reader works: it only
//! knows where a format has its counts and its records.

use std::{collections::BTreeSet, env, fs, path::Path};

use tradewind_formats::{
    Errors, Mistake, SparseMatrix, bezier, decompress,
    litmus::{self, Test},
    matrix,
    mesh::{self, Mesh},
};

/// Damages of each file.
const DAMAGES: usize = 50;

/// The most lines that may be blamed for one damage.
const MOST_BLAMED: usize = 5;

/// Triplets under a line of sizes.
const SIZED: &str = "sized.tri";

/// A value of any format.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Matrix(SparseMatrix),
    Mesh(Mesh),
    Patches(Vec<bezier::Patch>),
    Test(Box<Test>),
}

/// The rules that lines keep.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Fields between blanks; counts tell how many records there are.
    Counted,
    /// Fields between blanks, and no count: a record more or less is another file.
    Uncounted,
    /// Fields of fixed width.
    Cards,
    /// Words and marks.
    Litmus,
}

/// A file to be damaged.
struct Sample {
    name: String,
    text: Vec<u8>,
    form: Form,
    read: fn(&str, &[u8]) -> Result<Value, Errors>,
}

fn read_matrix(name: &str, bytes: &[u8]) -> Result<Value, Errors> {
    matrix::read(name, bytes).map(Value::Matrix)
}

fn read_mesh(name: &str, bytes: &[u8]) -> Result<Value, Errors> {
    mesh::read(name, bytes).map(Value::Mesh)
}

fn read_patches(name: &str, bytes: &[u8]) -> Result<Value, Errors> {
    bezier::read(name, bytes).map(Value::Patches)
}

fn read_test(name: &str, bytes: &[u8]) -> Result<Value, Errors> {
    litmus::read(name, bytes).map(|test| Value::Test(Box::new(test)))
}

/// A file's form and reader, by its name without the ending of its compression; `None` for a file of another kind.
fn sample(name: &str, bytes: &[u8]) -> Option<Sample> {
    let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    let ending = plain.rsplit('.').next().unwrap_or_default();
    let (form, read): (_, fn(&str, &[u8]) -> _) = match ending {
        "mtx" | "mm" => (Form::Counted, read_matrix),
        "txt" if plain.ends_with(".mat.txt") => (Form::Counted, read_matrix),
        "tri" => (Form::Uncounted, read_matrix),
        "rsa" | "rb" | "O" => (Form::Cards, read_matrix),
        "mesh" | "txt" => (Form::Counted, read_mesh),
        "bpt" => (Form::Counted, read_patches),
        "litmus" => (Form::Litmus, read_test),
        _ => return None,
    };
    let text = decompress(bytes).expect("a whole file").into_owned();
    Some(Sample { name: plain.to_owned(), text, form, read })
}

/// Files of the formats that no shipped input has.
fn small_files() -> Vec<Sample> {
    let headed = "3 3 5\n1 1 4.5\n2 1 -1\n1 2 -1\n2 2 1e3\n3 3 7\n";
    let bare = "0 0 4.5\n1 0 -1.25\n2 0 0.5\n2 1 3.5\n1 1 1e3\n2 2 7.5\n3 3 9.5\n";
    let sized = "4 4 5 -1\n0 0 4.5\n1 0 -1.25\n1 1 1e3\n2 2 7.5\n3 3 9.5\n";
    let array = "%%MatrixMarket matrix array real symmetric\n% comment\n3 3\n4.5\n-1\n0\n2.5\n1e3\n7\n";
    let splash = "A factor                                                                KEY\n\
                  \x20            3             1             1             0             0\n\
                  PSA                        3             3             5             0\n\
                  (4I3)           (3I4)\n  1  4  5  6\n   1   2   3\n   2   3\n";
    let rutherford = "Title                                                                   |7\n\
                      \x20            5             1             2             2\n\
                      rsa                        3             3             4             0\n\
                      (4I2)           (3I3)           (1P,2(1X,E9.2))\n 1 3 4 5\n  1  2  2\n  3\n  4.00E+00 -1.00E+00\n  5.00E+00  6.00E+00\n";
    let medit = "MeshVersionFormatted 1\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\n\
                 Triangles\n1\n2 1 3 4\nTetrahedra\n2\n1 2 3 4 0\n5 4 3 2 0\nEnd\n";
    let x86 = "X86 SB\n{ x=0; [y]=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n \
               MFENCE      | MFENCE      ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
    [
        ("small.mat.txt", headed),
        ("small.tri", bare),
        (SIZED, sized),
        ("array.mtx", array),
        ("splash.O", splash),
        ("small.rb", rutherford),
        ("small.mesh", medit),
        ("SB.litmus", x86),
    ]
    .into_iter()
    .filter_map(|(name, text)| {
        let form = (name == SIZED).then_some(Form::Counted);
        let sample = sample(name, text.as_bytes())?;
        Some(Sample { form: form.unwrap_or(sample.form), ..sample })
    })
    .collect()
}

/// All files below a folder that a reader is for.
fn files_below(folder: &Path) -> Vec<Sample> {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry of the folder").path())
        .collect();
    paths.sort();
    let mut samples = Vec::new();
    for path in paths {
        if path.is_dir() {
            samples.extend(files_below(&path));
        } else if let Some(name) = path.file_name().and_then(|name| name.to_str()) {
            samples.extend(sample(name, &fs::read(&path).expect("a file that can be read")));
        }
    }
    samples
}

/// Numbers that look random and are always the same (D. E. Knuth's MMIX generator).
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// The right answer to a damaged file.
#[derive(Debug)]
enum Answer {
    /// The value of the whole file.
    Unchanged,
    /// A mistake at this line and, where one is given, this column.
    At(usize, Option<usize>),
    /// A mistake at this line or behind it, or with the number of this line in its words.
    From(usize),
}

/// A damaged file.
struct Damaged {
    kind: &'static str,
    text: Vec<u8>,
    answer: Answer,
}

/// The lines of a file, without their newlines; and the bytes of each field, as start and end in its line.
struct Lines(Vec<Vec<u8>>);

impl Lines {
    fn of(text: &[u8]) -> Self {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        Self(text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect())
    }

    fn text(&self) -> Vec<u8> {
        let mut text = self.0.join(&b'\n');
        text.push(b'\n');
        text
    }

    fn fields(&self, line: usize) -> Vec<(usize, usize)> {
        let line = &self.0[line];
        let is_blank = |at: usize| line.get(at).is_none_or(u8::is_ascii_whitespace);
        let starts = (0..line.len()).filter(|&at| !is_blank(at) && (at == 0 || is_blank(at - 1)));
        starts.map(|start| (start, (start..).find(|&at| is_blank(at)).unwrap_or(start))).collect()
    }

    /// Lines of nothing but numbers; without the last one, whose cut cannot be distinguished from a shorter number.
    fn records(&self) -> Vec<usize> {
        let number = |field: &[u8]| str::from_utf8(field).is_ok_and(|field| field.parse::<f64>().is_ok());
        let is_record = |at: &usize| {
            let fields = self.fields(*at);
            !fields.is_empty() && fields.iter().all(|&(start, end)| number(&self.0[*at][start..end]))
        };
        (0..self.0.len() - 1).filter(is_record).collect()
    }
}

/// A damage of lines of fields between blanks.
fn damaged_record(sample: &Sample, number: usize, drawn: &mut Drawn) -> Damaged {
    let mut lines = Lines::of(&sample.text);
    let mut records = lines.records();
    // Triplets without their line of sizes, or with less in it, are triplets too.
    records.retain(|at| *at > 0 || sample.name != SIZED);
    let at = records[drawn.below(records.len())];
    let fields = lines.fields(at);
    let (start, end) = fields[drawn.below(fields.len())];
    let line = at + 1;
    let mut replace = |with: &[u8]| drop(lines.0[at].splice(start..end, with.iter().copied()));
    let exact = Answer::At(line, Some(start + 1));
    let from = || Answer::From(line);
    let counted = sample.form == Form::Counted;
    let (kind, answer) = match number % 16 {
        0 => {
            replace(b"x");
            ("a letter for a number", exact)
        }
        1 => {
            replace(b"nan");
            ("not a number", exact)
        }
        2 => {
            replace(b"1e999");
            ("an overflow", exact)
        }
        3 => {
            replace(b"\xff\x1b[31m");
            ("bytes that are no text", exact)
        }
        4 => {
            replace(b"99999999999999999999999x");
            ("a long word", exact)
        }
        5 => {
            replace(b"");
            // A blank line is no record: the missing fields are reported behind it.
            ("a field less", if fields.len() == 1 { from() } else { Answer::At(line, None) })
        }
        6 => {
            lines.0[at].extend_from_slice(b" 17");
            ("a field more", Answer::At(line, None))
        }
        7 => {
            lines.0[at].extend_from_slice(b" more text");
            ("text behind a record", Answer::At(line, None))
        }
        8 if counted => {
            lines.0.remove(at);
            ("a record less", from())
        }
        9 if counted => {
            let again = lines.0[at].clone();
            lines.0.insert(at, again);
            ("a record twice", from())
        }
        10 if counted => {
            lines.0.truncate(at + 1);
            ("a cut behind a line", from())
        }
        11 => {
            lines.0[at].push(b'\r');
            ("one line with CRLF", Answer::Unchanged)
        }
        12 => {
            lines.0[at] = [b" \t".to_vec(), lines.0[at].clone(), b"  ".to_vec()].concat();
            ("more blanks", Answer::Unchanged)
        }
        13 => {
            let last = lines.0.len();
            lines.0.push(b"and more".to_vec());
            ("text behind the file", Answer::At(last + 1, None))
        }
        14 => {
            lines.0[at] = b"some text instead".to_vec();
            ("text for a record", Answer::At(line, None))
        }
        _ => return whole_damage(sample, number),
    };
    Damaged { kind, text: lines.text(), answer }
}

/// A damage that does not change the contents of a file.
fn whole_damage(sample: &Sample, number: usize) -> Damaged {
    let text = &sample.text;
    let (kind, text) = match number % 3 {
        0 => {
            let lines = Lines::of(text).0;
            ("CRLF", lines.into_iter().flat_map(|line| [line, b"\r\n".to_vec()].concat()).collect())
        }
        1 => ("no last newline", text.strip_suffix(b"\n").unwrap_or(text).to_vec()),
        _ => ("a blank line at the end", [text, &b"\n \n"[..]].concat()),
    };
    Damaged { kind, text, answer: Answer::Unchanged }
}

/// A damage of cards: bytes that change their place, or are no digits.
fn damaged_card(sample: &Sample, number: usize, drawn: &mut Drawn) -> Damaged {
    let mut lines = Lines::of(&sample.text);
    let records: Vec<_> = lines.records().into_iter().filter(|at| *at >= 4).collect();
    let at = records[drawn.below(records.len())];
    let fields = lines.fields(at);
    let (start, end) = fields[drawn.below(fields.len())];
    let line = at + 1;
    let (kind, answer) = match number % 10 {
        0 => {
            lines.0[at][end - 1] = b'x';
            ("a letter for a digit", Answer::At(line, None))
        }
        1 => {
            lines.0[at].remove(start);
            ("a digit less", Answer::At(line, None))
        }
        2 => {
            lines.0[at].insert(start, b'7');
            ("a digit more", Answer::At(line, None))
        }
        3 => {
            lines.0[at].truncate(end - 1);
            ("a cut card", Answer::At(line, None))
        }
        4 => {
            lines.0[at].extend_from_slice(b" more");
            ("text behind a card", Answer::At(line, None))
        }
        5 => {
            lines.0.remove(at);
            ("a card less", Answer::From(line))
        }
        6 => {
            lines.0.truncate(at + 1);
            ("a cut behind a card", Answer::From(line))
        }
        7 => {
            lines.0[0] = b"another title, RSA, (4I3) \xff".to_vec();
            lines.0[1].splice(..28, b"             x             y".iter().copied());
            ("title and counts of cards", Answer::Unchanged)
        }
        8 => {
            let wrong: [(usize, &[u8]); 4] = [(2, b"RS?"), (2, b"RSE"), (3, b"(4Q)"), (3, b"4I3)")];
            let (card, with) = wrong[drawn.below(wrong.len())];
            lines.0[card].splice(..with.len(), with.iter().copied());
            ("type or format", Answer::At(card + 1, None))
        }
        _ => return whole_damage(sample, number),
    };
    Damaged { kind, text: lines.text(), answer }
}

/// A damage of a litmus test, behind its first line.
fn damaged_test(sample: &Sample, number: usize, drawn: &mut Drawn) -> Damaged {
    let mut lines = Lines::of(&sample.text);
    let head = lines.0.iter().position(|line| line.trim_ascii().starts_with(b"P0")).expect("threads");
    let end = lines.0.iter().rposition(|line| line.ends_with(b";")).expect("code");
    let row = head + 1 + drawn.below(end - head);
    let fields = lines.fields(row);
    let words: Vec<_> =
        fields.into_iter().filter(|field| lines.0[row][field.0].is_ascii_alphabetic()).collect();
    let (start, stop) = words[drawn.below(words.len())];
    let line = row + 1;
    let (kind, answer) = match number % 8 {
        0 => {
            lines.0[row].splice(start..stop, b"frobnicate".iter().copied());
            ("an unknown instruction", Answer::At(line, None))
        }
        1 => {
            lines.0[row].insert(stop, b'?');
            ("a mark in an instruction", Answer::At(line, None))
        }
        2 => {
            lines.0[row].pop();
            ("no ; behind a row", Answer::From(line))
        }
        3 => {
            lines.0[row].extend_from_slice(b" | | | | | | | | | |;");
            ("a thread more in a row", Answer::From(line))
        }
        4 => {
            lines.0.truncate(row + 1);
            ("a cut behind a row", Answer::From(line))
        }
        5 => {
            let last = lines.0.len();
            lines.0.push(b"and more".to_vec());
            ("text behind the condition", Answer::At(last + 1, None))
        }
        6 => {
            lines.0[0] = b"SPARC t".to_vec();
            ("another architecture", Answer::At(1, Some(1)))
        }
        _ => return whole_damage(sample, number),
    };
    Damaged { kind, text: lines.text(), answer }
}

/// Why an answer is wrong, if it is.
fn fault(name: &str, answer: &Answer, whole: &Value, read: &Result<Value, Errors>) -> Option<String> {
    let shown = || match read {
        Ok(_) => "was read".to_owned(),
        Err(errors) => errors.to_string(),
    };
    let right = match (answer, read) {
        (Answer::Unchanged, Ok(value)) => value == whole,
        (Answer::At(line, column), Err(errors)) => {
            let at = |mistake: &Mistake| {
                mistake.line == *line && column.is_none_or(|column| mistake.column == column)
            };
            errors.listed().iter().any(at)
        }
        (Answer::From(line), Err(errors)) => errors.listed().iter().any(|mistake| mistake.line >= *line),
        // Sections of a Medit mesh that are skipped decide nothing.
        (_, Ok(value)) => name.ends_with(".mesh") && value == whole,
        _ => false,
    };
    // One damage is not many mistakes: no more than a handful of lines are blamed for it.
    let blamed = read.as_ref().err().map_or(0, |errors| {
        errors.listed().iter().map(|mistake| mistake.line).collect::<BTreeSet<_>>().len()
    });
    (!right || blamed > MOST_BLAMED).then(shown)
}

fn check(samples: &[Sample]) {
    let mut faults = Vec::new();
    for (seed, sample) in samples.iter().enumerate() {
        let whole = (sample.read)(&sample.name, &sample.text).unwrap_or_else(|errors| panic!("{errors}"));
        let mut drawn = Drawn(seed as u64);
        for number in 0..DAMAGES {
            let damaged = match sample.form {
                Form::Counted | Form::Uncounted => damaged_record(sample, number, &mut drawn),
                Form::Cards => damaged_card(sample, number, &mut drawn),
                Form::Litmus => damaged_test(sample, number, &mut drawn),
            };
            let read = (sample.read)(&sample.name, &damaged.text);
            if let Some(fault) = fault(&sample.name, &damaged.answer, &whole, &read) {
                let Damaged { kind, answer, .. } = damaged;
                faults
                    .push(format!("{}, damage {number}, {kind}: expected {answer:?}, {fault}", sample.name));
            }
        }
    }
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), samples.len() * DAMAGES, faults.join("\n"));
}

#[test]
fn damaged_files_of_every_format_name_the_line() {
    check(&small_files());
}

#[test]
fn damaged_inputs_name_the_line() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut samples = files_below(&manifest.join("../../inputs"));
    samples.extend(files_below(&manifest.join("tests/data")));
    assert!(samples.len() >= 16, "{}", samples.len());
    check(&samples);
}

#[test]
#[ignore = "needs the collection of matrices and meshes in TRADEWIND_DATA"]
fn damaged_files_of_the_collection_name_the_line() {
    let folder = env::var_os("TRADEWIND_DATA").expect("TRADEWIND_DATA names the folder of the collection");
    let folders = ["matrices", "cholesky", "meshes", "bale", "litmus"];
    let samples = folders.iter().flat_map(|name| files_below(&Path::new(&folder).join(name)));
    // Tests whose threads may run for ever are not read, whole or damaged.
    let is_read =
        |sample: &Sample| sample.form != Form::Litmus || read_test(&sample.name, &sample.text).is_ok();
    check(&samples.filter(is_read).collect::<Vec<_>>());
}
