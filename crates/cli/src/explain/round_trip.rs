//! What an active message with no words takes there and back on an idle machine, as a sum of prices: every processor
//! waits for it, nothing else goes on, and nobody looks too late. A run adds what this leaves out: polls that find
//! nothing, turns of loops, locks that migrate.

use machine::{ByClass, Class, Cost, Machine, NetworkProcessor, Primitives};
use tempest::Policy;
use units::Time;

use super::derived::Derived;

/// Policies whose way of a message is known here.
const KNOWN: [&str; 6] = ["single", "floating", "proc", "np", "inject", "receive"];

/// The round trip between neighbours, under the policy named, or under each that the machine can run.
pub(super) fn derive(machine: &Machine, policy: Option<&Policy>) -> Vec<Derived> {
    let can: Vec<_> = machine.can.iter().map(|capability| capability.name()).collect();
    let asked = |name: &&str| policy.is_none_or(|policy| policy.preset() == *name);
    let able =
        |name: &&str| name.parse().is_ok_and(|policy: Policy| policy.check(&machine.name, &can).is_ok());
    KNOWN.into_iter().filter(asked).filter(able).filter_map(|name| one(&machine.under(name), name)).collect()
}

/// `None` where something on the way has no price.
fn one(machine: &Machine, policy: &str) -> Option<Derived> {
    let way = Way::of(machine, policy)?;
    let one_way: Time = way.0.iter().map(|(_, time)| *time).sum();
    let said: Vec<_> = way.0.iter().filter(|(_, time)| !time.is_zero()).collect();
    let said: Vec<_> = said.iter().map(|(what, time)| format!("{what} {time}")).collect();
    let from = format!("twice: {}", said.join(", "));
    Some(Derived::time(format!("round trip, {policy}"), one_way + one_way, from))
}

/// The stages of one way, in order.
struct Way(Vec<(&'static str, Time)>);

impl Way {
    fn of(machine: &Machine, policy: &str) -> Option<Self> {
        let (own, network) = (&machine.primitives, machine.network_processor.as_ref());
        let mut way = Self(Vec::new());
        let assisted = network.filter(|_| matches!(policy, "proc" | "np"));
        way.leave(machine, own, assisted)?;
        way.0.push(("network", latency(machine)));
        let handles = |network: &&NetworkProcessor| network.runs.contains(&Class::User);
        match (policy, network) {
            ("np" | "inject", Some(network)) if handles(&network) => way.receive(&network.primitives)?,
            ("proc" | "np" | "inject", Some(network)) => way.forward(machine, network)?,
            _ => {
                way.0.push(("fetch", machine.processor.fetch));
                way.receive(own)?;
            }
        }
        Some(way)
    }

    /// Into the network: by the processor that sends, or by way of the network processor.
    fn leave(&mut self, machine: &Machine, own: &Primitives, by: Option<&NetworkProcessor>) -> Option<()> {
        let Some(network) = by else { return self.add("send_header", &own.send_header) };
        self.add("hand_over", &own.hand_over)?;
        self.visible(machine);
        self.add("np take", &network.primitives.take)?;
        self.add("np send_header", &network.primitives.send_header)
    }

    /// Out of the network, by whoever runs the handler.
    fn receive(&mut self, by: &Primitives) -> Option<()> {
        if by.extract.is_some() {
            self.add("extract", &by.extract)?;
        }
        self.add("dispatch", &by.dispatch)
    }

    /// Out of the network by the network processor, which hands it on.
    fn forward(&mut self, machine: &Machine, network: &NetworkProcessor) -> Option<()> {
        self.add("np extract", &network.primitives.extract)?;
        self.add("np hand_over", &network.primitives.hand_over)?;
        self.visible(machine);
        self.add("take", &machine.primitives.take)?;
        self.add("dispatch", &machine.primitives.dispatch)
    }

    fn visible(&mut self, machine: &Machine) {
        self.0.push(("visible", machine.handoff.as_ref().map_or(Time::ZERO, |handoff| handoff.visible)));
    }

    fn add(&mut self, what: &'static str, price: &Option<ByClass<Cost>>) -> Option<()> {
        self.0.push((what, price.as_ref()?.of(Class::User).path));
        Some(())
    }
}

/// Between neighbours: on a grid they are a hop apart, elsewhere they share a switch.
fn latency(machine: &Machine) -> Time {
    let hop = machine.network.routers.as_ref().map_or(Time::ZERO, |routers| match routers.topology {
        machine::Topology::Crossbar | machine::Topology::FatTree { .. } => Time::ZERO,
        _ => routers.hop,
    });
    machine.network.latency + hop
}
