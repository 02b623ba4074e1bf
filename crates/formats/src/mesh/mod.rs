//! Meshes of tetrahedra, and any mesh file: recognition of its format.
//!
//! It must never know the use of a mesh.

mod elements;
pub mod medit;
pub mod text;
mod value;

pub use value::{Face, Mesh};

use crate::{
    Errors, compression::decompress_named, errors::Excerpt, file_name::ending, scan::Lines, scan::unsigned,
};

/// The formats read, as a message lists them.
const KNOWN: &str = "Medit (MeshVersionFormatted …) or mesh text (nodes edges tets faces, then records); \
                     each plain, gzip or zstd";

/// Reads a mesh file of any format of this crate, called `name` in messages: undoes gzip or zstd, and recognises the
/// format by the content, or else by the name.
///
/// * [Medit](medit): the word `MeshVersionFormatted`, or a name ending in `.mesh`.
/// * [Mesh text](text): four counts on the first line that is not a comment, or a name ending in `.txt`.
///
/// Names may further end in `.gz` or `.zst`, and letter case has no meaning.
///
/// # Errors
/// A corrupt or too large stream, a name that contradicts the format or compression of the content, an unknown format,
/// or the errors of the format's reader.
pub fn read(name: &str, bytes: &[u8]) -> Result<Mesh, Errors> {
    let bytes = &*decompress_named(name, bytes)?;
    let first = Lines::new(bytes, Some(b'#')).next();
    let word = first.map_or(&b""[..], |mut line| line.take().text);
    let counts = first.is_some_and(|mut line| {
        line.count() == 4 && [(); 4].iter().all(|()| unsigned(line.take().text).is_some())
    });
    let found = (word == medit::FIRST_KEYWORD).then_some(Format::Medit).or(counts.then_some(Format::Text));
    let named = ending(name, &[".mesh", ".txt"]);
    let told = named.map(|ending| if ending == ".mesh" { Format::Medit } else { Format::Text });
    match (found, told) {
        (Some(Format::Medit), Some(Format::Text)) => {
            Err(misnamed(name, ".txt", ".mesh, as the content is Medit"))
        }
        (Some(Format::Text), Some(Format::Medit)) => {
            Err(misnamed(name, ".mesh", ".txt, as the content is mesh text"))
        }
        (Some(Format::Medit), _) | (None, Some(Format::Medit)) => medit::read(name, bytes),
        (Some(Format::Text), _) | (None, Some(Format::Text)) => text::read(name, bytes),
        (None, None) => {
            let start = first.map_or(&b""[..], |line| line.rest().text);
            Err(Errors::whole_file(name, "mesh format", Excerpt(start), KNOWN))
        }
    }
}

/// The formats of meshes.
#[derive(Clone, Copy)]
enum Format {
    Medit,
    Text,
}

/// The mistake of a file whose name tells another format than its content.
fn misnamed(name: &str, ending: &str, right: &str) -> Errors {
    Errors::whole_file(name, "name", ending, format_args!("a name that ends in {right}"))
}
