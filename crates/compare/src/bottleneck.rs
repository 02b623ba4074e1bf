//! The part of a machine that limited a run, and the rule by which it is named. This module must never know the winner.
//!
//! The rule: of the parts other than computing processors, the part that was busy for the largest share of the timed
//! region, if that is at least [`SATURATED`]. Computing processors are left out because the other parts exist to keep
//! them busy. A dispatch queue is named only if no other part is: it is in use as long as a processor that it feeds is
//! busy.

use tempest::outcome::{Resource, Utilization};

use crate::parts::region;
use crate::ranking::Row;

/// The least share of the time for which a part must be busy to be named.
const SATURATED: f64 = 0.9;

/// A part of a machine that was busy for nearly the whole time.
#[derive(Clone, PartialEq, Debug)]
pub struct Bottleneck {
    /// The kind of the part.
    pub resource: Resource,
    /// Name of the part within its kind.
    pub name: String,
    /// The share of the time, from 0 to 1, for which it was busy.
    pub busy: f64,
    /// Whether all parts of the kind together were as busy, on average, so that no single one is to blame.
    pub all: bool,
    /// Whether the part is the only dedicated processor, sending for all computing processors of its node.
    pub lone_sender: bool,
}

/// The bottleneck of a row, if a part of the machine was one.
pub fn of(row: &Row) -> Option<Bottleneck> {
    let saturated =
        |entry: &&Utilization| entry.resource != Resource::ComputingProcessor && entry.most >= SATURATED;
    let entries = region(&row.outcome).utilization.iter().filter(saturated);
    // Of several that are as busy the first.
    let busier = |one: &&Utilization, other: &&Utilization| {
        let rank = |entry: &Utilization| entry.resource != Resource::DispatchQueue;
        rank(one)
            .cmp(&rank(other))
            .then(one.most.total_cmp(&other.most))
            .then(other.resource.cmp(&one.resource))
    };
    entries.max_by(busier).map(|entry| {
        let all = entry.count > 1 && entry.mean >= SATURATED;
        Bottleneck {
            resource: entry.resource,
            name: entry.busiest.clone(),
            busy: if all { entry.mean } else { entry.most },
            all,
            lone_sender: row.lone_sender && entry.resource == Resource::DedicatedProcessor,
        }
    })
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::Messages;

    use super::*;
    use crate::samples::row;

    #[test]
    fn the_busiest_part_is_the_bottleneck_and_a_queue_only_where_nothing_else_is() {
        let row = row(Messages, "floating", [1, 0, 0, 0]);
        let row = row.busy(Resource::ComputingProcessor, "node 0", 1.0).busy(Resource::Link, "0→1", 0.89);
        assert_eq!(of(&row), None, "computing is no bottleneck, and 89 % is not enough");
        let queue = row.busy(Resource::DispatchQueue, "node 1", 0.99);
        assert_eq!(
            of(&queue).map(|found| (found.resource, found.busy)),
            Some((Resource::DispatchQueue, 0.99))
        );
        let link = queue.busy(Resource::Bus, "node 2", 0.92).busy(Resource::Link, "3→4", 0.97);
        let found = of(&link).unwrap();
        assert_eq!(
            (found.resource, &*found.name, found.busy, found.all),
            (Resource::Link, "3→4", 0.97, false)
        );
    }

    #[test]
    fn where_all_parts_of_a_kind_are_busy_none_is_singled_out() {
        let row = row(Messages, "fixed:1", [1, 0, 0, 0]).with(|outcome| {
            outcome.phases[0].utilization = vec![Utilization {
                resource: Resource::DedicatedProcessor,
                count: 4,
                mean: 0.95,
                most: 0.99,
                busiest: "node 3".to_owned(),
            }];
        });
        assert_eq!(of(&row).map(|found| (found.all, found.busy)), Some((true, 0.95)));
    }

    #[test]
    fn only_a_dedicated_processor_can_be_a_lone_sender() {
        let alone = |row: Row| of(&Row { lone_sender: true, ..row }).expect("a bottleneck").lone_sender;
        let row = || row(Messages, "fixed:2", [1, 0, 0, 0]);
        assert!(alone(row().dedicated_busy(0.99)) && !alone(row().busy(Resource::Link, "3", 0.99)));
        assert!(!of(&row().dedicated_busy(0.99)).expect("a bottleneck").lone_sender);
    }
}
