//! Sweeps: one table of a study that stands for many. `each = { operation = ["get", "put"], size = [4, 8] }` makes four of
//! it, in which `{operation}` and `{size}` are replaced. A list in place of a value does the same: `policy = ["proc",
//! "np"]` makes two, and `{policy}` is replaced. A list of several names changes them together: `"nodes processors" = ["8 8",
//! "16 4"]` makes two, in which `{nodes}` and `{processors}` are replaced. This module must never know what the table is about.

use crate::toml::{LIST, Table};

/// A list by which a table stands for many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    /// The name that stands in braces, or several of them with a space between two.
    pub(crate) name: String,
    /// The values, each once; none where the list has a mistake, which has been reported. A value of several names has a word for
    /// each.
    pub(crate) values: Vec<String>,
}

impl Axis {
    /// The names that stand in braces.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.name.split(' ')
    }
}

/// Values of the names in one of the tables that a template stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filling {
    pairs: Vec<(String, String)>,
    /// The names of lists with a mistake, for which there is nothing to put.
    unread: Vec<String>,
}

/// The lists of `each`.
pub(crate) fn axes(table: &Table<'_>) -> Vec<Axis> {
    let Some(each) = table.table("each") else { return Vec::new() };
    let one = |(name, values): (&str, Option<Vec<String>>)| {
        if values.is_none() {
            each.refuse(name, LIST);
        }
        axis(&each, name, name, values.unwrap_or_default())
    };
    let axes: Vec<_> = each.lists_or_none().into_iter().map(one).collect();
    let mut seen = Vec::new();
    for axis in &axes {
        for name in axis.names() {
            if name.is_empty() || seen.contains(&name) {
                each.refuse(&axis.name, "names of its own, with one space between two");
            }
            seen.push(name);
        }
    }
    axes
}

/// The axis of a list at a key. A value that stands there twice is a mistake, and a value of the axis once.
pub(crate) fn axis(table: &Table<'_>, key: &str, name: &str, values: Vec<String>) -> Axis {
    let mut distinct: Vec<String> = Vec::new();
    let words = |text: &str| text.split(' ').count();
    for value in values {
        if words(name) > 1 && words(&value) != words(name) {
            table.refuse(
                key,
                format!("values of {} words, one for each name; `{value}` is none", words(name)),
            );
        } else if distinct.contains(&value) {
            table.refuse(key, format!("every value once; `{value}` stands there twice"));
        } else {
            distinct.push(value);
        }
    }
    Axis { name: name.to_owned(), values: distinct }
}

/// The number of fillings that axes make.
pub(crate) fn count(axes: &[Axis]) -> u64 {
    axes.iter().fold(1, |count: u64, axis| count.saturating_mul(axis.values.len().max(1) as u64))
}

/// Everything that axes stand for, the last one turning fastest; one with nothing to replace if there is no axis.
pub(crate) fn fillings(axes: &[Axis]) -> Vec<Filling> {
    let with = |fillings: Vec<Filling>, axis: &Axis| -> Vec<Filling> {
        if axis.values.is_empty() {
            return fillings.into_iter().map(|filling| filling.without(axis)).collect();
        }
        let all =
            |filling: &Filling| axis.values.iter().map(|value| filling.with(axis, value)).collect::<Vec<_>>();
        fillings.iter().flat_map(all).collect()
    };
    axes.iter().fold(vec![Filling::default()], with)
}

/// Everything that a table stands for by its `each`.
pub(crate) fn each(table: &Table<'_>) -> Vec<Filling> {
    fillings(&axes(table))
}

impl Filling {
    fn with(&self, axis: &Axis, value: &str) -> Self {
        let mut filling = self.clone();
        let own = |text: &str| text.to_owned();
        match axis.name.contains(' ') {
            true => filling.pairs.extend(axis.names().map(own).zip(value.split(' ').map(own))),
            false => filling.pairs.push((own(&axis.name), own(value))),
        }
        filling
    }

    fn without(mut self, axis: &Axis) -> Self {
        self.unread.extend(axis.names().map(str::to_owned));
        self
    }

    /// Whether a name is that of a list with a mistake.
    pub(crate) fn is_unread(&self, name: &str) -> bool {
        self.unread.iter().any(|unread| unread == name)
    }

    /// The value in place of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Every name with its value.
    pub(crate) fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    /// A text with everything replaced.
    ///
    /// # Errors
    ///
    /// The first `{name}` that nothing is said about.
    pub(crate) fn fill(&self, text: &str) -> Result<String, String> {
        let replace =
            |text: String, (name, with): &(String, String)| text.replace(&format!("{{{name}}}"), with);
        let filled = self.pairs.iter().fold(text.to_owned(), replace);
        match filled.split_once('{') {
            None => Ok(filled),
            Some((_, rest)) => Err(rest.split('}').next().unwrap_or(rest).to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(name: &str, values: &[&str]) -> Axis {
        Axis { name: name.to_owned(), values: values.iter().map(|value| (*value).to_owned()).collect() }
    }

    #[test]
    fn names_are_replaced_everywhere() {
        let axes = [axis("op", &["get"]), axis("on", &["cm5"])];
        let filling = &fillings(&axes)[0];
        assert_eq!(filling.fill("gap.{op}.{on} / {op}").unwrap(), "gap.get.cm5 / get");
        assert_eq!(filling.fill("{op}.{size}"), Err("size".to_owned()));
        assert_eq!(filling.fill("plain").unwrap(), "plain");
    }

    #[test]
    fn several_names_of_one_list_change_together() {
        let axes = [axis("nodes processors", &["8 8", "16 4"]), axis("turn", &["1 us", "2 us"])];
        let filled: Vec<_> =
            fillings(&axes).iter().map(|it| it.fill("{nodes}x{processors} {turn}").unwrap()).collect();
        assert_eq!(filled, ["8x8 1 us", "8x8 2 us", "16x4 1 us", "16x4 2 us"]);
    }

    #[test]
    fn the_last_axis_turns_fastest_and_a_huge_sweep_is_counted_without_being_made() {
        let axes = [axis("op", &["get", "put"]), axis("size", &["4", "8"])];
        let filled: Vec<_> = fillings(&axes).iter().map(|it| it.fill("{op}{size}").unwrap()).collect();
        assert_eq!((filled, count(&axes)), (["get4", "get8", "put4", "put8"].map(str::to_owned).to_vec(), 4));
        assert_eq!(count(&vec![axis("x", &["0"; 1000]); 30]), u64::MAX);
    }
}
