//! A program's inputs as a struct. This module must never know any one program.

use super::{BadInputs, BadPlan, Given, Input, Instance, Least, Loaded, Plan, Reader};
use crate::Job;

/// The inputs of a program as a struct: one field for each input.
///
/// `#[derive(Inputs)]` writes the implementation.
///
/// ```
/// use tradewind_tempest::entry::{FRAMES, Given, InputError, Inputs};
/// use tradewind_tempest::memory::Frames;
///
/// /// The inputs of a search.
/// #[derive(Clone, Inputs)]
/// #[inputs(check)]
/// struct Search {
///     /// vertices of the graph
///     #[input(default = 1024, range = 2..=16_777_216)]
///     vertices: u32,
///     /// edges that leave a node, in percent
///     #[input(default = 20, range = 0.0..=100.0, fact = "remote edges")]
///     remote: f64,
///     /// whether every level is printed
///     #[input(default = false, name = "levels")]
///     shows_levels: bool,
///     #[input(like = FRAMES)]
///     frames: Frames,
/// }
///
/// impl Search {
///     fn check(&self) -> Result<(), InputError> {
///         let odd = format!("input `vertices={}`: expected an even number", self.vertices);
///         if self.vertices % 2 == 0 { Ok(()) } else { Err(odd.into()) }
///     }
/// }
///
/// let mut given = Given::default();
/// given.values.insert("vertices".into(), "64".into());
/// let search = Search::from_given(&given).unwrap();
/// assert_eq!((search.vertices, search.remote, search.shows_levels), (64, 20.0, false));
/// assert_eq!(search.frames, Frames::All);
///
/// given.values.insert("vertices".into(), "1".into());
/// given.values.insert("remote".into(), "all".into());
/// let mistakes = Search::from_given(&given).err().unwrap();
/// assert_eq!(mistakes.texts(), [
///     "input `vertices=1`: expected an integer from 2 to 16777216",
///     "input `remote=all`: expected a number from 0 to 100",
/// ]);
/// ```
///
/// | type of a field | the input is |
/// |---|---|
/// | `u8`, `u16`, `u32`, `u64`, `usize`, `NonZeroU32` | an integer; without a `range` from the type's least to its greatest value, at most 4294967295 |
/// | `f64` | a real number; it needs a `range` |
/// | [`File`](super::File), `Arc<File>` | a file; the default is the name of a file that is shipped |
/// | any other, such as `bool`, `String` or an `enum` | a text, which `FromStr` reads and `Display` prints |
/// | `Option` of a type above | `None` unless a person gives a value |
///
/// The meaning of an input is the field's documentation. Its name is the field's, with hyphens, unless `name` says
/// another. `default` is a literal, or for a text an expression. `fact` is the input's name in
/// [`describe`](Self::describe). An input that several programs have is listed once, as a constant, and `like` refers
/// to it. `only = [Messages, Bulk]` names the mechanisms under which the program uses the input: under another, the
/// command reports a given value to its user. `free = "300..2000"`, or a list such as `free = "row,column"`, states the
/// values to compare where the literature states none.
pub trait Inputs: Clone + Send + Sync + Sized + 'static {
    /// The declarations of the inputs, in the order of the fields.
    const INPUTS: &'static [Input];

    /// Reads every input from `reader`, which records each mistake. Returns `None` if an input has no usable value. A
    /// mistake may be recorded even if a struct is returned.
    fn read(reader: &mut Reader<'_>) -> Option<Self>;

    /// Checks that the values of different inputs fit together. With `#[inputs(check)]` this calls the struct's own
    /// method `check`.
    ///
    /// # Errors
    /// [`BadInputs`], with every contradiction.
    fn check(&self) -> Result<(), BadInputs> {
        Ok(())
    }

    /// Facts about the inputs that the command prints with a run's results: pairs of a name and a value.
    fn describe(&self) -> Vec<(&'static str, String)>;

    /// Makes the struct from the inputs that a person gave and the defaults of the others.
    ///
    /// # Errors
    /// [`BadInputs`], with every mistake in the inputs.
    fn from_given(given: &Given) -> Result<Self, BadInputs> {
        let mut reader = Reader::new(given, Self::INPUTS);
        let inputs = Self::read(&mut reader);
        reader.finish()?;
        let inputs = inputs.expect("the reader notes every input that it cannot read");
        inputs.check()?;
        Ok(inputs)
    }
}

/// Reads a program's inputs and returns the program, ready to run; `job` makes its [`Job`] for a plan. The field `load`
/// of an [`Entry`](super::Entry) calls this.
///
/// # Errors
/// [`BadInputs`], with every mistake in the inputs.
pub fn load<I: Inputs>(given: &Given, job: fn(&I, &Plan) -> Result<Job, BadPlan>) -> Loaded {
    load_for(given, |_| Least::ANY, job)
}

/// Reads a program's inputs as [`load`] does, for a program that needs a least number of nodes, processors or threads:
/// `least` computes it from the inputs.
///
/// # Errors
/// [`BadInputs`], with every mistake in the inputs.
pub fn load_for<I: Inputs>(
    given: &Given,
    least: fn(&I) -> Least,
    job: fn(&I, &Plan) -> Result<Job, BadPlan>,
) -> Loaded {
    Ok(Box::new(Ready { inputs: I::from_given(given)?, least, job }))
}

/// A program whose inputs have been read.
struct Ready<I> {
    inputs: I,
    least: fn(&I) -> Least,
    job: fn(&I, &Plan) -> Result<Job, BadPlan>,
}

impl<I: Inputs> Instance for Ready<I> {
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan> {
        (self.job)(&self.inputs, plan)
    }

    fn least(&self) -> Least {
        (self.least)(&self.inputs)
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        self.inputs.describe()
    }
}
