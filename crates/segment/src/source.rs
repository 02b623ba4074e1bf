//! The choice between memory of one process and memory of several. This module must never know the owner of the memory.

use std::sync::Arc;

use crate::backing::no_room;
use crate::mapping::{ADDRESSABLE, Division};
use crate::{Form, Mapping, Pages, SharedFile};

/// A place that gives new mappings their memory.
#[derive(Clone, Debug, Default)]
pub enum MemorySource {
    /// Memory of this process alone.
    #[default]
    Private,
    /// Memory at the end of a file that other processes map too.
    Shared(Arc<SharedFile>),
}

impl MemorySource {
    /// Maps a stretch for each form, of as many bytes as stand beside it, zero at first. Stretches begin at multiples of 64 bytes
    /// from the beginning of the mapping. A mapping of a shared file begins at a page of the system.
    ///
    /// # Panics
    /// If the system has no room for them, or the file has been sealed.
    pub fn mapping(&self, forms: impl IntoIterator<Item = (Form, usize)>, pages: Pages) -> Mapping {
        match self {
            Self::Private => Mapping::new(forms, pages),
            Self::Shared(file) => {
                let division = Division::of(forms).expect(ADDRESSABLE);
                let bytes = division.bytes;
                let backing = file.allocate(bytes, pages).unwrap_or_else(|error| no_room(bytes, &error));
                Mapping::at(backing, division)
            }
        }
    }
}
