//! What a command ends with.
//!
//! Nothing is printed before a command has ended, so that nothing is ever printed by half.

/// What a command yields: its results, and what failed on the way.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// For standard output, whole lines.
    pub(crate) results: String,
    /// For standard error; if there are any the command failed.
    pub(crate) failures: Vec<String>,
}

impl Answer {
    /// A command that did what was asked.
    pub(crate) fn done(results: String) -> Self {
        Self { results, failures: Vec::new() }
    }

    /// A command that has nothing to show.
    pub(crate) fn failed(failure: String) -> Self {
        Self { results: String::new(), failures: vec![failure] }
    }
}

/// All that is wrong with a command line and its inputs.
#[derive(Debug, Default)]
pub(crate) struct Wrong(Vec<String>);

/// How a command ends: nothing is done if anything is wrong with what it was told.
pub(crate) type Ended = Result<Answer, Wrong>;

impl Wrong {
    /// Notes a mistake.
    pub(crate) fn note(&mut self, mistake: impl Into<String>) {
        self.0.push(mistake.into());
    }

    /// The value, or `None` and its mistake noted.
    pub(crate) fn keep<T>(&mut self, read: Result<T, String>) -> Option<T> {
        read.map_err(|mistake| self.note(mistake)).ok()
    }

    /// The value, or `None` and its mistakes noted.
    pub(crate) fn keep_all<T>(&mut self, read: Result<T, Vec<String>>) -> Option<T> {
        read.map_err(|mistakes| self.0.extend(mistakes)).ok()
    }

    /// Ends reading.
    ///
    /// # Errors
    /// All mistakes noted, if there are any.
    pub(crate) fn finish(self) -> Result<(), Self> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }

    /// The mistakes, in the order they were found.
    pub(crate) fn mistakes(&self) -> &[String] {
        &self.0
    }
}

impl From<String> for Wrong {
    fn from(mistake: String) -> Self {
        Self(vec![mistake])
    }
}

impl From<Vec<String>> for Wrong {
    fn from(mistakes: Vec<String>) -> Self {
        Self(mistakes)
    }
}
