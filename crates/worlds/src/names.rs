//! The known name that a mistyped one most resembles. Must never know what is named.

/// The least likeness (0 to 1, Jaro–Winkler) at which a known name is offered for an unknown one.
const LIKENESS: f64 = 0.7;

/// The name of `known` that is most like `name`; `None` if no name is like it. Upper and lower case are not told apart.
///
/// ```
/// assert_eq!(tradewind_worlds::nearest("PARAGN", ["cm-5", "paragon"]), Some("paragon"));
/// assert_eq!(tradewind_worlds::nearest("zzz", ["cm-5", "paragon"]), None);
/// ```
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let name = name.to_lowercase();
    let likeness = known.into_iter().map(|known| (strsim::jaro_winkler(&name, known), known));
    let nearest = likeness.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(likeness, _)| *likeness >= LIKENESS);
    nearest.map(|(_, known)| known)
}
