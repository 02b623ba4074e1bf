//! Acting on a control message that has arrived. This module must never know the program's messages, or which processor receives.

use tempest::NodeId;

use crate::control::message::Control;
use crate::control::{ending, regions};
use crate::link::resume;
use crate::parts::endpoint::Endpoint;

/// Acts on a control message from node `source`.
pub(crate) fn act(endpoint: &Endpoint, source: NodeId, message: Control) {
    match message {
        Control::Deposited(segment) => resume::end_waits_for_deposits(endpoint, segment),
        Control::Arrived(name) => regions::note_arrival(endpoint, name),
        Control::Measure(at) => regions::measure(endpoint, at),
        Control::Measured => regions::note_measured(endpoint),
        Control::Enter => regions::enter(endpoint),
        Control::Returned => endpoint.world().search.note_returned(),
        Control::Wave(wave) => endpoint.node().ask(wave),
        Control::Reply(wave, reply) => ending::note_reply(endpoint, source, wave, reply),
    }
    if message.is_work() {
        endpoint.gauge().count_handled(1);
    }
}
