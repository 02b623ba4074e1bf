//! The JSON documents of runs and comparisons made from code, equal to the command line's. This module must never run anything.
//!
//! ```
//! use tradewind::worlds::{Compared, Comparison, Subject, Target};
//! use tradewind::{documents, report};
//!
//! # let entry = tradewind::tempest::entry::find("histogram", tradewind::apps::ALL)?;
//! let subject = Subject::load(entry, &[("values", "20")])?;
//! let comparison = Comparison::new(subject, vec![Target::find("ideal", &[])?]);
//! let rankings: Vec<_> = comparison.run().into_iter().map(Compared::ranking).collect();
//! let document = documents::comparison(&comparison, &rankings);
//! assert_eq!(document.worlds[0].on.machine, "ideal");
//! report::document::write(&mut std::io::stdout(), &document)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use compare::{Combination, Ranking};
use report::document;
use worlds::{Setting, Subject};

/// Makes the document of one combination, as `run --json` prints it: `setting` is its machine, policy and program, `ran` its outcome.
///
/// The document's `given`, the inputs and settings as a command line spells them, is empty. Its `input` has the inputs as they
/// were read.
pub fn run(setting: &Setting, ran: &Combination) -> document::Run {
    let common = document::Setting {
        threads: setting.threads,
        seed: setting.seed,
        protocol: setting.subject.sharing.protocol.to_string(),
        block_bytes: setting.subject.sharing.block,
        place: setting.hosting.name().to_owned(),
    };
    document::Run::new(
        asked(&setting.subject),
        &common,
        setting.machine_shape(),
        &setting.target.described(),
        ran,
    )
}

/// Makes the document of the comparison `asked_for`, as `compare --json` prints it. `rankings` has one ranking for each of the
/// comparison's targets in each shape (numbers of nodes and processors).
///
/// The document's `given`, the inputs and settings as a command line spells them, is empty. Its `input` has the inputs as they
/// were read.
pub fn comparison(asked_for: &worlds::Comparison, rankings: &[Ranking]) -> document::Comparison {
    let common = document::Setting {
        threads: asked_for.threads,
        seed: asked_for.seed,
        protocol: asked_for.subject.sharing.protocol.to_string(),
        block_bytes: asked_for.subject.sharing.block,
        place: asked_for.hosting.name().to_owned(),
    };
    document::Comparison::new(asked(&asked_for.subject), &common, rankings, &worlds::host())
}

/// Describes the program of a run and its inputs, for a document.
fn asked(subject: &Subject) -> document::ProgramInput {
    let facts = subject.instance.describe().into_iter();
    document::ProgramInput {
        program: subject.entry.name.to_owned(),
        given: document::Given { input: Vec::new(), set: Vec::new() },
        input: facts.map(|(name, value)| (name.to_owned(), value)).collect(),
    }
}
