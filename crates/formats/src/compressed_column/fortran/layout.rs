//! From a format to the columns of each card.
//!
//! It must never know how a format is spelled.

use super::syntax::{self, BadFormat, Item, Letter};

/// The most items that a format may stand for, repetitions counted.
const MOST_ITEMS: usize = 100_000;

/// The numbers that a format is to be for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Integers: `I` or `G`.
    Integers,
    /// Reals: `E`, `D`, `F` or `G`.
    Reals,
}

/// The columns of one number, and how a real stands in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    /// First column, from 0.
    pub(crate) start: usize,
    /// Columns, at least 1.
    pub(crate) width: usize,
    /// Whether a real without a decimal point would be given one.
    pub(crate) implied_point: bool,
    /// The scale factor: a real without exponent is divided by 10 to this power.
    pub(crate) scale: i32,
}

/// The columns of one card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Card {
    pub(crate) slots: Vec<Slot>,
    /// The first column that the format says nothing about.
    pub(crate) end: usize,
}

/// Layouts of the cards of one part of a file: first `once`, then the last group of the format repeatedly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    once: Vec<Card>,
    /// Repeated cards, at least one of them with a slot.
    again: Vec<Card>,
}

impl Format {
    /// The layout of the card of this number, from 0.
    pub(crate) fn card(&self, at: usize) -> &Card {
        self.once.get(at).unwrap_or_else(|| &self.again[(at - self.once.len()) % self.again.len()])
    }

    /// The slots of the format.
    pub(crate) fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.once.iter().chain(&self.again).flat_map(|card| &card.slots)
    }
}

/// Reads a format of such numbers.
///
/// # Errors
/// The first place where it is none, or has a field for other numbers.
pub(crate) fn format(text: &[u8], numbers: Numbers) -> Result<Format, BadFormat> {
    let items = syntax::items(text)?;
    let mut once = Cards::new(numbers, 0);
    once.add(&items)?;
    // Where numbers are left at the end of a format, Fortran goes back to its last group, and the scale factor stays as it is.
    let last_group = items.iter().rposition(|item| matches!(item, Item::Group(..))).unwrap_or(0);
    let mut again = Cards::new(numbers, once.scale);
    again.add(&items[last_group..])?;
    if again.cards.iter().all(|card| card.slots.is_empty()) {
        return Err(BadFormat { at: text.len(), expected: "a field for a number in the last group" });
    }
    Ok(Format { once: once.cards, again: again.cards })
}

/// Cards as far as they are laid out.
struct Cards {
    numbers: Numbers,
    /// The last one is being laid out.
    cards: Vec<Card>,
    column: usize,
    scale: i32,
    items: usize,
}

impl Cards {
    fn new(numbers: Numbers, scale: i32) -> Self {
        Self { numbers, cards: vec![Card::default()], column: 0, scale, items: 0 }
    }

    fn add(&mut self, items: &[Item]) -> Result<(), BadFormat> {
        for item in items {
            match *item {
                Item::Field { at, repeat, letter, width, decimals } => {
                    self.check(letter, at)?;
                    for _ in 0..repeat {
                        self.count(at)?;
                        self.slot(width, decimals > 0);
                    }
                }
                Item::Group(repeat, ref items) => {
                    for _ in 0..repeat {
                        self.count(0)?;
                        self.add(items)?;
                    }
                }
                Item::Right(columns) => self.go(self.column.saturating_add(columns)),
                Item::Left(columns) => self.column = self.column.saturating_sub(columns),
                Item::Column(column) => self.go(column - 1),
                Item::Scale(scale) => self.scale = scale,
                Item::Card(cards) => {
                    self.column = 0;
                    for _ in 0..cards {
                        self.count(0)?;
                        self.cards.push(Card::default());
                    }
                }
                Item::Nothing => {}
            }
        }
        Ok(())
    }

    fn check(&self, letter: Letter, at: usize) -> Result<(), BadFormat> {
        match (self.numbers, letter) {
            (Numbers::Integers, Letter::Real) => {
                Err(BadFormat { at, expected: "one of integers, as (16I5)" })
            }
            (Numbers::Reals, Letter::Integer) => {
                Err(BadFormat { at, expected: "one of reals, as (4E20.12) or (1P,5D16.8)" })
            }
            _ => Ok(()),
        }
    }

    fn count(&mut self, at: usize) -> Result<(), BadFormat> {
        self.items += 1;
        if self.items > MOST_ITEMS {
            return Err(BadFormat { at, expected: "at most 100000 fields, groups and cards" });
        }
        Ok(())
    }

    fn go(&mut self, column: usize) {
        self.column = column;
        if let Some(card) = self.cards.last_mut() {
            card.end = card.end.max(column);
        }
    }

    fn slot(&mut self, width: usize, implied_point: bool) {
        let slot = Slot { start: self.column, width, implied_point, scale: self.scale };
        if let Some(card) = self.cards.last_mut() {
            card.slots.push(slot);
        }
        self.go(self.column + width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Start, width and scale of the fields of the first cards.
    fn cards(text: &str, numbers: Numbers, count: usize) -> Vec<Vec<(usize, usize, i32)>> {
        let format = format(text.as_bytes(), numbers).unwrap_or_else(|bad| panic!("{text}: {bad:?}"));
        let card =
            |at| format.card(at).slots.iter().map(|slot| (slot.start, slot.width, slot.scale)).collect();
        (0..count).map(card).collect()
    }

    #[test]
    fn formats_of_one_repeated_field() {
        use Numbers::{Integers, Reals};
        for (text, numbers, repeat, width, scale) in [
            ("(12I6)", Integers, 12, 6, 0),
            ("( i8 )", Integers, 1, 8, 0),
            ("(16I5.5)", Integers, 16, 5, 0),
            ("(10G8.0)", Integers, 10, 8, 0),
            ("(4E20.12)", Reals, 4, 20, 0),
            ("(3e26.18e3)", Reals, 3, 26, 0),
            ("(1P,5E16.8)", Reals, 5, 16, 1),
            ("(1P5E16.8)", Reals, 5, 16, 1),
            ("(-2P 3D25.17)", Reals, 3, 25, -2),
            ("(+2P,3ES25.17)", Reals, 3, 25, 2),
            ("(SP,BN,10F8.0)", Reals, 10, 8, 0),
            ("(3(E24.16))", Reals, 3, 24, 0),
        ] {
            let expected: Vec<_> = (0..repeat).map(|at| (at * width, width, scale)).collect();
            assert_eq!(cards(text, numbers, 2), [expected.clone(), expected], "{text}");
        }
    }

    #[test]
    fn skips_and_tabulators_move_the_columns() {
        let reals = |text: &str| cards(text, Numbers::Reals, 1).remove(0);
        assert_eq!(reals("(2(1X,E15.8))"), [(1, 15, 0), (17, 15, 0)]);
        assert_eq!(reals("(E15.8,TR3,E15.8)"), [(0, 15, 0), (18, 15, 0)]);
        assert_eq!(reals("(T11,E9.2,T1,F10.3)"), [(10, 9, 0), (0, 10, 0)]);
        assert_eq!(reals("(E9.2,TL4,E9.2)"), [(0, 9, 0), (5, 9, 0)]);
        assert_eq!(reals("(1PE9.2,0PF9.2)"), [(0, 9, 1), (9, 9, 0)]);
        let format = format(b"(4F5.1,60X)", Numbers::Reals).expect("a format");
        assert_eq!((format.card(0).end, format.card(9).end), (80, 80));
    }

    #[test]
    fn numbers_that_are_left_go_on_in_the_last_group() {
        let reals = |text: &str, count| cards(text, Numbers::Reals, count);
        let grouped = reals("(F5.1,2(1X,F4.1),F3.0)", 3);
        assert_eq!(grouped[0], [(0, 5, 0), (6, 4, 0), (11, 4, 0), (15, 3, 0)]);
        assert_eq!(grouped[1], [(1, 4, 0), (6, 4, 0), (10, 3, 0)]);
        assert_eq!(grouped[1], grouped[2]);
        let scaled = reals("(F5.1,2P,2(F4.1))", 2);
        assert_eq!(scaled[1], [(0, 4, 2), (4, 4, 2)], "the scale factor stays");
        let slashed = reals("(F5.1/2F4.1)", 4);
        assert_eq!(slashed.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 1, 2]);
        assert_eq!(reals("(F5.1//F4.1)", 3)[1], [], "a card that is passed over");
    }

    #[test]
    fn formats_that_are_none_are_told_where() {
        let width = "a width, as in I8 or E20.12";
        let known = "I, E, D, F or G with a width, or X, T, P or (";
        let large = "a number of at most 10000, or 300 for a scale factor";
        for (text, numbers, at, expected) in [
            ("", Numbers::Integers, 0, "( and a format, as (16I5) or (4(1X,E15.8))"),
            ("16I5", Numbers::Integers, 0, "( and a format, as (16I5) or (4(1X,E15.8))"),
            ("()", Numbers::Integers, 1, known),
            ("(I)", Numbers::Integers, 2, width),
            ("(0I5)", Numbers::Integers, 1, "a number of at least 1"),
            ("(5I0)", Numbers::Integers, 3, width),
            ("(10001I5)", Numbers::Integers, 1, large),
            ("(99999999999I5)", Numbers::Integers, 1, large),
            ("(5I99999999999)", Numbers::Integers, 3, large),
            ("(16I5", Numbers::Integers, 5, ", or )"),
            ("(16I5))", Numbers::Integers, 6, "the end of the format behind its last )"),
            ("(8I5 I5)", Numbers::Integers, 5, ", or )"),
            ("(16A5)", Numbers::Integers, 3, known),
            ("(4X1)", Numbers::Integers, 4, known),
            ("(3X)", Numbers::Integers, 4, "a field for a number in the last group"),
            ("(I5,2(1X))", Numbers::Integers, 10, "a field for a number in the last group"),
            ("(4F9.2)", Numbers::Integers, 2, "one of integers, as (16I5)"),
            ("(2F9.2, 4I9)", Numbers::Reals, 9, "one of reals, as (4E20.12) or (1P,5D16.8)"),
            ("(4E20)", Numbers::Reals, 5, ". and the number of decimals"),
            ("(4E20.)", Numbers::Reals, 6, "the number of decimals"),
            ("(4E20.12E)", Numbers::Reals, 9, "the number of digits of the exponent"),
            ("(4F20.12E3)", Numbers::Reals, 8, ", or )"),
            ("(P4E20.12)", Numbers::Reals, 1, "a scale factor of -300P to 300P"),
            ("(999P4E20.12)", Numbers::Reals, 1, "a scale factor of -300P to 300P"),
            ("(-4E20.12)", Numbers::Reals, 3, "P behind a number with a sign"),
            ("(T,E20.12)", Numbers::Reals, 2, "a number of columns behind T, TL or TR"),
            ("(999(999(999F9.2)))", Numbers::Reals, 12, "at most 100000 fields, groups and cards"),
            ("(é)", Numbers::Reals, 1, known),
        ] {
            assert_eq!(format(text.as_bytes(), numbers), Err(BadFormat { at, expected }), "{text}");
        }
    }
}
