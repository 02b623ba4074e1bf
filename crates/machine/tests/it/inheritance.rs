//! Files that extend others, and values that hold under a policy only.

use crate::toy::CORRECT;
use tradewind_machine::{Class, Cost, Errors, Known, Machine};
use units::Time;

/// Reads a file that extends `toy` or a machine out of `others`, each a name and a text.
fn read(text: &str, others: &[(&str, &str)], set: &[(&str, &str)]) -> Result<Machine, Errors> {
    let bases = |_: &str, name: &str| {
        let all = others.iter().chain([&("toy", CORRECT)]);
        let found = all.clone().find(|(known, _)| *known == name);
        let nearest = || all.map(|(known, _)| (*known).to_owned()).find(|known| known[..1] == name[..1]);
        found.map(|(_, text)| (format!("{name}.toml"), (*text).to_owned())).ok_or_else(nearest)
    };
    Machine::parse_with("mine.toml", text, set, Known { bases: &bases, ..Known::default() })
}

fn mine(text: &str) -> Machine {
    let text = format!("extends = \"toy\"\nname = \"mine\"\n{text}");
    read(&text, &[], &[]).unwrap_or_else(|errors| panic!("{errors}"))
}

fn refusal(text: &str, others: &[(&str, &str)]) -> String {
    read(text, others, &[]).expect_err("must be refused").to_string()
}

fn set_tag(machine: &Machine) -> Cost {
    machine.primitives.set_tag.expect("the toy has a price for it").of(Class::User)
}

fn ns(n: u64) -> Time {
    Time::from_nanoseconds(n)
}

#[test]
fn what_a_file_does_not_say_is_that_of_the_file_it_extends() {
    let machine = mine("[processor]\npoll = \"3 cycles\"\n[processor.work]\nflop = \"2 cycles\"\n");
    assert_eq!((machine.name.as_str(), machine.summary.as_str(), machine.nodes), ("mine", "a toy", 2));
    assert_eq!((machine.processor.poll, machine.processor.thread_switch), (ns(60), ns(200)));
    assert_eq!((machine.processor.work.flop, machine.processor.work.load), (ns(40), ns(20)));
}

#[test]
fn cycles_of_the_extended_file_are_those_of_the_new_clock() {
    assert_eq!(mine("[processor]\nclock = \"100 MHz\"\n").processor.thread_switch, ns(100));
}

#[test]
fn a_list_or_a_price_is_replaced_whole() {
    let machine = mine("can = [\"interrupt\"]\n[primitives]\ndispatch = { path = \"1 cycle\" }\n");
    assert_eq!(machine.can, [tradewind_machine::Capability::Interrupt]);
    let dispatch = machine.primitives.dispatch.unwrap().of(Class::Read);
    assert_eq!(dispatch, Cost { path: ns(20), ..Cost::default() });
}

#[test]
fn a_chain_is_followed_to_its_end() {
    let middle = "extends = \"toy\"\nname = \"middle\"\nnodes = 5\nprocessors = 3\n";
    let machine =
        read("extends = \"middle\"\nname = \"mine\"\nnodes = 6\n", &[("middle", middle)], &[]).unwrap();
    assert_eq!((machine.nodes, machine.processors, machine.queue.capacity), (6, 3, 8));
}

#[test]
fn a_value_says_which_file_it_stands_in() {
    let machine = mine("nodes = 7 # ours\n");
    let value = |key: &str| machine.values().iter().find(|value| value.key == key).unwrap();
    let place = |key: &str| (value(key).file.as_str(), value(key).line);
    assert_eq!(place("nodes"), ("mine.toml", Some(3)));
    assert_eq!(value("nodes").source.as_deref(), Some("ours"));
    assert_eq!(place("queue.capacity"), ("toy.toml", Some(30)));
}

#[test]
fn a_machine_is_what_it_comes_to_however_it_is_put_together() {
    let flat = CORRECT.replace("name = \"toy\"", "name = \"mine\"").replace("nodes = 2", "nodes = 3");
    let flat = Machine::parse("flat.toml", &flat).unwrap();
    assert_eq!(mine("nodes = 3\n").digest(), flat.digest());
    assert_ne!(mine("nodes = 4\n").digest(), flat.digest());
}

#[test]
fn mistakes_are_told_where_they_stand() {
    let broken = CORRECT.replace("window = 4", "window = 0");
    let text = "extends = \"broken\"\nname = \"mine\"\nnodes = 0\n[queue]\ncapacty = 3\n";
    assert_eq!(
        refusal(text, &[("broken", &broken)]).lines().collect::<Vec<_>>(),
        [
            "mine.toml:3: nodes = 0: expected a whole number from 1, such as 8",
            "mine.toml:5: queue.capacty = 3: expected a key of [queue]; did you mean \"capacity\"?",
            "broken.toml:29: queue.window = 0: expected a whole number from 1, such as 16, or \"unlimited\"",
        ]
    );
    // A key that only the extended file lacks to be a machine is missing there.
    let short = CORRECT.replace("capacity = 8\n", "");
    let told = refusal("extends = \"short\"\nname = \"mine\"\n", &[("short", &short)]);
    assert_eq!(told, "short.toml:28: queue.capacity is missing: expected a whole number from 1, such as 8");
}

#[test]
fn a_key_that_has_become_useless_in_the_extended_file_is_no_mistake() {
    let meshed = CORRECT.replace(
        "topology = \"constant\"",
        "topology = \"mesh\"\nhop = \"1 ns\"\nlink = \"1 GB/s\"\nbuffer = \"64 B\"",
    );
    let text = "extends = \"meshed\"\nname = \"mine\"\n[network]\ntopology = \"constant\"\n";
    assert!(read(text, &[("meshed", &meshed)], &[]).unwrap().network.routers.is_none());
}

#[test]
fn a_circle_is_told_with_both_its_places() {
    let told = refusal(
        "name = \"mine\"\nextends = \"other\"\n",
        &[("other", "extends = \"mine\"\n"), ("mine", "name = \"mine\"\nextends = \"other\"\n")],
    );
    assert_eq!(
        told,
        "other.toml:1: extends = \"mine\": expected a machine that does not extend this one in turn; \
         the circle is mine.toml:2 -> other.toml:1 -> mine.toml"
    );
}

#[test]
fn what_cannot_be_extended_is_told() {
    let told = refusal("extends = \"nobody\"\n", &[]);
    assert_eq!(
        told,
        "mine.toml:1: extends = \"nobody\": expected a machine that ships, or a file beside this one"
    );
    assert_eq!(
        refusal("extends = \"tuy\"\n", &[]),
        "mine.toml:1: extends = \"tuy\": expected a machine that ships (did you mean \"toy\"?), or a file beside this one"
    );
    assert!(
        refusal("extends = 3\n", &[]).starts_with("mine.toml:1: extends = 3: expected the name of a machine")
    );
    let told = refusal("extends = \"toy\"\n", &[]);
    assert_eq!(
        told,
        "mine.toml:1: name is missing: expected a name of its own, which no other machine has, such as name = \"mine\""
    );
}

#[test]
fn under_a_policy_its_own_values_hold_and_elsewhere_the_others() {
    let machine = mine("[policy.np.primitives]\nset_tag = { path = \"1 cycle\", wait = \"1 us\" } # slow\n");
    assert_eq!(set_tag(&machine).path, ns(100));
    let special = Cost { path: ns(20), wait: ns(1_000), ..Cost::default() };
    assert_eq!(set_tag(&machine.under("np")), special);
    assert_eq!(machine.under("np").primitives.dispatch, machine.primitives.dispatch);
    assert_eq!(machine.under("proc"), machine);
    assert_eq!(machine.policies().collect::<Vec<_>>(), ["np"]);
    let value =
        machine.values().iter().find(|value| value.key == "policy.np.primitives.set_tag.wait").unwrap();
    assert_eq!((value.line, value.source.as_deref()), (Some(4), Some("slow")));
    assert_ne!(machine.digest(), mine("").digest());
}

#[test]
fn an_own_value_goes_before_an_extended_one_and_a_policys_before_both() {
    let middle =
        "extends = \"toy\"\nname = \"middle\"\n[policy.np.queue]\ncapacity = 20\n[queue]\ncapacity = 10\n";
    let text = "extends = \"middle\"\nname = \"mine\"\n[queue]\ncapacity = 40\n";
    let capacities = |set: &[(&str, &str)]| {
        let machine = read(text, &[("middle", middle)], set).unwrap();
        (machine.queue.capacity, machine.under("np").queue.capacity)
    };
    assert_eq!(capacities(&[]), (40, 20));
    assert_eq!(capacities(&[("queue.capacity", "50")]), (50, 50));
    assert_eq!(capacities(&[("policy.np.queue.capacity", "60"), ("queue.capacity", "50")]), (50, 60));
    assert_eq!(capacities(&[("policy.proc.queue.capacity", "60")]), (40, 20));
}

#[test]
fn what_a_machine_is_cannot_differ_by_policy() {
    let text = "extends = \"toy\"\nname = \"mine\"\n[policy.np]\nnodes = 3\n[policy]\nproc = 3\n";
    assert_eq!(
        refusal(text, &[]).lines().collect::<Vec<_>>(),
        [
            "mine.toml:4: policy.np.nodes = 3: expected nothing here: it is the same under all policies",
            "mine.toml:6: policy.proc = 3: expected a section [policy.proc]",
        ]
    );
    let told = read(CORRECT, &[], &[("policy.np.nodes", "3")]).expect_err("must be refused").to_string();
    assert!(told.starts_with("--set policy.np.nodes = \"3\": expected a key of the machine file"), "{told}");
}
