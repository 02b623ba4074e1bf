//! Makes a machine by reading its file several times: in general, under each policy for which the file states values, and, for each
//! file that it extends, by itself. This module must never know a key except that of the policies.

use std::collections::{BTreeMap, BTreeSet};

use toml_edit::TableLike;

use crate::reading::{
    EXTENDS, Error, Errors, FIXED, Findings, Overrides, POLICY, RangedKey, Reader, Section, SourceText,
    Value, digest, hint,
};
use crate::schema::Machine;

/// All the readings of one machine.
pub(crate) struct Reading<'a> {
    chain: &'a [SourceText],
    overrides: &'a Overrides<'a>,
    /// The names of all policies; `None` if any name will do.
    policies: Option<&'a [&'a str]>,
    errors: Vec<Error>,
    /// The keys of the command line that some reading asked for; with `all_keys` every key that some reading asked for.
    asked: BTreeSet<String>,
    all_keys: bool,
    /// With `all_keys` the numbers that the command line could have given.
    offered: Vec<RangedKey>,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(
        chain: &'a [SourceText],
        overrides: &'a Overrides<'a>,
        policies: Option<&'a [&'a str]>,
    ) -> Self {
        let (errors, asked, offered) = (Vec::new(), BTreeSet::new(), Vec::new());
        Self { chain, overrides, policies, errors, asked, all_keys: false, offered }
    }

    pub(crate) fn machine(mut self) -> Result<Machine, Errors> {
        for base in (1..self.chain.len()).rev() {
            // A base file is also read by itself, which finds its mistakes.
            let mut base = Reading::new(&self.chain[base..], &[], self.policies);
            base.read_all();
            self.errors.append(&mut base.errors);
        }
        let (plain, variants) = self.read_all();
        self.check_overrides();
        match plain {
            Some(plain) if self.errors.is_empty() => {
                let heads = self.chain.iter().map(|file| (file.name.clone(), file.notes())).collect();
                Ok(Machine { heads, ..plain.with(variants) })
            }
            _ => {
                let files: Vec<_> = self.chain.iter().map(|source| source.name.as_str()).collect();
                Err(Errors::new(self.errors, &files))
            }
        }
    }

    /// Reads the first file with the files that it extends, once in general and once under each policy.
    fn read_all(&mut self) -> (Option<Understood>, Vec<(&'a str, Understood)>) {
        self.check_policies();
        let plain = self.read(None);
        let mut policies = self.mentioned();
        if let Some(known) = self.policies {
            policies = known.iter().copied().filter(|policy| policies.contains(policy)).collect();
        }
        let variant = |policy| self.read(Some(policy)).map(|variant| (policy, variant));
        (plain, policies.into_iter().filter_map(variant).collect())
    }

    /// Makes one reading and keeps its mistakes.
    fn read(&mut self, policy: Option<&'a str>) -> Option<Understood> {
        let reader = Reader::new(&self.chain[0], self.overrides, policy);
        let reader = if self.all_keys { reader.of_all_keys() } else { reader };
        let machine = Section::top(&reader, self.chain, policy).read_with(|file| {
            file.know(EXTENDS);
            file.know(POLICY);
            Machine::read_keys(file)
        });
        let Findings { values, mut errors, mut notes, mut asked, mut offered } = reader.finish();
        self.errors.append(&mut errors);
        self.asked.append(&mut asked);
        self.offered.append(&mut offered);
        notes.retain(|key, _| key != "summary" && !key.starts_with("calibrated."));
        machine.map(|machine| Understood {
            machine: Machine { values, digest: digest(&notes), ..machine },
            notes,
        })
    }

    /// The policies for which a file or the command line has a value.
    fn mentioned(&self) -> Vec<&'a str> {
        let in_files =
            self.chain.iter().filter_map(policies).flat_map(|table| table.iter().map(|(name, _)| name));
        let given = self.overrides.iter().filter_map(|(key, _)| {
            let (name, _) = key.strip_prefix(POLICY)?.strip_prefix('.')?.split_once('.')?;
            Some(name)
        });
        let mut names = Vec::new();
        for name in in_files.chain(given) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Reports sections for unknown policies, and values under a policy for keys that are equal under all policies.
    fn check_policies(&mut self) {
        let file = &self.chain[0];
        let Some(table) = file.table().get(POLICY) else { return };
        let Some(policies) = table.as_table_like() else {
            self.refuse(file.table(), POLICY, POLICY, "a section for each policy: [policy.np]".to_owned());
            return;
        };
        for (name, item) in policies.iter() {
            let path = format!("{POLICY}.{name}");
            match item.as_table_like() {
                _ if self.policies.is_some_and(|known| !known.contains(&name)) => {
                    let hint = hint(name, self.policies.into_iter().flatten().copied());
                    self.refuse(policies, name, &path, format!("a policy{hint}"));
                }
                None => self.refuse(policies, name, &path, format!("a section [{path}]")),
                Some(table) => {
                    for key in FIXED.into_iter().filter(|key| table.contains_key(key)) {
                        let expected = "nothing here: it is the same under all policies".to_owned();
                        self.refuse(table, key, &format!("{path}.{key}"), expected);
                    }
                }
            }
        }
    }

    fn refuse(&mut self, table: &dyn TableLike, key: &str, path: &str, expected: String) {
        let file = &self.chain[0];
        self.errors.push(Error {
            file: file.name.clone(),
            line: file.line_of_key(table, key),
            key: path.to_owned(),
            value: table.get(key).map(|item| file.written(item)),
            expected,
        });
    }

    /// Reports the keys of the command line that no reading asked for.
    fn check_overrides(&mut self) {
        let unknown: Vec<_> = self.overrides.iter().filter(|(key, _)| !self.asked.contains(*key)).collect();
        if unknown.is_empty() {
            return;
        }
        let known = self.keys();
        for &&(key, value) in &unknown {
            let hint = hint(key, known.iter().map(String::as_str));
            self.errors.push(Error {
                file: self.chain[0].name.clone(),
                line: None,
                key: key.to_owned(),
                value: Some(format!("{value:?}")),
                expected: format!("a key of the machine file{hint}"),
            });
        }
    }

    /// Every number that a setting for all policies could replace, in the order of reading.
    pub(crate) fn numbers(mut self) -> Vec<RangedKey> {
        self.all_keys = true;
        self.read(None);
        let mut once: Vec<RangedKey> = Vec::new();
        for each in self.offered {
            if once.iter().all(|known| known.key != each.key) {
                once.push(each);
            }
        }
        once
    }

    /// Every key that the command line could have given, found by another reading of the whole file.
    fn keys(&self) -> BTreeSet<String> {
        let mut again = Self { all_keys: true, ..Self::new(self.chain, self.overrides, self.policies) };
        again.read_all();
        again.asked
    }
}

fn policies(file: &SourceText) -> Option<&dyn TableLike> {
    file.table().get(POLICY)?.as_table_like()
}

/// The machine of one reading.
struct Understood {
    machine: Machine,
    /// Each key with its resolved value.
    notes: BTreeMap<String, String>,
}

impl Understood {
    /// The machine with its variants under policies. The digest covers all of them.
    fn with(self, variants: Vec<(&str, Self)>) -> Machine {
        let Self { mut machine, mut notes } = self;
        for (policy, variant) in variants {
            let special = |value: &&Value| value.key.split('.').take(2).eq([POLICY, policy]);
            machine.values.extend(variant.machine.values.iter().filter(special).cloned());
            let its_own = |(key, value)| (format!("{POLICY}.{policy}.{key}"), value);
            notes.extend(variant.notes.into_iter().map(its_own));
            machine.variants.push((policy.to_owned(), variant.machine));
        }
        machine.digest = digest(&notes);
        machine
    }
}
