//! How a node bounds what it has asked of the others. Pure data and its section `[flow]`.

use crate::section::Section;

/// The bound on outstanding requests, and who acknowledges stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Requests of a node that may be without their answer at a time; at least 1.
    pub window: usize,
    /// The target's software acknowledges stores once per so many; `None`: it never does, the hardware says so.
    pub acknowledge_every: Option<u32>,
}

impl Flow {
    pub(crate) fn read(section: &Section<'_>) -> Option<Self> {
        let window = section.count("window");
        let acknowledge_every = section.count_or_never("acknowledge_every");
        Some(Self { window: window?, acknowledge_every: acknowledge_every? })
    }
}
