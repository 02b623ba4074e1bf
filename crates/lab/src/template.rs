//! `each`: one table of a study that stands for many. `each = { operation = ["get", "put"], size = ["4", "8"] }` makes
//! four of it, in which `{operation}` and `{size}` are replaced. Must never know what the table is about.

use crate::toml::Table;

/// What one of the many has in place of each name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filling(Vec<(String, String)>);

/// Everything that a table stands for, the last name turning fastest; one with nothing to replace if it has no `each`.
pub(crate) fn each(table: &Table<'_>) -> Vec<Filling> {
    let mut fillings = vec![Filling::default()];
    let Some(each) = table.table("each") else { return fillings };
    for (name, texts) in each.lists() {
        let with = |filling: &Filling| texts.iter().map(|text| filling.with(&name, text)).collect::<Vec<_>>();
        fillings = fillings.iter().flat_map(with).collect();
    }
    fillings
}

impl Filling {
    fn with(&self, name: &str, text: &str) -> Self {
        let mut filling = self.clone();
        filling.0.push((name.to_owned(), text.to_owned()));
        filling
    }

    /// A text with everything replaced.
    ///
    /// # Errors
    ///
    /// The first `{name}` that nothing is said about.
    pub(crate) fn fill(&self, text: &str) -> Result<String, String> {
        let replace =
            |text: String, (name, with): &(String, String)| text.replace(&format!("{{{name}}}"), with);
        let filled = self.0.iter().fold(text.to_owned(), replace);
        match filled.split_once('{') {
            None => Ok(filled),
            Some((_, rest)) => Err(rest.split('}').next().unwrap_or(rest).to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_everywhere() {
        let filling = Filling::default().with("op", "get").with("on", "cm5");
        assert_eq!(filling.fill("gap.{op}.{on} / {op}").unwrap(), "gap.get.cm5 / get");
        assert_eq!(filling.fill("{op}.{size}"), Err("size".to_owned()));
        assert_eq!(filling.fill("plain").unwrap(), "plain");
    }
}
