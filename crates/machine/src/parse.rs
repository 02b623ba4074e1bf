//! Turns the text of a machine file into a [`Machine`]. This module must never know a file beyond its name and text, nor the keys
//! in it.

use crate::reading::{Bases, Errors, Note, RangedKey, Value, load};
use crate::schema::Machine;
use crate::variants::Reading;

/// The files and policies that a machine file may name. By default it may extend no file, and any name is accepted as a policy.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// Function that finds a machine file by the name behind `extends`.
    pub bases: &'a Bases<'a>,
    /// The names of all policies; `None` accepts any name.
    pub policies: Option<&'a [&'a str]>,
}

impl Default for Known<'_> {
    fn default() -> Self {
        Self { bases: &|_, _| Err(None), policies: None }
    }
}

impl Machine {
    /// Reads a machine file that extends no other. `file` is the file's name in messages.
    ///
    /// # Errors
    ///
    /// All mistakes of the file at once, each with its line.
    pub fn parse(file: &str, text: &str) -> Result<Self, Errors> {
        Self::parse_with::<&str, &str>(file, text, &[], Known::default())
    }

    /// Reads a machine file together with `overrides`: values from the command line, which replace the file's values. Keys are
    /// dotted, such as `processor.clock`. Values are texts such as `200MHz` and lists such as `8,4`, or both in the form of TOML:
    /// `"200 MHz"`, `[8, 4]`. Of two values for one key the later counts. A value for one policy, such as
    /// `policy.np.processor.poll`, takes precedence over a value for all policies. All values are checked like the file's own.
    ///
    /// # Errors
    ///
    /// All mistakes of the files and of the overrides; mistakes of the overrides say `--set` in place of a line.
    pub fn parse_with<K: AsRef<str>, V: AsRef<str>>(
        file: &str,
        text: &str,
        overrides: &[(K, V)],
        known: Known<'_>,
    ) -> Result<Self, Errors> {
        let chain = load(file, text, known.bases)?;
        let overrides: Vec<_> = overrides.iter().map(|(key, value)| (key.as_ref(), value.as_ref())).collect();
        Reading::new(&chain, &overrides, known.policies).machine()
    }

    /// Returns each key with a number that a machine file has, or could have in its sections, with the allowed range of the number.
    ///
    /// # Errors
    ///
    /// The mistakes of a file that is no TOML, or extends an unknown machine.
    pub fn numbers(file: &str, text: &str, known: Known<'_>) -> Result<Vec<RangedKey>, Errors> {
        let chain = load(file, text, known.bases)?;
        Ok(Reading::new(&chain, &[], known.policies).numbers())
    }

    /// The values that the machine was made from, in the order of reading. Values for a single policy come last.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The notes on sources at the heads of the machine's file and of the files that it extends, the machine's own first.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.heads.iter().flat_map(|(_, notes)| notes)
    }

    /// Returns the note on sources with the mark `mark`, such as `[1]` or `fit`, that holds in `file`: the machine's file or a file
    /// that it extends. The note is at the head of `file`, or else of the nearest file that `file` extends.
    pub fn note(&self, file: &str, mark: &str) -> Option<&Note> {
        let heads = self.heads.iter().skip_while(|(name, _)| name != file);
        heads.flat_map(|(_, notes)| notes).find(|note| note.mark == mark)
    }

    /// A 64-bit hash of all values that can change a result, from files and overrides. Equal machines have equal hashes, on every
    /// host and in every build. Changes of fields after parsing do not change it, nor do sources, the summary and the spelling of
    /// numbers.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// The machine with the values that its file states for the policy named `policy`. It equals this machine if the file states
    /// none.
    pub fn under(&self, policy: &str) -> Self {
        let variant = self.variants.iter().find(|(name, _)| name == policy);
        variant.map_or(self, |(_, machine)| machine).clone()
    }

    /// The names of the policies for which the file states values.
    pub fn policies(&self) -> impl Iterator<Item = &str> {
        self.variants.iter().map(|(name, _)| name.as_str())
    }
}
