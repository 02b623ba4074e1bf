//! Turns the text of a machine file into a [`Machine`]. This module must never know a file beyond its name and text, nor a key.

use crate::reading::{Bases, Errors, Note, RangedKey, Value, load};
use crate::schema::Machine;
use crate::variants::Reading;

/// The names outside a machine file to which it may refer: files that it extends, and policies. By default no file can be
/// extended, and any name is taken for a policy.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// Finds the files that a machine file extends.
    pub bases: &'a Bases<'a>,
    /// The names of all policies; `None` if any name will do.
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

    /// Reads a machine file together with values from the command line, which replace the file's values. The keys are
    /// dotted, such as `processor.clock`. The values are texts such as `200MHz` and lists such as `8,4`, or both in the
    /// form of TOML: `"200 MHz"`, `[8, 4]`. Of two values for one key the later holds. A value for a policy,
    /// `policy.np.processor.poll`, precedes a value for all policies. All values are checked like the file's own.
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

    /// Every number that a machine file has or could have in the sections that it has, with the range of its values. A value
    /// outside its range is a mistake.
    ///
    /// # Errors
    ///
    /// The mistakes of a file that is no TOML, or extends an unknown machine.
    pub fn numbers(file: &str, text: &str, known: Known<'_>) -> Result<Vec<RangedKey>, Errors> {
        let chain = load(file, text, known.bases)?;
        Ok(Reading::new(&chain, &[], known.policies).numbers())
    }

    /// Every value that the machine was built from, in the order of reading. Values that hold under a policy come last.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// All notes at the heads of the machine's file and of the files that it extends, the machine's own first.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.heads.iter().flat_map(|(_, notes)| notes)
    }

    /// The note that a mark such as `[1]` or `fit` means in `file`: the machine's own file, or a base of it. The note
    /// stands at the head of that file, or else of the nearest base of that file that has it.
    pub fn note(&self, file: &str, mark: &str) -> Option<&Note> {
        let heads = self.heads.iter().skip_while(|(name, _)| name != file);
        heads.flat_map(|(_, notes)| notes).find(|note| note.mark == mark)
    }

    /// A digest of all values that can change a result. Equal machines have equal digests, on every host and in every build.
    /// The digest covers files and overrides. Later changes of fields do not change it, nor do sources, the summary and the
    /// spelling of numbers.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// The machine under a policy, whose software may have other prices. It is this machine if the file has no values for the
    /// policy.
    pub fn under(&self, policy: &str) -> Self {
        let variant = self.variants.iter().find(|(name, _)| name == policy);
        variant.map_or(self, |(_, machine)| machine).clone()
    }

    /// The policies for which the file has values.
    pub fn policies(&self) -> impl Iterator<Item = &str> {
        self.variants.iter().map(|(name, _)| name.as_str())
    }
}
