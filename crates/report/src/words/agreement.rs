//! Whether machines rank alike, in a sentence. This module must never compare anything itself.

use compare::Agreement;
use compare::agreement::{Choice, CommonBest, Extent, Name};

use super::label;
use crate::quantity::list;

/// An agreement in words.
pub fn agreement(agreement: &Agreement) -> String {
    let crowded = names(&agreement.crowded);
    let [all, each] = machines(agreement);
    let said = match serving(agreement, &all, &each) {
        _ if agreement.compared.len() < 2 && !agreement.crowded.is_empty() => {
            return format!(
                "no word on whether machines agree: on {crowded} processors took turns, and times mean little."
            );
        }
        None => match agreement.choices.first() {
            Some(Choice { way, .. }) => format!(
                "nothing but {} under {} ran on {all}: there is nothing to choose.",
                way.mechanism, way.policy
            ),
            None => format!("{} have nothing in common to be compared.", names(&agreement.compared)),
        },
        Some(said) => match agreement.extent {
            Extent::All => format!("{said}."),
            Extent::SomePolicies => format!("of the policies that {all} can run, {said}."),
            Extent::SomeMechanisms => format!("of what {all} can run, {said}."),
        },
    };
    match (agreement.crowded.is_empty(), agreement.partly_crowded) {
        (true, false) => said,
        (true, true) => format!("{said} Where processors took turns nothing is compared."),
        (false, _) => format!("{said} Nothing is said of {crowded}: processors took turns."),
    }
}

fn name(name: &Name) -> String {
    label(&name.machine, name.file.as_deref())
}

fn names(names: &[Name]) -> String {
    list(&names.iter().map(name).collect::<Vec<_>>())
}

/// The machines as they are called at first, and later.
fn machines(agreement: &Agreement) -> [String; 2] {
    let names = list(&agreement.choices.iter().map(|choice| name(&choice.on)).collect::<Vec<_>>());
    match agreement.choices.len() {
        2 => [format!("both {names}"), "both".to_owned()],
        _ => [names, "all of them".to_owned()],
    }
}

/// A sentence about the mechanism and the policy that serve all machines; `None` if there was no choice.
fn serving(agreement: &Agreement, all: &str, each: &str) -> Option<String> {
    // The machines are named once.
    let first = if agreement.extent == Extent::All { all } else { each };
    let mechanism = agreement.mechanism.as_ref().map(|verdict| match verdict {
        CommonBest::Differs => differs("mechanism", agreement, |choice| choice.way.mechanism.to_string()),
        verdict => best("mechanism", verdict, first),
    });
    let on = if mechanism.is_some() { each } else { first };
    let policy = agreement.policy.as_ref().map(|verdict| match verdict {
        CommonBest::Differs => differs("policy", agreement, |choice| way(agreement, choice)),
        CommonBest::Unknown => best("policy", &CommonBest::Unknown, on),
        verdict => best("policy", verdict, on) + &by_which(agreement),
    });
    let said: Vec<_> = mechanism.into_iter().chain(policy).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

fn best(what: &str, verdict: &CommonBest, on: &str) -> String {
    match verdict {
        CommonBest::Best(one) => format!("{one} is the best {what} on {on}"),
        CommonBest::Tied(one) => format!("{one} is the best {what}, or tied with the best, on {on}"),
        CommonBest::Unknown => {
            format!("runs differ too much to tell whether one {what} is the best on {on}")
        }
        CommonBest::Differs => String::new(),
    }
}

/// The mechanism by which a policy is the best, where that is not plain.
fn by_which(agreement: &Agreement) -> String {
    match &agreement.mechanism {
        Some(CommonBest::Tied(mechanism)) => format!(", with {mechanism}"),
        Some(CommonBest::Differs | CommonBest::Unknown) => ", with the best mechanism of each".to_owned(),
        _ => String::new(),
    }
}

/// The policy, and the mechanism where machines differ in it.
fn way(agreement: &Agreement, choice: &Choice) -> String {
    match agreement.mechanism {
        None | Some(CommonBest::Best(_)) => choice.way.policy.clone(),
        _ => format!("{} under {}", choice.way.mechanism, choice.way.policy),
    }
}

fn differs(what: &str, agreement: &Agreement, one: impl Fn(&Choice) -> String) -> String {
    let choice = |choice: &Choice| format!("{} on {}", one(choice), name(&choice.on));
    let choices: Vec<_> = agreement.choices.iter().map(choice).collect();
    format!("the best {what} differs: {}", choices.join(", "))
}

#[cfg(test)]
mod tests {
    use compare::samples::{ranking, rows};
    use compare::{Row, agreement};
    use tempest::Mechanism::{Bulk, Deposit, Messages};

    fn said(worlds: &[(&str, &[Row])]) -> String {
        let rankings: Vec<_> = worlds.iter().map(|(name, rows)| ranking(name, rows)).collect();
        super::agreement(agreement::of(&rankings).first().expect("two machines"))
    }

    /// The sentences about two machines.
    fn of_two(native: &[Row], model: &[Row]) -> String {
        said(&[("native", native), ("toy", model)])
    }

    #[test]
    fn the_best_mechanism_and_policy_are_named() {
        let native = rows(&[(Bulk, "single", 10), (Bulk, "fixed:1", 20), (Messages, "single", 30)]);
        let model = rows(&[(Bulk, "fixed:1", 1), (Messages, "single", 2), (Bulk, "single", 3)]);
        assert_eq!(
            of_two(&native, &model),
            "bulk is the best mechanism on both native and toy; the best policy differs: single on native, fixed:1 on toy."
        );
        assert_eq!(
            of_two(&native, &native),
            "bulk is the best mechanism on both native and toy; single is the best policy on both."
        );
        let alike = rows(&[(Bulk, "single", 10), (Messages, "single", 10), (Deposit, "single", 20)]);
        assert_eq!(
            of_two(&alike, &alike),
            "bulk is the best mechanism, or tied with the best, on both native and toy."
        );
    }

    #[test]
    fn what_is_compared_is_said() {
        let native = rows(&[(Messages, "single", 10), (Messages, "fixed:1", 20)]);
        let model =
            rows(&[(Messages, "hurricane-1:1", 1), (Messages, "single", 2), (Messages, "fixed:1", 3)]);
        assert_eq!(
            of_two(&native, &model),
            "of the policies that both native and toy can run, single is the best policy on both."
        );
        let more = [rows(&[(Bulk, "single", 1)]), model.clone()].concat();
        assert!(of_two(&native, &more).starts_with("of what both native and toy can run, single is"));
        assert_eq!(
            of_two(&native[..1], &model),
            "nothing but messages under single ran on both native and toy: there is nothing to choose."
        );
    }

    #[test]
    fn machines_whose_times_mean_little_are_named() {
        let model = rows(&[(Messages, "single", 10), (Messages, "fixed:1", 20)]);
        let mut native = model.clone();
        native.iter_mut().for_each(|row| row.oversubscribed = true);
        assert_eq!(
            of_two(&native, &model),
            "no word on whether machines agree: on native processors took turns, and times mean little."
        );
        let other = rows(&[(Bulk, "single", 10)]);
        assert_eq!(
            said(&[("native", &native), ("toy", &model), ("tin", &other)]),
            "toy and tin have nothing in common to be compared. Nothing is said of native: processors took turns."
        );
        assert_eq!(
            said(&[("native", &native), ("toy", &model), ("tin", &model)]),
            "single is the best policy on both toy and tin. Nothing is said of native: processors took turns."
        );
        let mut partly = rows(&[(Messages, "single", 10), (Messages, "fixed:1", 20), (Messages, "np", 30)]);
        let model = partly.clone();
        partly[2].oversubscribed = true;
        assert_eq!(
            of_two(&partly, &model),
            "of the policies that both native and toy can run, single is the best policy on both. Where processors took \
             turns nothing is compared."
        );
    }
}
