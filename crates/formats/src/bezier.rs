//! Surfaces of bicubic Bézier patches, `.bpt`.
//!
//! This is the text in which M. Newell's tea pot circulates (M. E. Newell, *The Utilization of Procedure Models in Digital Image
//! Synthesis*, University of Utah, 1975). The first line is the number of patches. Each patch has a line of its two degrees, `3 3`,
//! and then 16 lines `x y z`, its control points: the four of the first row, then those of the other three. Blank lines mean nothing,
//! and there are no comments. Patches of other degrees are refused.
//!
//! The last newline is optional, so a file cut inside the very last number cannot be told from a whole one;
//! every other cut is an error.
//!
//! This module must never know where the bytes came from.

use std::fmt::{self, Write};

use crate::{
    Errors,
    compression::decompress_named,
    errors::{Excerpt, Misfits, Report},
    points,
    scan::{self, Lines},
};

/// The control points of a row, and the rows of a patch.
const ROW: usize = 4;

/// The degrees of a patch in each direction.
const DEGREES: &str = "3 3";

/// Least bytes of a patch, "3 3\n" and 16 times "0 0 0\n": bounds the memory reserved for a count that a file only
/// claims.
const LEAST_PATCH_BYTES: usize = 4 + 16 * 6;

/// A bicubic Bézier patch.
///
/// The reader upholds, and every user may rely on: all coordinates are finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Control points by row and column, each x, y, z.
    pub control: [[[f64; 3]; ROW]; ROW],
}

/// Reads a file of patches, called `name` in messages, and undoes gzip or zstd before.
///
/// # Errors
/// A corrupt or too large stream; all mistakes of the file: the number of patches missing or malformed, degrees other
/// than 3, lines of too few or too many fields, coordinates infinite or not a number, too few or too many patches. A
/// wrong number of patches, wrong degrees, and two points in a row with a wrong number of fields end the reading.
pub fn read(name: &str, bytes: &[u8]) -> Result<Vec<Patch>, Errors> {
    let bytes = &*decompress_named(name, bytes)?;
    let mut report = Report::new(bytes);
    let patches = read_reporting(bytes, &mut report);
    report.finish_some(name, patches)
}

fn read_reporting(bytes: &[u8], report: &mut Report<'_>) -> Option<Vec<Patch>> {
    let mut lines = Lines::new(bytes, None);
    let count = count(&mut lines, report)?;
    let mut patches = Vec::with_capacity((count as usize).min(lines.remaining() / LEAST_PATCH_BYTES + 1));
    let mut misfits = Misfits::default();
    for done in 0..count {
        degrees(&mut lines, (done, count), report)?;
        let mut control = [[[0.0; 3]; ROW]; ROW];
        for (at, place) in control.as_flattened_mut().iter_mut().enumerate() {
            let Some(mut line) = lines.next() else {
                report.add(
                    lines.offset(),
                    "number of points",
                    at,
                    "16 of each patch; is the file truncated?",
                );
                return None;
            };
            let fits = points::has_fields(line, 3, "point", report);
            if fits {
                // A wrong coordinate has been reported, and the patch will go nowhere.
                *place = points::point(&mut line, report).unwrap_or_default();
            }
            if !misfits.go_on(fits) {
                return None;
            }
        }
        patches.push(Patch { control });
    }
    if let Some(line) = lines.next() {
        let rest = line.rest();
        report.add(rest.offset, "trailing text", Excerpt(rest.text), "the end of the file");
    }
    Some(patches)
}

/// Reads the number of patches; `None`, reported, if the file does not tell it.
fn count(lines: &mut Lines<'_>, report: &mut Report<'_>) -> Option<u32> {
    let Some(mut line) = lines.next() else {
        report.add(lines.offset(), "number of patches", "missing", "a number on the first line");
        return None;
    };
    let count = scan::bounded(line.take(), "number of patches", u64::from(u32::MAX), report);
    scan::end_of_line(line, report);
    u32::try_from(count?).ok()
}

/// Reads the degrees of the next patch; `None`, reported, if the reading cannot go on.
fn degrees(lines: &mut Lines<'_>, (done, count): (u32, u32), report: &mut Report<'_>) -> Option<()> {
    let Some(mut line) = lines.next() else {
        let expected = format!("{count} as the first line says; is the file truncated?");
        report.add(lines.offset(), "number of patches", done, expected);
        return None;
    };
    let whole = line.rest();
    let fields = [line.take(), line.take(), line.take()];
    let is_right = [
        scan::unsigned(fields[0].text) == Some(3),
        scan::unsigned(fields[1].text) == Some(3),
        fields[2].text.is_empty(),
    ];
    if let Some(wrong) = is_right.iter().position(|right| !right) {
        report.add(fields[wrong].offset, "degrees of a patch", Excerpt(whole.text), DEGREES);
        return None;
    }
    Some(())
}

/// The patches as a file. [`read`] of it gives equal patches, if all coordinates are finite and there are at most [`u32::MAX`] patches.
pub fn write(patches: &[Patch]) -> String {
    let mut text = String::new();
    write_to(&mut text, patches).expect("a String takes all that is written");
    text
}

fn write_to(text: &mut String, patches: &[Patch]) -> fmt::Result {
    writeln!(text, "{}", patches.len())?;
    for Patch { control } in patches {
        writeln!(text, "{DEGREES}")?;
        for [x, y, z] in control.as_flattened() {
            writeln!(text, "{x:?} {y:?} {z:?}")?;
        }
    }
    Ok(())
}
