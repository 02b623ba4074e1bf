//! A user's own machine: a file that extends a shipped one, and the effect of its changes.
//!
//! ```text
//! cargo run --example own_machine                     # what differs, and what it is worth
//! cargo run --example own_machine explain crates/tradewind/examples/own-machine.toml
//! cargo run --example own_machine compare histogram --machine paragon,crates/tradewind/examples/own-machine.toml
//! ```

#![allow(clippy::print_stdout)]

use std::env;
use std::process::ExitCode;

use tradewind::tempest::entry;
use tradewind::worlds::{Error, Run, Target};
use tradewind::{apps, machines};

/// The file. `machines::load` reads one from a path.
const FILE: &str = include_str!("own-machine.toml");

/// Prints the values in which the two machines differ, and a program's time on each.
fn show() -> Result<(), Error> {
    let shipped = machines::get("paragon")?;
    let own = machines::parse("own-machine.toml", FILE, &[])?;
    println!("{}: {}", own.name, own.summary);
    for value in own.values().iter().filter(|value| value.file == "own-machine.toml") {
        let before = shipped.values().iter().find(|other| other.key == value.key);
        println!("  {} = {}, was {}", value.key, value.text, before.map_or("nothing", |before| &before.text));
    }
    let histogram = entry::find("histogram", apps::ALL).expect("an application");
    for machine in [shipped, own] {
        let name = machine.name.clone();
        let outcome = Run::of(histogram).on(Target::from(machine)).nodes(4).input("values", "500").run()?;
        assert!(outcome.report.verified(), "{:?}", outcome.report.failures);
        println!("histogram on {name}: {}", outcome.timed());
    }
    Ok(())
}

fn main() -> ExitCode {
    if env::args().len() > 1 {
        return tradewind::main(apps::ALL);
    }
    match show() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}
