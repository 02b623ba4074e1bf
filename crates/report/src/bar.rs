//! Bars of the six parts of time: as long as the time, filled in proportion to the parts. This module must never know
//! whose time a bar shows.
//!
//! Each part has a character of its own, so that a bar can be read without colour, and another in ASCII.

use compare::Part;
use compare::parts::PARTS;

use crate::names::part as name;
use crate::page::{self, Page};

/// This number of cells of a part.
fn draw(page: &Page, part: Part, cells: usize) -> String {
    let (unicode, ascii, style) = match part {
        Part::Compute => ("█", "#", page::GREEN),
        Part::Memory => ("▚", "%", page::YELLOW),
        Part::Overhead => ("▒", "+", page::MAGENTA),
        Part::Synchronization => ("·", ".", page::QUIET),
        Part::Idle => ("_", "_", page::QUIET),
        Part::Taken => ("×", "x", page::RED),
    };
    page.paint(style, &(if page.unicode { unicode } else { ascii }).repeat(cells))
}

/// A bar of this number of cells whose parts have these shares. The cells of the parts add up exactly.
pub(crate) fn bar(page: &Page, shares: [f64; PARTS], cells: usize) -> String {
    let cells = apportion(shares, cells);
    Part::ALL.into_iter().zip(cells).map(|(part, cells)| draw(page, part, cells)).collect()
}

/// The character of a part.
pub(crate) fn key(page: &Page, part: Part) -> String {
    draw(page, part, 1)
}

/// The character at the end of a bar that is cut off.
pub(crate) fn cut(page: &Page) -> &'static str {
    if page.unicode { "»" } else { ">" }
}

/// `head` and the character of each part, on as many lines as that takes. Only on this host can time be `taken`.
pub(crate) fn legend(page: &Page, head: &str, taken: bool) -> String {
    let (mut legend, mut column) = (head.to_owned(), head.len());
    for part in Part::ALL.into_iter().filter(|part| taken || *part != Part::Taken) {
        let width = name(part).len() + 3;
        if column > head.len() && column + width > page.width {
            legend += &format!("\n{:1$}", "", head.len());
            column = head.len();
        }
        legend += &format!(" {} {}", key(page, part), name(part));
        column += width;
    }
    legend
}

/// Whole cells for each share: rounded down, and what is left goes to the largest remainders.
fn apportion(shares: [f64; PARTS], cells: usize) -> [usize; PARTS] {
    if shares.iter().all(|share| *share <= 0.0) {
        return [0; PARTS];
    }
    let exact = shares.map(|share| share * cells as f64);
    let mut whole = exact.map(|exact| exact as usize);
    let mut order: [usize; PARTS] = std::array::from_fn(|index| index);
    let remainder = |index: usize| exact[index].fract();
    order.sort_by(|a, b| remainder(*b).total_cmp(&remainder(*a)));
    let left = cells.saturating_sub(whole.iter().sum());
    for index in order.into_iter().take(left) {
        whole[index] += 1;
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: Page = Page { width: 80, colour: false, unicode: false };

    #[test]
    fn the_cells_of_the_parts_add_up() {
        for cells in 0..50 {
            let lopsided = [
                [0.1, 0.0, 0.0, 0.8, 0.0, 0.1],
                [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                [0.33, 0.33, 0.2, 0.1, 0.03, 0.01],
            ];
            for shares in [[1.0 / 6.0; 6]].into_iter().chain(lopsided) {
                assert_eq!(apportion(shares, cells).iter().sum::<usize>(), cells, "{shares:?}");
            }
        }
        assert_eq!(apportion([0.0; PARTS], 10), [0; PARTS]);
    }

    #[test]
    fn each_part_has_its_own_character() {
        let bar = |page: &Page| bar(page, [0.3, 0.1, 0.2, 0.2, 0.1, 0.1], 10);
        assert_eq!(bar(&PAGE), "###%++.._x");
        assert_eq!(bar(&Page { unicode: true, ..PAGE }), "███▚▒▒··_×");
    }

    #[test]
    fn colour_changes_nothing_but_colour() {
        let plain = bar(&PAGE, [0.5, 0.0, 0.0, 0.5, 0.0, 0.0], 4);
        let painted = bar(&Page { colour: true, ..PAGE }, [0.5, 0.0, 0.0, 0.5, 0.0, 0.0], 4);
        assert!(painted.contains("##") && painted.contains("..") && painted.contains('\x1b'));
        assert_eq!(plain, "##..");
    }

    #[test]
    fn the_legend_names_every_part_and_fits() {
        assert_eq!(
            legend(&PAGE, "time:", false),
            "time: # compute % memory and NI wait + message overhead . synchronization _ idle"
        );
        let narrow = legend(&Page { width: 50, ..PAGE }, "time:", true);
        assert!(narrow.lines().count() > 1 && narrow.ends_with("x taken by the OS"));
        assert!(narrow.lines().all(|line| line.len() <= 50), "{narrow}");
    }
}
