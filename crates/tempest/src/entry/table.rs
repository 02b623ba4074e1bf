//! The table of programs from which a person chooses by name. This module must never know the work of any program.

use super::{BadInputs, BadPlan, Duplicate, Given, Input, Plan, UnknownName};
use crate::{Job, Mechanism};

/// The result of reading a program's inputs: the program, ready to run, or every mistake in the inputs.
pub type Loaded = Result<Box<dyn Instance>, BadInputs>;

/// A program that a person may choose by its name.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The program's name on the command line.
    pub name: &'static str,
    /// A description of the program in one line.
    pub summary: &'static str,
    /// The mechanisms that the program is written for, at least one. The first is the default.
    pub mechanisms: &'static [Mechanism],
    /// The inputs of the program, which a person may set.
    pub inputs: &'static [Input],
    /// Reads and checks the inputs that a person gave, and returns the program with these inputs.
    pub load: fn(&Given) -> Loaded,
}

/// The least numbers of nodes, processors and threads with which a program can run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Least {
    /// The least number of nodes.
    pub nodes: u32,
    /// The least number of processors of each node.
    pub processors: u32,
    /// The least number of program threads on each computing processor.
    pub threads: u32,
}

impl Least {
    /// The least size for a program that can run on a single processor: one node, one processor, one thread.
    pub const ANY: Self = Self { nodes: 1, processors: 1, threads: 1 };
}

/// A program whose inputs have been read and found good.
pub trait Instance: Send + Sync {
    /// Makes the job that runs the program by `plan`.
    ///
    /// # Errors
    /// [`BadPlan`] if the program cannot run by this plan. The error says which plan it could run by.
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan>;

    /// The least size of a run with these inputs. The command uses at least these numbers of nodes, processors and
    /// threads, unless a person gives others.
    fn least(&self) -> Least {
        Least::ANY
    }

    /// Facts about the inputs that the command prints with a run's results, such as the size of a graph: pairs of a
    /// name and a value.
    fn describe(&self) -> Vec<(&'static str, String)>;
}

/// The programs that a command knows, sorted by name.
#[derive(Clone, Debug)]
pub struct Table {
    entries: Vec<Entry>,
}

impl Table {
    /// Makes a table of all entries in `parts`.
    ///
    /// # Errors
    /// [`Duplicate`] if two entries have one name.
    pub fn new(parts: &[&[Entry]]) -> Result<Self, Duplicate> {
        let mut entries = parts.concat();
        entries.sort_by_key(|entry| entry.name);
        match entries.windows(2).find(|pair| pair[0].name == pair[1].name) {
            Some(pair) => {
                Err(Duplicate { name: pair[0].name, summaries: [pair[0].summary, pair[1].summary] })
            }
            None => Ok(Self { entries }),
        }
    }

    /// All entries, sorted by name.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Finds the program called `name`.
    ///
    /// # Errors
    /// [`UnknownName`] if the table has no such program.
    pub fn find(&self, name: &str) -> Result<&Entry, UnknownName> {
        find(name, &self.entries)
    }
}

/// Finds the program called `name` in `entries`.
///
/// # Errors
/// [`UnknownName`] if no entry has this name.
pub fn find<'e>(name: &str, entries: &'e [Entry]) -> Result<&'e Entry, UnknownName> {
    let known = || entries.iter().map(|entry| entry.name);
    entries.iter().find(|entry| entry.name == name).ok_or_else(|| UnknownName::new("program", name, known()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn entry(name: &'static str, summary: &'static str) -> Entry {
        Entry { name, summary, mechanisms: &[Mechanism::Messages], inputs: &[], load: |_| unreachable!() }
    }

    #[test]
    fn a_program_is_found_in_whatever_part_it_came() {
        let table = Table::new(&[&[entry("sort", ""), entry("ring", "")], &[entry("march", "")]]).unwrap();
        let names: Vec<_> = table.entries().iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["march", "ring", "sort"]);
        assert_eq!(table.find("ring").unwrap().name, "ring");
        let near = table.find("rin").unwrap_err().to_string();
        assert_eq!(near, "unknown program `rin`: did you mean `ring`? expected one of march, ring, sort");
        let far = table.find("zzz").unwrap_err().to_string();
        assert_eq!(far, "unknown program `zzz`: expected one of march, ring, sort");
    }

    #[test]
    fn a_name_that_two_entries_share_is_refused_with_both() {
        let twice = Table::new(&[&[entry("sort", "by keys")], &[entry("sort", "by merging")]]).unwrap_err();
        assert_eq!(
            twice.to_string(),
            "two programs are called `sort` (\"by keys\" and \"by merging\"): expected another name for one"
        );
    }
}
