//! Acting on a control message that has arrived. This module must never know the program's messages, or which processor receives.

use tempest::NodeId;

use crate::control::message::Control;
use crate::control::{KEEPER, ending, regions};
use crate::link::resume;
use crate::parts::endpoint::Endpoint;

/// Acts on a control message from node `source`. A message that the node must not send, or not now, ends the run.
pub(crate) fn act(endpoint: &Endpoint, source: NodeId, message: Control) {
    let is_right = may_come(message, source, endpoint.node().id)
        && match message {
            Control::Deposited(segment) => resume::end_waits_for_deposits(endpoint, segment),
            Control::Arrived(name) => regions::note_arrival(endpoint, source, name),
            Control::Measure(at) => regions::measure(endpoint, at),
            Control::Measured => regions::note_measured(endpoint, source),
            Control::Enter => regions::enter(endpoint),
            Control::Returned => endpoint.world().search.note_returned(source.0 as usize),
            Control::Wave(wave) => {
                endpoint.node().ask(wave);
                true
            }
            Control::Reply(wave, reply) => {
                ending::note_reply(endpoint, source, wave, reply);
                true
            }
        };
    if !is_right {
        refuse(endpoint, source, message);
    }
    if message.is_work() {
        endpoint.gauge().count_handled(1);
    }
}

/// Whether a node may send a message to another: some come only from the keeper, and some go only there.
fn may_come(message: Control, source: NodeId, to: NodeId) -> bool {
    match message {
        Control::Deposited(_) => true,
        Control::Measure(_) | Control::Enter | Control::Wave(_) => source == KEEPER,
        Control::Arrived(_) | Control::Measured | Control::Returned | Control::Reply(..) => to == KEEPER,
    }
}

#[cold]
fn refuse(endpoint: &Endpoint, source: NodeId, message: Control) {
    let to = endpoint.node().id;
    endpoint.fail(format!(
        "the control message `{message}` from {source} to {to} is not to come, or not now: the process of {source} breaks the protocol"
    ));
}

#[cfg(test)]
mod tests {
    use tempest::world::SegmentId;

    use super::*;
    use crate::control::message::RegionName;
    use crate::parts::ending::Reply;

    #[test]
    fn the_keeper_asks_and_the_others_answer() {
        let (keeper, other) = (KEEPER, NodeId(1));
        let reply = Reply { sent: 0, handled: 0, idle_since: 0 };
        let asks = [Control::Measure(1), Control::Enter, Control::Wave(1)];
        let answers = [
            Control::Arrived(RegionName::of("solve")),
            Control::Measured,
            Control::Returned,
            Control::Reply(1, reply),
        ];
        for message in asks {
            assert!(may_come(message, keeper, other) && !may_come(message, other, keeper), "{message}");
        }
        for message in answers {
            assert!(!may_come(message, keeper, other) && may_come(message, other, keeper), "{message}");
        }
        assert!(may_come(Control::Deposited(SegmentId(0)), other, other));
    }
}
