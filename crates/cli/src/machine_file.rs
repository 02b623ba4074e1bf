//! `tradewind machine`: a machine file that ships, to be copied and changed. Must never know what is in it.

use std::io::Write;
use std::process::ExitCode;

use worlds::machines;

use crate::Problem;
use crate::arguments::MachineFile;

/// Writes the text of the file as it is.
pub(crate) fn machine_file(arguments: &MachineFile, out: &mut impl Write) -> Result<ExitCode, Problem> {
    out.write_all(machines::text(&arguments.name)?.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
