//! The round trip of an active message without words, from a thread to a handler and back, on an idle machine, as a sum of
//! prices: every processor waits for the message, and nothing else goes on. A run adds costs that this sum leaves out:
//! empty polls, turns of loops, locks that migrate, and the resumption of the thread. This module must never run
//! anything.

use machine::{ByClass, Capability, Class, Cost, Machine, NetworkProcessor, Primitives};
use report::document::{Derived, Stage, Trip, Underived};
use report::quantity::duration;
use tempest::Policy;
use tempest::policy::{Injector, Server, Servers};
use units::Time;

use super::derived::time;

/// The round trip between neighbours under each policy, all of which the machine can run, or why there is none. In their
/// names the policies are written as in the list.
pub(super) fn derive(machine: &Machine, policies: &[String]) -> (Vec<Derived>, Vec<Trip>, Vec<Underived>) {
    let (mut derived, mut trips, mut underived) = (Vec::new(), Vec::new(), Vec::new());
    for policy in policies {
        let name = format!("round trip, {policy}");
        let parsed: Policy = policy.parse().expect("the machine can run it");
        match round_trip(&machine.under(parsed.preset()), &parsed) {
            Ok([there, back]) => {
                derived.push(time(name, there.time() + back.time(), said(&there, &back)));
                trips.push(Trip { policy: policy.clone(), there: there.stages(), back: back.stages() });
            }
            Err(reason) => underived.push(Underived { name, reason }),
        }
    }
    (derived, trips, underived)
}

/// The sum in words.
fn said(there: &Stages, back: &Stages) -> String {
    match there == back {
        true => format!("twice: {}", there.said()),
        false => format!("there: {}; back: {}", there.said(), back.said()),
    }
}

/// The way there and the way back.
fn round_trip(machine: &Machine, policy: &Policy) -> Result<[Stages; 2], String> {
    if policy.servers == Servers::Hardware {
        return Err(
            "a state machine keeps memory coherent, and nobody handles messages of programs".to_owned()
        );
    }
    let [there, back] = [Sender::Thread, Sender::Handler].map(|sender| Stages::of(machine, policy, sender));
    Ok([there?, back?])
}

/// The sender of a message: a thread, or the handler that answers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sender {
    Thread,
    Handler,
}

/// The stages of a message from one node to the other, in order.
#[derive(PartialEq, Eq)]
struct Stages(Vec<(&'static str, Time)>);

impl Stages {
    /// # Errors
    /// The primitive that has no price.
    fn of(machine: &Machine, policy: &Policy, sender: Sender) -> Result<Self, String> {
        let network = machine.network_processor.as_ref();
        // Whether the network processor runs the handlers of a program's messages itself.
        let serving = network.filter(|network| {
            policy.server(tempest::Class::User) == Server::Network && network.runs.contains(&Class::User)
        });
        // The prices of the processors inside the device, where they run the handlers.
        let inside = machine.embedded_processor.as_ref().map(|embedded| &embedded.primitives);
        let inside = inside.filter(|_| policy.servers == Servers::Embedded);
        let mut stages = Self(Vec::new());
        match (sender, serving, inside) {
            (Sender::Handler, Some(network), _) => {
                stages.add("np send_header", &network.primitives.send_header)?
            }
            (Sender::Handler, None, Some(inside)) => {
                stages.add("embedded send_header", &inside.send_header)?
            }
            _ => stages.leave(machine, policy, sender)?,
        }
        stages.0.push(("network", latency(machine)));
        stages.0.push(("bytes", bytes(machine)));
        stages.0.push(("interface visible", machine.interface.visible));
        match (serving, network) {
            (Some(network), _) => stages.receive(&network.primitives)?,
            (None, Some(network)) if is_assisted(policy) => stages.forward(machine, network)?,
            _ => {
                stages.0.push(("fetch", machine.processor.fetch));
                stages.receive(inside.unwrap_or(&machine.primitives))?;
            }
        }
        Ok(stages)
    }

    fn time(&self) -> Time {
        self.0.iter().map(|(_, time)| *time).sum()
    }

    fn stages(&self) -> Vec<Stage> {
        let stage =
            |(name, time): &(&str, Time)| Stage { name: (*name).to_owned(), time_ns: time.as_nanoseconds() };
        self.0.iter().map(stage).collect()
    }

    fn said(&self) -> String {
        let stages = self.0.iter().filter(|(_, time)| !time.is_zero());
        stages
            .map(|(what, time)| format!("{what} {}", duration(time.as_seconds())))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Into the network: by the processor that sends, or by way of another of its node.
    fn leave(&mut self, machine: &Machine, policy: &Policy, sender: Sender) -> Result<(), String> {
        let own = &machine.primitives;
        let for_itself = machine.can.contains(&Capability::SenderInjects);
        match (policy.injector, &machine.network_processor) {
            (Injector::Network, Some(network)) => {
                self.add("hand_over", &own.hand_over)?;
                self.visible(machine);
                self.add("np take", &network.primitives.take)?;
                self.add("np send_header", &network.primitives.send_header)
            }
            // Dedicated protocol processors send the messages of handlers.
            (Injector::Protocol, _) if sender == Sender::Thread && !for_itself => {
                match own.hand_over {
                    Some(_) => self.add("hand_over", &own.hand_over)?,
                    None => self.0.push(("hand_over (a store)", machine.processor.work.store)),
                }
                self.visible(machine);
                self.add("send_header", &own.send_header)
            }
            _ => self.add("send_header", &own.send_header),
        }
    }

    /// Adds the reception of a message by the processor that runs the handler.
    fn receive(&mut self, by: &Primitives) -> Result<(), String> {
        if by.extract.is_some() {
            self.add("extract", &by.extract)?;
        }
        self.add("dispatch", &by.dispatch)
    }

    /// Out of the network by the network processor, which hands it on.
    fn forward(&mut self, machine: &Machine, network: &NetworkProcessor) -> Result<(), String> {
        self.add("np extract", &network.primitives.extract)?;
        self.add("np hand_over", &network.primitives.hand_over)?;
        self.visible(machine);
        self.add("take", &machine.primitives.take)?;
        self.add("dispatch", &machine.primitives.dispatch)
    }

    fn visible(&mut self, machine: &Machine) {
        self.0.push(("visible", machine.handoff.as_ref().map_or(Time::ZERO, |handoff| handoff.visible)));
    }

    fn add(&mut self, what: &'static str, price: &Option<ByClass<Cost>>) -> Result<(), String> {
        let price = price.as_ref().ok_or_else(|| format!("the machine gives no price for {what}"))?;
        self.0.push((what, price.of(Class::User).path));
        Ok(())
    }
}

/// Whether messages come out of the network by the network processor, where there is one.
fn is_assisted(policy: &Policy) -> bool {
    policy.servers == Servers::Network || policy.injector == Injector::Network
}

/// Time of the bytes of a message without words, its header and the padding of its packet, through the slower of the
/// ports and the links.
fn bytes(machine: &Machine) -> Time {
    let port = machine.interface.bandwidth;
    let slowest = machine.network.routers.as_ref().map_or(port, |routers| port.min(routers.link));
    slowest.transfer_time(machine.interface.header + machine.interface.fill)
}

/// Between neighbours: on a grid they are a hop apart, elsewhere they share a switch.
fn latency(machine: &Machine) -> Time {
    let hop = machine.network.routers.as_ref().map_or(Time::ZERO, |routers| match routers.topology {
        machine::Topology::Crossbar | machine::Topology::FatTree { .. } => Time::ZERO,
        _ => routers.hop,
    });
    machine.network.latency + hop
}
