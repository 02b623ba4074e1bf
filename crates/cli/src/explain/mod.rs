//! `tradewind explain`: every value of a machine, where it comes from, and what follows from it.
//!
//! | module | what it does |
//! |---|---|
//! | `derived` | what follows from the values alone |
//! | `round_trip` | what a message takes on an idle machine, as a sum of prices |
//! | `abilities` | which policies and mechanisms the machine can run |
//! | `text`, `json` | how all that looks |

mod abilities;
mod derived;
mod json;
mod round_trip;
mod text;

use std::io::Write;
use std::process::ExitCode;

use machine::{Machine, Value};
use tempest::Policy;
use worlds::{NATIVE, Target};

use self::abilities::Abilities;
use self::derived::{Derived, Underived};
use crate::arguments::Explain;
use crate::names::policies;
use crate::page::Page;
use crate::target::settings;
use crate::{Problem, both, numbers};

/// All there is to say about a machine.
struct Explanation {
    machine: Machine,
    /// The digest of the whole file, whatever the policy.
    digest: u64,
    /// Under this policy, if one was named.
    policy: Option<Policy>,
    /// What to call its file.
    file: String,
    derived: Vec<Derived>,
    underived: Vec<Underived>,
    abilities: Abilities,
    /// Why the machine cannot run the policy that was named, if it cannot.
    refusal: Option<String>,
}

impl Explanation {
    /// The values that hold: all of them, or under the policy that was named.
    fn values(&self) -> impl Iterator<Item = &Value> {
        let named = self.policy.as_ref().map(Policy::preset);
        let holds = move |value: &&Value| {
            named.is_none() || place(value).0.is_none_or(|policy| Some(policy) == named)
        };
        self.machine.values().iter().filter(holds)
    }
}

/// Explains a machine.
pub(crate) fn explain(arguments: &Explain, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let (set, mistakes) = settings(&arguments.settings);
    let asked: Vec<_> = arguments.policy.iter().cloned().collect();
    let (target, ((policy, ()), width)) = both(
        Target::find(&arguments.machine, &set).map_err(Problem::from),
        both(both(policies(&asked), mistakes), numbers::width(arguments.width.as_deref())),
    )?;
    let Target::Model { machine, .. } = &target else {
        return Err(Problem::wrong(format!(
            "machine `{NATIVE}` is this host and has no values to explain; expected a model, such as `tradewind calibrate` writes of it, or \
             one of `tradewind list machines`"
        )));
    };
    let policy = policy.into_iter().next();
    let under = policy.as_ref().map_or_else(|| (**machine).clone(), |policy| machine.under(policy.preset()));
    let abilities = Abilities::of(&target);
    let refusal = policy.as_ref().and_then(|policy| abilities::refusal(&target, policy));
    let asked = match &policy {
        None => abilities.policies.iter().map(|name| (*name).to_owned()).collect(),
        Some(policy) if refusal.is_none() => vec![policy.to_string()],
        Some(_) => Vec::new(),
    };
    let (trips, underived) = round_trip::derive(&under, &asked);
    let mut derived = derived::derive(&under);
    derived.extend(trips);
    // A machine gives its name itself, whatever it extends.
    let named = machine.values().iter().find(|value| value.key == "name");
    let explanation = Explanation {
        digest: machine.digest(),
        file: named.map(|value| value.file.clone()).unwrap_or_default(),
        derived,
        underived,
        abilities,
        refusal,
        machine: under,
        policy,
    };
    match arguments.json {
        true => json::write(out, &explanation)?,
        false => text::write(out, &Page::find(width), &explanation)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The policy that a value holds under, if it does under one only; its section; its key in there.
fn place(value: &Value) -> (Option<&str>, &str, &str) {
    let (policy, key) = match value.key.strip_prefix("policy.").and_then(|rest| rest.split_once('.')) {
        Some((policy, key)) => (Some(policy), key),
        None => (None, value.key.as_str()),
    };
    // A price has parts, and is no section of its own.
    const PRICES: &str = "primitives.";
    let split = match key.find(PRICES) {
        Some(at) => Some(at + PRICES.len() - 1),
        None => key.rfind('.'),
    };
    match split {
        Some(at) => (policy, &key[..at], &key[at + 1..]),
        None => (policy, "", key),
    }
}
