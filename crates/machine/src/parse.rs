//! From the text of a machine file to a [`Machine`]. Knows no file, only its name and text, and no key.

use crate::reading::{Bases, Errors, Value, load};
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
    /// Reads a machine file that extends no other. `file` is what to call it in messages.
    ///
    /// # Errors
    ///
    /// All mistakes of the file at once, each with its line.
    pub fn parse(file: &str, text: &str) -> Result<Self, Errors> {
        Self::parse_with::<&str, &str>(file, text, &[], Known::default())
    }

    /// Reads a machine file together with values from the command line, which replace those of the file:
    /// dotted keys such as `processor.clock`, values such as `200MHz`, lists such as `8,4`, or both as TOML writes them:
    /// `"200 MHz"`, `[8, 4]`. Of two values for one key the later holds; one for a policy, `policy.np.processor.poll`,
    /// precedes one in general. They are checked like the file's own.
    ///
    /// # Errors
    ///
    /// All mistakes of the files and of the overrides; those of the overrides say `--set` in place of a line.
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

    /// Every value the machine was built from, in the order it was read; those that hold under a policy come last.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// A digest of all values that can change a result: equal machines have equal digests, on every host and in every build. It
    /// covers files and overrides; later changes of fields do not change it. Sources, the summary and the spelling of
    /// numbers do not count.
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
