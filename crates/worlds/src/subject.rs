//! A program with its inputs, read and checked. This module must never know where the program will run.

use std::fmt;
use std::sync::Arc;

use tempest::entry::{Entry, Given, Instance, Problems};
use tempest::{Mechanism, Shape};

use crate::hosting;
use crate::inputs::Gatherer;
use crate::{Error, Mistake, Sharing};

/// A program with its inputs, read and checked. A copy shares the inputs with its original.
#[derive(Clone)]
pub struct Subject {
    /// The entry of the program.
    pub entry: Entry,
    /// The program with its inputs.
    pub instance: Arc<dyn Instance>,
    /// The way in which shared memory is kept coherent, if the program moves data through it.
    pub sharing: Sharing,
    /// The shape of the run whose problem the program solves; `None` for that of each run itself.
    pub(crate) problem: Option<Shape>,
    /// The problems that the program makes from its inputs.
    pub(crate) problems: Problems,
    /// The names of the inputs that were given.
    given: Vec<String>,
    /// The inputs as they were given, each `KEY=VALUE` or the path of the only file.
    pub(crate) texts: Vec<String>,
}

impl Subject {
    /// Loads a program with inputs by name. Where an input is a file, its value is a path, or the name of a
    /// [shipped file](crate::inputs::ALL). Inputs that are not given have their defaults.
    ///
    /// # Errors
    /// Every mistake in the inputs.
    pub fn load(entry: &Entry, inputs: &[(&str, &str)]) -> Result<Self, Error> {
        let mut gatherer = Gatherer::new(entry);
        inputs.iter().for_each(|(key, value)| gatherer.set(key, value));
        Self::gathered(entry, gatherer, inputs.iter().map(|(key, value)| format!("{key}={value}")).collect())
    }

    /// Loads a program with inputs as texts, each `KEY=VALUE` or the path of the only file that the program
    /// reads.
    ///
    /// # Errors
    /// Every mistake in the texts.
    pub fn told(entry: &Entry, texts: &[String]) -> Result<Self, Error> {
        let mut gatherer = Gatherer::new(entry);
        texts.iter().for_each(|text| gatherer.take(text));
        Self::gathered(entry, gatherer, texts.to_vec())
    }

    /// Keeps shared memory coherent in another way, for this program and its inputs.
    #[must_use]
    pub fn sharing(self, sharing: Sharing) -> Self {
        Self { sharing, ..self }
    }

    /// Whether the program is written for each of these mechanisms.
    ///
    /// # Errors
    /// [`Mistake::NotWritten`] for each mechanism that it is not written for.
    pub fn check(entry: &Entry, asked: &[Mechanism]) -> Result<(), Error> {
        let missing = asked.iter().filter(|asked| !entry.mechanisms.contains(asked));
        let mistake = |&mechanism: &Mechanism| Mistake::NotWritten {
            mechanism,
            program: entry.name,
            written: entry.mechanisms,
        };
        let mistakes: Vec<_> = missing.map(mistake).collect();
        if mistakes.is_empty() { Ok(()) } else { Err(Error::Wrong(mistakes)) }
    }

    /// Checks that the program heeds each given input by at least one of these mechanisms.
    ///
    /// # Errors
    /// [`Mistake::Ignored`] for each input that none of them heeds.
    pub fn check_inputs(&self, mechanisms: &[Mechanism]) -> Result<(), Error> {
        let given = self.entry.inputs.iter().filter(|input| self.is_given(input.key));
        let ignored = given.filter(|input| !input.is_heeded(mechanisms)).map(|input| Mistake::Ignored {
            key: input.key,
            program: self.entry.name,
            mechanisms: mechanisms.to_vec(),
            heeded: input.only,
        });
        let mistakes: Vec<_> = ignored.collect();
        if mistakes.is_empty() { Ok(()) } else { Err(Error::Wrong(mistakes)) }
    }

    /// Whether an input has been given.
    pub(crate) fn is_given(&self, key: &str) -> bool {
        self.given.iter().any(|given| given == key)
    }

    fn gathered(entry: &Entry, gatherer: Gatherer<'_>, texts: Vec<String>) -> Result<Self, Error> {
        let keys = gatherer.keys();
        let (given, verdict) = gatherer.finish();
        let given = Given { problems: hosting::problems(), ..given };
        let loaded = (entry.load)(&given)
            .map_err(|wrong| Error::Wrong(wrong.0.into_iter().map(Mistake::Input).collect()));
        let ((), instance) = Error::both(verdict, loaded)?;
        Ok(Self {
            entry: *entry,
            instance: instance.into(),
            sharing: Sharing::default(),
            problem: None,
            problems: given.problems,
            given: keys,
            texts,
        })
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("entry", &self.entry).field("sharing", &self.sharing).finish()
    }
}
