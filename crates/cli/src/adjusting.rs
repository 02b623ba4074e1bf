//! What a policy that adapts changed, and why: for people and for programs. Must never judge it.

use serde_json::{Value, json};
use tempest::{Adjustment, Why};

use crate::quantity::{several, time};

/// At most so many changes are told one by one.
const LISTED: usize = 12;

/// A line for each change; of many, the first. Nodes have so many `processors`, and `oversubscribed` ones share cores.
pub(crate) fn lines(adjustments: &[Adjustment], processors: u32, oversubscribed: bool) -> Vec<String> {
    if adjustments.is_empty() {
        let why = match processors {
            1 => "a node of one has none to spare",
            _ if oversubscribed => "none has a core of its own",
            _ => "nothing that was measured asked for it",
        };
        return vec![format!("no processor was dedicated: {why}")];
    }
    let mut lines: Vec<_> = adjustments.iter().take(LISTED).map(line).collect();
    if let more @ 1.. = adjustments.len().saturating_sub(LISTED) {
        lines.push(format!("and {more} more: see --json"));
    }
    lines
}

fn line(adjustment: &Adjustment) -> String {
    let Adjustment { node, at, dedicated, why } = adjustment;
    let number = several(*dedicated, "dedicated processor", "dedicated processors");
    format!("{node} has {number} from {} on: {why}", time(*at))
}

/// All of them.
pub(crate) fn json(adjustments: &[Adjustment]) -> Value {
    adjustments
        .iter()
        .map(|Adjustment { node, at, dedicated, why }| {
            let (because, measured) = cause(*why);
            json!({
                "node": node.0,
                "at_ns": at.as_nanoseconds(),
                "dedicated": dedicated,
                "because": because,
                "measured": measured,
                "text": why.to_string(),
            })
        })
        .collect()
}

fn cause(why: Why) -> (&'static str, f64) {
    match why {
        Why::Looking(share) => ("looking", share),
        Why::Full(share) => ("full", share),
        Why::Waiting(events) => ("waiting", events),
        Why::Unused(share) => ("unused", share),
        Why::Worse(share) => ("worse", share),
    }
}

#[cfg(test)]
mod tests {
    use tempest::NodeId;
    use units::Time;

    use super::*;

    #[test]
    fn many_changes_are_counted() {
        let change = |dedicated| Adjustment {
            node: NodeId(3),
            at: Time::from_microseconds(5),
            dedicated,
            why: Why::Looking(0.5),
        };
        let changes: Vec<_> = (1..=15).map(change).collect();
        let lines = lines(&changes, 4, false);
        assert_eq!(lines.len(), LISTED + 1);
        assert_eq!(
            lines[0],
            "node 3 has 1 dedicated processor from 5.000 us on: looking for events was 50 % of what they took"
        );
        assert_eq!(lines[LISTED], "and 3 more: see --json");
        assert_eq!(json(&changes)[14]["dedicated"], 15);
    }

    #[test]
    fn that_nothing_changed_is_told_with_its_reason() {
        let said = |processors, oversubscribed| lines(&[], processors, oversubscribed).concat();
        assert_eq!(said(2, false), "no processor was dedicated: nothing that was measured asked for it");
        assert_eq!(said(1, true), "no processor was dedicated: a node of one has none to spare");
        assert_eq!(said(2, true), "no processor was dedicated: none has a core of its own");
    }
}
