//! The prices that a run needs: the charges of the simulator itself under a policy, and the charges that the program's
//! protocols declare. A run whose machine lacks a needed price is refused before it starts.
//!
//! A price that only some runs would charge counts as needed: a message may have words, a handler may resume a
//! thread. This module must never know an instant.

use machine::{Class, Machine};
use tempest::message::Charger;
use tempest::policy::{Injector, Notice, Server, Servers};
use tempest::world::Charge;
use tempest::{Mechanism, Policy, Primitive};

use crate::dispatch::network_processors;
use crate::dispatch::service::Service;
use crate::link::cargo::class;
use crate::prices::{List, PriceLists};
use crate::setting::has_staging;

/// The parts of a run that its prices depend on. The machine and the policy are as the run uses them.
pub(crate) struct Needs<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) policy: &'a Policy,
    pub(crate) mechanism: Mechanism,
    /// The primitives that the program's protocols may charge.
    pub(crate) charges: &'a [Charge],
}

impl Needs<'_> {
    /// The keys of the prices that the machine file lacks, each once.
    pub(crate) fn missing(&self) -> Vec<String> {
        let lists = PriceLists::new(self.machine);
        let mut needed = Vec::new();
        self.own(&mut needed);
        for charge in self.charges {
            for list in self.charged_to(charge.by) {
                needed.push((list, charge.primitive));
            }
        }
        let mut missing: Vec<String> = Vec::new();
        let others = self.others().into_iter().filter_map(|(list, name)| lists.lacks_other(list, name));
        for key in
            needed.into_iter().filter_map(|(list, primitive)| lists.lacks(list, primitive)).chain(others)
        {
            if !missing.contains(&key) {
                missing.push(key);
            }
        }
        missing
    }

    fn assisted(&self) -> bool {
        network_processors(self.machine, self.policy) > 0
    }

    /// Whether network processors run the handlers of a class.
    fn network_runs(&self, class: Class) -> bool {
        self.assisted() && Service::of(self.machine, self.policy).network_runs(class)
    }

    /// The price lists of processors other than network processors that run handlers.
    fn handlers(&self) -> List {
        match self.policy.servers {
            Servers::Embedded | Servers::Hardware => List::Embedded,
            _ => List::General,
        }
    }

    /// The price lists that a part of a protocol is charged to.
    fn charged_to(&self, by: Charger) -> Vec<List> {
        match by {
            Charger::Threads => vec![List::General],
            Charger::HandlersOf(of) if self.network_runs(class(of)) => match self.policy.server(of) {
                Server::Either => vec![List::Network, List::General],
                _ => vec![List::Network],
            },
            Charger::HandlersOf(_) => vec![self.handlers()],
        }
    }

    /// The primitives that the simulator charges by itself.
    fn own(&self, needed: &mut Vec<(List, Primitive)>) {
        let mut need = |list, primitives: &[Primitive]| {
            needed.extend(primitives.iter().map(|primitive| (list, *primitive)));
        };
        let (assisted, shares) = (self.assisted(), self.policy.servers == Servers::Either);
        // An interface with a staging buffer takes a deposit by a command too.
        let deposits = self.mechanism == Mechanism::Deposit && has_staging(self.machine);
        let commands = deposits || self.mechanism == Mechanism::Bulk;
        let network_injects = assisted && self.policy.injector == Injector::Network;
        let injector = if network_injects { List::Network } else { List::General };
        need(injector, &[Primitive::SendHeader, Primitive::SendWord]);
        if commands {
            need(injector, &[Primitive::StartTransfer]);
        }
        need(List::General, &[Primitive::Resume]);
        if !assisted || shares {
            need(self.handlers(), &[Primitive::Dispatch]);
        }
        if assisted {
            need(List::Network, &[Primitive::Extract, Primitive::HandOver]);
            need(List::General, &[Primitive::Take]);
            if [Class::User, Class::Read, Class::Bulk].into_iter().any(|class| self.network_runs(class)) {
                need(List::Network, &[Primitive::SendHeader, Primitive::SendWord, Primitive::Resume]);
            }
            if commands && self.network_runs(Class::Bulk) {
                need(List::Network, &[Primitive::StartTransfer]);
            }
        }
        if network_injects {
            need(List::Network, &[Primitive::Take]);
        }
        if self.mechanism == Mechanism::SharedMemory {
            need(List::General, &[Primitive::DetectMiss]);
            need(self.handlers(), &[Primitive::DispatchFault, Primitive::Resume]);
        }
    }

    /// The charges of the simulator that are no primitives, by their keys.
    fn others(&self) -> Vec<(List, &'static str)> {
        let mut others = Vec::new();
        if !self.assisted() || self.policy.servers == Servers::Either {
            others.push((self.handlers(), "receive_word"));
        }
        if self.policy.notice == Notice::InterruptWhenBusy && self.policy.injector == Injector::Device {
            others.push((List::General, "report_computing"));
        }
        others
    }
}
