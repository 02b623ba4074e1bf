//! The three ways to state the cost of a primitive in a machine file: as one duration, in parts, or by class of message. This
//! module must never know a particular primitive.

use std::fmt::{self, Display, Formatter};

use toml_edit::TableLike;
use units::Time;

use super::parts::{Primitive, has_line, path_of, read_parts};
use crate::reading::Section;
use crate::{ByClass, Class, Cost};

/// The key whose price holds for all classes that a table by class does not name.
const OTHER: &str = "other";

impl Primitive<'_> {
    /// Reads the price of the primitive; `Some(None)` where neither file nor command line gives one.
    ///
    /// A text is the path alone. A table with the keys of a cost states its parts. A table with the names of [`Class`]
    /// states a cost for each class. The command line may set any of them, for any form in the file.
    pub(super) fn read(self, section: &Section<'_>) -> Option<Option<ByClass<Cost>>> {
        let key = self.name;
        if !section.gives(key) {
            return Some(None);
        }
        let costs = match section.table_of(key).filter(|&table| is_by_class(table)) {
            Some(table) => section.below(key, Some(table)).read_with(|classes| self.by_class(classes)),
            None => {
                let cost = self.one(section, key, None)?;
                // The command line may still give a class a cost of its own.
                match section.may_give_below(key) {
                    true => {
                        section.below(key, None).read_with(|classes| self.each_class(classes, Some(cost)))
                    }
                    false => Some(ByClass::uniform(cost)),
                }
            }
        };
        let costs = costs?;
        section.note(key, &Exact(costs));
        Some(Some(costs))
    }

    /// Reads a table by class. Its key `other` has the price of the classes that it does not name.
    fn by_class(self, classes: &Section<'_>) -> Option<ByClass<Cost>> {
        let other = if classes.gives(OTHER) { Some(self.one(classes, OTHER, None)?) } else { None };
        self.each_class(classes, other)
    }

    /// Reads the price for each class. A class that has none is priced as the class that it is [priced
    /// as](Class::priced_as), or else as `other`.
    fn each_class(self, classes: &Section<'_>, other: Option<Cost>) -> Option<ByClass<Cost>> {
        let mut costs = [None; Class::ALL.len()];
        for class in Class::ALL {
            let base = class.priced_as().map_or(other, |base| costs[base as usize]);
            if base.is_none() && class.priced_as().is_some() && !classes.gives(class.name()) {
                continue; // The error in the price of the other class is reported there.
            }
            costs[class as usize] = self.one(classes, class.name(), base);
        }
        costs
            .iter()
            .all(Option::is_some)
            .then(|| ByClass::each(|class| costs[class as usize].unwrap_or_default()))
    }

    /// Reads one price: a text, or a table of parts. Where the file has neither, the price is `base` with the parts that the
    /// command line gives.
    fn one(self, section: &Section<'_>, key: &'static str, base: Option<Cost>) -> Option<Cost> {
        let table = section.table_of(key);
        let base = if section.has(key) { None } else { base };
        section.below(key, table).read_with(|parts| {
            read_parts(parts, self, base.unwrap_or_default(), || match base {
                _ if table.is_some() && has_line(parts) => Some(Time::ZERO),
                _ if table.is_some() => path_of(parts),
                Some(base) => Some(base.path),
                None => section.key(key),
            })
        })
    }
}

/// The text of costs for the digest. Equal costs have equal texts, however a file spells them.
struct Exact(ByClass<Cost>);

impl Display for Exact {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Class::ALL.iter().try_for_each(|&class| {
            if let Some(base) = class.priced_as() {
                if self.0.of(class) == self.0.of(base) {
                    return Ok(());
                }
                write!(f, "{class} ")?;
            }
            let Cost { path, occupancy, wait, line, bus, after } = self.0.of(class);
            write!(f, "{path}+{occupancy}+{wait}")?;
            if !line.is_zero() {
                write!(f, "+{line} a line")?;
            }
            if !(bus.is_empty() && after.is_empty()) {
                write!(f, "+{bus}+{after} on the bus")?;
            }
            f.write_str(" ")
        })
    }
}

/// Whether a table has prices by class: it names a class or `other`. Any other table is read as the parts of one price.
fn is_by_class(table: &dyn TableLike) -> bool {
    table.iter().any(|(key, _)| key == OTHER || Class::NAMES.contains(&key))
}
