//! Edges, tetrahedra and faces as records of one line each: common to the mesh formats.
//!
//! It must never know which format it reads.

use crate::{
    coordinates::index,
    errors::{Excerpt, Report},
    scan::{self, Field, Fields},
};

/// Conventions of a format's records.
#[derive(Clone, Copy)]
pub(super) struct Records {
    /// The index of the first node: 0 or 1.
    pub(super) base: u32,
    /// Number of nodes to refer to.
    pub(super) nodes: u32,
}

/// Elements of `N` nodes each, and the bytes they begin at.
pub(super) struct Elements<const N: usize> {
    pub(super) nodes: Vec<[u32; N]>,
    /// The number behind the nodes, if the format has one there; 0 otherwise.
    pub(super) markers: Vec<i32>,
    offsets: Vec<usize>,
}

impl<const N: usize> Elements<N> {
    pub(super) fn new() -> Self {
        Self { nodes: Vec::new(), markers: Vec::new(), offsets: Vec::new() }
    }

    /// Reads one more element, from a line with the right number of fields; reports its mistakes.
    pub(super) fn read(
        &mut self,
        mut line: Fields<'_>,
        records: Records,
        marked: bool,
        report: &mut Report<'_>,
    ) {
        let offset = line.trimmed().rest().offset;
        let fields: [Field<'_>; N] = std::array::from_fn(|_| line.take());
        let nodes = nodes(fields, records, report);
        let marker = if marked { integer(line.take(), report) } else { Some(0) };
        if let (Some(nodes), Some(marker)) = (nodes, marker) {
            self.nodes.push(nodes);
            self.markers.push(marker);
            self.offsets.push(offset);
        }
    }

    /// Reports elements of the same nodes, in any order.
    pub(super) fn report_duplicates(&self, what: &'static str, base: u32, report: &mut Report<'_>) {
        let mut sorted: Vec<_> = self.nodes.iter().copied().zip(self.offsets.iter().copied()).collect();
        for (nodes, _) in &mut sorted {
            nodes.sort_unstable();
        }
        sorted.sort_unstable();
        for pair in sorted.windows(2) {
            let [(earlier, first), (nodes, again)] = [pair[0], pair[1]];
            if earlier == nodes {
                report.add_with(again, what, |report| {
                    let (line, _) = report.place(first);
                    let found = nodes.map(|node| (u64::from(node) + u64::from(base)).to_string()).join(" ");
                    (found, format!("each once, this one is on line {line} too"))
                });
            }
        }
    }
}

/// A marker or reference.
pub(super) fn integer(field: Field<'_>, report: &mut Report<'_>) -> Option<i32> {
    let number = scan::integer(field.text).filter(|number| f64::from(*number as i32) == *number);
    if number.is_none() {
        let expected = format!("an integer, {}..={}", i32::MIN, i32::MAX);
        report.add(field.offset, "marker", Excerpt(field.text), expected);
    }
    number.map(|number| number as i32)
}

fn nodes<const N: usize>(
    fields: [Field<'_>; N],
    records: Records,
    report: &mut Report<'_>,
) -> Option<[u32; N]> {
    let Records { base, nodes: limit } = records;
    let mut nodes = [0; N];
    let mut right = true;
    for (at, field) in fields.into_iter().enumerate() {
        let Some(node) = index(field, "node", base, limit, report) else {
            right = false;
            continue;
        };
        // Where one is out of range, the others are not compared: they may be too.
        if right && nodes[..at].contains(&node) {
            report.add(field.offset, "node", Excerpt(field.text), format_args!("{N} different ones"));
            right = false;
        }
        nodes[at] = node;
    }
    right.then_some(nodes)
}
