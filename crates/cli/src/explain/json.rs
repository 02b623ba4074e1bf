//! An explanation for programs. The format is described in `docs/json.md`.

use std::io::Write;

use machine::Value;
use serde_json::json;

use super::derived::{Derived, Underived};
use super::{Explanation, place};
use crate::{Problem, json};

pub(super) fn write(out: &mut impl Write, explanation: &Explanation) -> Result<(), Problem> {
    let Explanation { machine, digest, policy, file, derived, underived, abilities, .. } = explanation;
    let refused =
        abilities.refused.iter().map(|(policy, reason)| json!({ "policy": policy, "reason": reason }));
    let value = json!({
        "machine": machine.name,
        "machine_file": file,
        "machine_digest": format!("{digest:016x}"),
        "summary": machine.summary,
        "policy": policy.as_ref().map(ToString::to_string),
        "values": explanation.values().map(one).collect::<serde_json::Value>(),
        "derived": derived.iter().map(quantity).collect::<serde_json::Value>(),
        "not_derived": underived.iter().map(missing).collect::<serde_json::Value>(),
        "runs": { "policies": abilities.policies, "mechanisms": abilities.mechanisms },
        "refused": refused.collect::<serde_json::Value>(),
    });
    json::write(out, &value)
}

fn one(value: &Value) -> serde_json::Value {
    json!({
        "key": value.key,
        "policy": place(value).0,
        "written": value.text,
        "value": value.resolved,
        "source": value.source,
        "file": value.line.is_some().then_some(&value.file),
        "line": value.line,
    })
}

fn missing(underived: &Underived) -> serde_json::Value {
    json!({ "name": underived.name, "reason": underived.reason })
}

fn quantity(derived: &Derived) -> serde_json::Value {
    json!({ "name": derived.name, "number": derived.number, "unit": derived.unit, "from": derived.from })
}
