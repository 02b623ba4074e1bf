//! A policy, its parts, and the table of named policies.
//!
//! This module must never know how the text of a policy is read.

use std::fmt;

use units::Time;

use super::service::{Server, Stated};
use crate::Class;

/// The time that an event waits before a helper runs its handler, if the option `+helper` gives no time.
pub(super) const HELPER_WAITS: Time = Time::from_nanoseconds(50_000);

/// The processors that run handlers: the main part of a [`Policy`]. `count` is [`Policy::count`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Servers {
    /// The node computes on one processor, which runs handlers too, when its threads poll and when they wait. Other processors of the
    /// node have no work.
    Alone,
    /// Any computing processor runs handlers when it is idle, and at polls on loop back-edges, whose order [`Turns`] sets. The node
    /// need not have a dispatch queue that processors share.
    Compute,
    /// `count` of the node's own processors run handlers and nothing else; the remaining ones run threads.
    Taken,
    /// `count` processors added to the node's own run handlers and nothing else; the node's own processors run threads.
    Added,
    /// Any computing processor runs handlers when it is idle, and at polls on loop back-edges, whose order [`Turns`]
    /// sets.
    Idle,
    /// The network processors run handlers. Any computing processor runs the handlers that they cannot run.
    Network,
    /// A computing processor or a network processor runs a handler, whichever finds the message first.
    Either,
    /// `count` processors embedded in a device on the memory bus run handlers.
    Embedded,
    /// A hardware state machine runs handlers.
    Hardware,
    /// Any computing processor runs handlers when it is idle, as under `Idle`, until measurements show that a dedicated
    /// processor pays. The world dedicates and releases processors while the program runs.
    Adaptive,
}

impl Servers {
    /// The server of every class of events under this arrangement, where the policy states no other.
    const fn server(self) -> Server {
        match self {
            Self::Alone | Self::Compute | Self::Idle | Self::Adaptive => Server::Computing,
            Self::Taken | Self::Added | Self::Embedded => Server::Dedicated,
            Self::Network => Server::Network,
            Self::Either => Server::Either,
            Self::Hardware => Server::Hardware,
        }
    }
}

/// The order in which a node hands its events to processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dispatch {
    /// Events of a node run one at a time, in order of arrival.
    Serial,
    /// Events of different keys run in parallel, events of equal keys one at a time.
    Keyed,
    /// Events of different keys run in parallel, and each key is bound to one processor.
    Partitioned,
}

/// The way in which a processor notices an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notice {
    /// The processor looks for events at loop back-edges and when it is idle.
    Poll,
    /// An interrupt tells the processor of an event.
    Interrupt,
    /// The processor looks for events. It is interrupted only when every processor of the node computes.
    InterruptWhenBusy,
}

/// The processor or device that puts a node's messages into the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Injector {
    /// The processor that sends the message. Where several processors may inject, the sending processor holds the
    /// interface's lock while it injects.
    Sender,
    /// The protocol processor, which runs handlers. The sending processor hands the message to it.
    Protocol,
    /// The network processor, which takes messages from its queue; on a machine without a network processor the sending
    /// processor.
    Network,
    /// The interface device, which takes messages from any processor.
    Device,
}

/// The order in which the computing processors of a node look for events. One processor looks at a time, round robin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turns {
    /// Idle processors come first. A processor that runs a thread has a turn only if none is idle.
    IdleFirst,
    /// Every processor has its turn. A processor that runs a thread keeps its turn until its next poll, and the other
    /// processors wait for it.
    Strict,
    /// Every processor has its turn. A processor whose thread has faulted, and whose fault no handler has accepted yet,
    /// comes before the processors that run threads. An idle processor without a fault waits for the processors that
    /// run threads.
    Waiting,
}

/// A policy: the processors of each node that run handlers, the way in which they notice and dispatch events, and the
/// processor that injects messages into the network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    pub(super) preset: &'static Preset,
    /// The number of processors that [`Servers::Taken`], `Added` or `Embedded` dedicates; 0 for other
    /// servers.
    pub count: u32,
    /// The processors that run handlers.
    pub servers: Servers,
    /// The order in which a node hands waiting events to processors.
    pub dispatch: Dispatch,
    /// The way in which the processors that run handlers notice events.
    pub notice: Notice,
    /// The processor that injects the node's messages into the network.
    pub injector: Injector,
    /// The number of loop back-edges between two polls of a computing processor; 0 for a processor that never polls.
    /// `None` leaves the number to the world ([`poll_interval`](Self::poll_interval)).
    pub poll_every: Option<u32>,
    /// The order in which processors look for events under [`Servers::Idle`].
    pub turns: Turns,
    /// Whether each thread stays on the processor where it began, even where the processors of a node could share
    /// threads.
    pub bound: bool,
    /// The time that an event waits for a processor before a helper of the node runs the event's handler; `None` for no
    /// helper. A helper is an extra OS thread, not a processor of the node.
    pub helper: Option<Time>,
    /// The classes of messages whose server the policy states apart from `servers`.
    pub(super) stated: Stated,
}

/// A named policy, such as `fixed`, without its count and options.
#[derive(PartialEq, Eq, Debug)]
pub struct Preset {
    /// The preset's name on the command line.
    pub name: &'static str,
    /// A description of the policy in one line.
    pub summary: &'static str,
    /// Whether the preset's name is followed by `:COUNT`, the number of processors that run handlers.
    pub counted: bool,
    pub(super) servers: Servers,
    pub(super) dispatch: Dispatch,
    pub(super) notice: Notice,
    pub(super) injector: Injector,
    polls: bool,
}

const fn preset(name: &'static str, summary: &'static str, servers: Servers, injector: Injector) -> Preset {
    let counted = matches!(servers, Servers::Taken | Servers::Added | Servers::Embedded);
    Preset {
        name,
        summary,
        counted,
        servers,
        injector,
        dispatch: Dispatch::Serial,
        notice: Notice::Poll,
        polls: matches!(
            servers,
            Servers::Alone | Servers::Compute | Servers::Idle | Servers::Either | Servers::Adaptive
        ),
    }
}

impl Preset {
    const fn dispatch(self, dispatch: Dispatch) -> Self {
        Self { dispatch, ..self }
    }
    const fn notice(self, notice: Notice) -> Self {
        Self { notice, ..self }
    }
}

/// All named policies.
pub static PRESETS: &[Preset] = &[
    preset(
        "single",
        "one computing processor per node, which also runs the handlers; other processors have no work",
        Servers::Alone,
        Injector::Sender,
    ),
    preset(
        "fixed",
        "COUNT of the node's processors run handlers and nothing else",
        Servers::Taken,
        Injector::Protocol,
    ),
    preset(
        "floating",
        "whichever processor is idle; busy ones pass a polling token round",
        Servers::Idle,
        Injector::Sender,
    ),
    preset(
        "partitioned",
        "as fixed, but each key is bound to one of the COUNT processors",
        Servers::Taken,
        Injector::Protocol,
    )
    .dispatch(Dispatch::Partitioned),
    preset(
        "proc",
        "computing processors run handlers; network processors, if any, move messages between queues and network",
        Servers::Compute,
        Injector::Network,
    ),
    preset(
        "np",
        "network processors inject and run the handlers that they can",
        Servers::Network,
        Injector::Network,
    ),
    preset(
        "inject",
        "computing processors inject, network processors run the handlers that they can",
        Servers::Network,
        Injector::Sender,
    ),
    preset(
        "receive",
        "computing processors inject; they or network processors run handlers",
        Servers::Either,
        Injector::Sender,
    ),
    preset(
        "hurricane",
        "COUNT processors embedded in the interface device",
        Servers::Embedded,
        Injector::Device,
    )
    .dispatch(Dispatch::Keyed),
    preset(
        "hurricane-1",
        "COUNT processors added to the node, dispatched through a cachable register",
        Servers::Added,
        Injector::Device,
    )
    .dispatch(Dispatch::Keyed),
    preset(
        "hurricane-1-mult",
        "idle processors; interrupts go round only when all compute",
        Servers::Idle,
        Injector::Device,
    )
    .dispatch(Dispatch::Keyed)
    .notice(Notice::InterruptWhenBusy),
    preset("s-coma", "a hardware state machine", Servers::Hardware, Injector::Device),
    preset(
        "adaptive",
        "starts floating; dedicates processors as measured utilization says",
        Servers::Adaptive,
        Injector::Sender,
    )
    .dispatch(Dispatch::Keyed),
];

impl Policy {
    /// The name of the [`Preset`] that this policy started from, such as `floating`.
    pub fn preset(&self) -> &'static str {
        self.preset.name
    }

    /// The capabilities that the policy needs of a machine, in the words of the `can` lists of machine files.
    pub fn needs(&self) -> Vec<&'static str> {
        let mut needs = Vec::new();
        needs.push(match self.servers {
            Servers::Alone | Servers::Compute | Servers::Idle => "poll",
            Servers::Taken => "dedicated-processors",
            Servers::Added => "added-processors",
            Servers::Network | Servers::Either => "network-processor",
            Servers::Embedded => "embedded-processors",
            Servers::Hardware => "hardware-protocol",
            Servers::Adaptive => "adaptive-dedication",
        });
        if self.dispatch != Dispatch::Serial {
            needs.push("keyed-dispatch");
        }
        if self.notice != Notice::Poll {
            needs.push("interrupt");
        }
        if self.turns != Turns::IdleFirst {
            needs.push("poll-turns");
        }
        if self.helper.is_some() {
            needs.push("helper-thread");
        }
        if self.stated.has(Server::Network) && !needs.contains(&"network-processor") {
            needs.push("network-processor");
        }
        match self.injector {
            // A state machine needs no register in which its next event appears.
            Injector::Device if self.servers != Servers::Hardware => needs.push("dispatch-register"),
            Injector::Network => needs.push("network-queue"),
            Injector::Sender | Injector::Protocol | Injector::Device => {}
        }
        needs
    }

    /// The number of loop back-edges between two polls of a computing processor; 0 for a processor that never polls.
    /// `usual` is the world's number where the policy states none and its processors poll.
    pub fn poll_interval(&self, usual: u32) -> u32 {
        let looks = self.preset.polls && self.notice != Notice::Interrupt;
        self.poll_every.unwrap_or(if looks { usual } else { 0 })
    }

    /// Returns the processors that run the handlers of messages of `class`, on a node that has every kind of processor.
    /// No other function may make this choice.
    pub fn server(&self, class: Class) -> Server {
        self.stated.of(class).unwrap_or(self.servers.server())
    }

    fn options(&self) -> Vec<String> {
        let preset = self.preset;
        let mut options = Vec::new();
        if self.dispatch != default_dispatch(preset, self.count) {
            options.push(if self.dispatch == Dispatch::Serial { "serial" } else { "keyed" }.to_owned());
        }
        if self.notice != preset.notice {
            options.push(if self.notice == Notice::Poll { "poll" } else { "interrupt" }.to_owned());
        }
        if let Some(every) = self.poll_every {
            options.push(format!("every={every}"));
        }
        match self.turns {
            Turns::IdleFirst => {}
            Turns::Strict => options.push("strict".to_owned()),
            Turns::Waiting => options.push("waiting".to_owned()),
        }
        if self.bound {
            options.push("bound".to_owned());
        }
        match self.helper {
            None => {}
            Some(HELPER_WAITS) => options.push("helper".to_owned()),
            Some(time) => options.push(format!("helper={}", time.to_string().replace(' ', ""))),
        }
        options.extend(self.stated.options());
        options
    }
}

/// The numbers of processors of a node that compute and that do not. It displays as `6+2`, or `6` if all compute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    /// Number of processors that run program threads.
    pub computing: u32,
    /// Number of processors that run handlers, or move messages, and run no threads.
    pub dedicated: u32,
}

impl Split {
    /// The number of all processors of the node.
    pub fn all(self) -> u32 {
        self.computing.saturating_add(self.dedicated)
    }

    /// The text of this split on a node of `processors` processors. It is `1 of 8` where processors of the node have no work.
    pub fn out_of(self, processors: u32) -> String {
        let idle = self.all() < processors;
        if idle { format!("{self} of {processors}") } else { self.to_string() }
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { computing, dedicated: 0 } => write!(f, "{computing}"),
            Self { computing, dedicated } => write!(f, "{computing}+{dedicated}"),
        }
    }
}

/// Returns the dispatch order of a preset with `count` dedicated processors. Serial order becomes dispatch by key if
/// several of the node's own processors are dedicated: a single one would gain nothing from keys. Otherwise the
/// preset's own order stays.
pub(super) fn default_dispatch(preset: &Preset, count: u32) -> Dispatch {
    match preset.servers {
        Servers::Taken if preset.dispatch == Dispatch::Serial && count > 1 => Dispatch::Keyed,
        _ => preset.dispatch,
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.preset.name)?;
        if self.preset.counted {
            write!(f, ":{}", self.count)?;
        }
        self.options().into_iter().try_for_each(|option| write!(f, "+{option}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_read_back_as_it_is_written() {
        for preset in PRESETS {
            let policy: Policy = preset.name.parse().unwrap();
            assert_eq!(policy.to_string().parse(), Ok(policy));
        }
        for text in [
            "fixed:2",
            "fixed:3+serial",
            "single+interrupt",
            "floating+keyed+every=16",
            "floating+strict+bound",
            "floating+waiting",
            "single+helper",
            "floating+helper=20us",
        ] {
            assert_eq!(text.parse::<Policy>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_split_says_that_processors_of_the_node_have_no_work() {
        let text = |computing, dedicated| Split { computing, dedicated }.out_of(8);
        assert_eq!([text(1, 0), text(6, 2), text(8, 16)], ["1 of 8", "6+2", "8+16"]);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_what_can() {
        for (text, says) in [
            ("fixd", "unknown policy `fixd`"),
            ("single:2", "takes no count"),
            ("fixed:0", "from 1 to 64"),
            ("fixed:x", "from 1 to 64"),
            ("floating+quickly", "+serial, +keyed"),
            ("fixed:2+strict", "`fixed:2+strict`: only idle processors take turns"),
            ("fixed:2+waiting", "`fixed:2+waiting`: only idle processors take turns"),
            ("fixed:1+helper", "for computing processors that poll"),
            ("single+helper=soon", "`+helper=soon`"),
            ("floating+every=some", "number of back-edges"),
        ] {
            let error = text.parse::<Policy>().unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn processors_poll_as_often_as_usual_unless_told_or_told_of() {
        for (text, interval) in [
            ("floating", 128),
            ("floating+every=1", 1),
            ("single+every=0", 0),
            ("single+interrupt", 0),
            ("fixed", 0),
        ] {
            assert_eq!(text.parse::<Policy>().unwrap().poll_interval(128), interval, "{text}");
        }
    }

    #[test]
    fn several_dedicated_processors_dispatch_by_key() {
        assert_eq!("fixed:1".parse::<Policy>().unwrap().dispatch, Dispatch::Serial);
        assert_eq!("fixed:2".parse::<Policy>().unwrap().dispatch, Dispatch::Keyed);
    }

    fn policy(text: &str) -> Policy {
        text.parse().unwrap()
    }

    #[test]
    fn every_class_has_the_server_of_the_arrangement_unless_stated() {
        for (text, server) in [
            ("single", Server::Computing),
            ("fixed:2", Server::Dedicated),
            ("np", Server::Network),
            ("receive", Server::Either),
            ("s-coma", Server::Hardware),
        ] {
            for class in Class::ALL {
                assert_eq!(policy(text).server(class), server, "{text}");
            }
        }
        let np = policy("np+serve=atomic:computing");
        assert_eq!((np.server(Class::Atomic), np.server(Class::User)), (Server::Computing, Server::Network));
        assert_eq!(policy("proc+serve=bulk:network").server(Class::Bulk), Server::Network);
    }

    #[test]
    fn statements_are_written_back_in_the_order_of_classes() {
        let text = "np+serve=read:computing+serve=bulk:computing";
        assert_eq!(policy("np+serve=bulk:computing+serve=read:computing").to_string(), text);
        for text in ["np+serve=atoms:computing", "np+serve=atomic:nobody", "np+serve=atomic"] {
            assert!(
                text.parse::<Policy>().unwrap_err().to_string().contains("expected CLASS:SERVER"),
                "{text}"
            );
        }
    }
}
