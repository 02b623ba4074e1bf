//! Unknown names: what was probably meant, and what there is.

/// The likeness, 0 to 1 (Jaro–Winkler), from which on a known name is offered for an unknown one.
const LIKENESS: f64 = 0.7;

/// What to say of a name that nothing has: ``unknown machine `x`: did you mean `y`? expected one of …``.
pub(crate) fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let meant = nearest(name, known).map(|name| format!(" did you mean `{name}`?")).unwrap_or_default();
    format!("unknown {what} `{name}`:{meant} expected one of {}", known.join(", "))
}

fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let likeness = |known: &str| strsim::jaro_winkler(name, known);
    let best = known.iter().copied().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) >= LIKENESS).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered_if_it_is_near() {
        let known = ["native", "hurricane-1", "ideal"];
        let near = "unknown machine `huricane`: did you mean `hurricane-1`? expected one of native, hurricane-1, ideal";
        assert_eq!(unknown("machine", "huricane", &known), near);
        assert_eq!(unknown("machine", "qqq", &["ideal"]), "unknown machine `qqq`: expected one of ideal");
    }
}
