//! An address space that nodes share, with the room that each node has for pages of other nodes. This module must never
//! know how blocks are kept coherent.

use std::fmt;
use std::str::FromStr;

use crate::Layout;

/// The limit on pages of other nodes that a node can hold at a time.
///
/// The input's text is `all`, `on-demand` or a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Frames {
    /// All pages, each mapped from the start: there are no page faults.
    #[default]
    All,
    /// All pages, each mapped when a thread of the node first uses it.
    OnDemand,
    /// This number of pages. When another page is needed, the protocol replaces a page that has not been used lately.
    /// The protocol `stache` keeps a quarter of the pages inactive, replaces the page that has been inactive longest,
    /// and makes a page active again if a thread faults in it. With fewer than four frames it replaces the page that
    /// was mapped first.
    ///
    /// Threads of a node that [wait for words](crate::Thread::wait_for) on more pages than this keep taking frames from
    /// each other while they wait.
    AtMost(u32),
}

impl FromStr for Frames {
    type Err = NoFrames;

    fn from_str(text: &str) -> Result<Self, NoFrames> {
        match text {
            "all" => Ok(Self::All),
            "on-demand" => Ok(Self::OnDemand),
            _ => text.parse().map(Self::AtMost).map_err(|_| NoFrames::Unreadable(text.to_owned())),
        }
    }
}

impl fmt::Display for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Frames::All => f.pad("all"),
            Frames::OnDemand => f.pad("on-demand"),
            Frames::AtMost(most) => write!(f, "{most}"),
        }
    }
}

/// The error of a text that names no [`Frames`], or of frames with which nodes could make no progress.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoFrames {
    /// The text is neither `all` nor `on-demand` nor a number.
    Unreadable(String),
    /// A node can hold no page of another node, although other nodes have pages.
    TooFew,
}

impl fmt::Display for NoFrames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoFrames::Unreadable(text) => {
                write!(f, "room for `{text}` pages: expected all, on-demand or a whole number")
            }
            NoFrames::TooFew => f.write_str("0 frames for pages of other nodes: at least 1 is needed"),
        }
    }
}

impl std::error::Error for NoFrames {}

/// The shared address space of a run: its arrays, the home nodes of their pages, and the number of pages of other nodes
/// that a node can hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddressSpace {
    layout: Layout,
    frames: Frames,
}

impl AddressSpace {
    /// Makes an address space in which each node can hold copies of `frames` pages of other nodes.
    ///
    /// # Errors
    /// [`NoFrames::TooFew`] if a node could hold no page although other nodes have pages. One frame is enough: a page
    /// stays in its frame until the thread that waits for a block of the page has made its access.
    pub fn new(layout: Layout, frames: Frames) -> Result<Self, NoFrames> {
        let has_remote_pages = layout.nodes() > 1 && layout.pages() > 0;
        if frames == Frames::AtMost(0) && has_remote_pages {
            return Err(NoFrames::TooFew);
        }
        Ok(Self { layout, frames })
    }

    /// The layout of the address space: its arrays, and the home nodes of their pages.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The number of pages of other nodes that a node can hold.
    pub fn frames(&self) -> Frames {
        self.frames
    }
}

impl From<Layout> for AddressSpace {
    /// Makes an address space in which each node has room for all pages from the start.
    fn from(layout: Layout) -> Self {
        Self { layout, frames: Frames::All }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Homes;

    #[test]
    fn frames_read_what_they_print() {
        for frames in [Frames::All, Frames::OnDemand, Frames::AtMost(2)] {
            assert_eq!(frames.to_string().parse(), Ok(frames));
        }
        for wrong in ["-1", "1.5", "some", ""] {
            let error = wrong.parse::<Frames>().unwrap_err();
            let expected = format!("room for `{wrong}` pages: expected all, on-demand or a whole number");
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn no_frame_is_refused_with_the_number_needed() {
        let mut layout = Layout::new(2, 64).unwrap();
        layout.array::<u64>("words", 1, Homes::RoundRobin).unwrap();
        let error = AddressSpace::new(layout.clone(), Frames::AtMost(0)).unwrap_err();
        assert_eq!(error.to_string(), "0 frames for pages of other nodes: at least 1 is needed");
        for enough in [Frames::All, Frames::OnDemand, Frames::AtMost(1)] {
            assert!(AddressSpace::new(layout.clone(), enough).is_ok());
        }
        let alone = Layout::new(1, 64).unwrap();
        assert!(AddressSpace::new(alone, Frames::AtMost(0)).is_ok(), "one node has no remote pages");
    }
}
