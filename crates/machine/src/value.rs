//! A value of a machine file, with where it stands and where it comes from. For people, not for models.

/// One value a machine was built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its dotted key: `processor.clock`; `policy.np.primitives.issue` where it holds under a policy only.
    pub key: String,
    /// As written: `2 B/cycle`.
    pub text: String,
    /// As the machine holds it: `800 MB/s`.
    pub resolved: String,
    /// Where the number comes from: the comment at the end of its line, or else its section's `source`.
    pub source: Option<String>,
    /// The file it stands in: the machine's own, or one that it extends.
    pub file: String,
    /// Its line in that file, from 1; `None` when the command line gave it.
    pub line: Option<usize>,
}
