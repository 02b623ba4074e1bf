//! Bars of the four parts of time: as long as the time, filled as the parts. Must never know whose time it is.
//!
//! Each part has a character of its own, so that a bar can be read without colour, and another in ASCII.

use anstyle::{AnsiColor, Style};

use crate::page::Page;
use crate::parts::Part;

/// How a part is drawn.
struct Fill {
    unicode: char,
    ascii: char,
    style: Style,
}

const fn fill(part: Part) -> Fill {
    match part {
        Part::Compute => Fill { unicode: '█', ascii: '#', style: AnsiColor::Green.on_default() },
        Part::Memory => Fill { unicode: '▚', ascii: '%', style: AnsiColor::Yellow.on_default() },
        Part::Overhead => Fill { unicode: '▒', ascii: '+', style: AnsiColor::Magenta.on_default() },
        Part::Synchronization => Fill { unicode: '·', ascii: '.', style: Style::new().dimmed() },
    }
}

impl Fill {
    fn draw(&self, page: &Page, cells: usize) -> String {
        let character = if page.unicode { self.unicode } else { self.ascii };
        page.paint(self.style, &character.to_string().repeat(cells))
    }
}

/// A bar whose parts have these shares, as long as so many cells. The cells of the parts add up exactly.
pub(crate) fn bar(page: &Page, shares: [f64; 4], cells: usize) -> String {
    let cells = apportion(shares, cells);
    Part::ALL.iter().zip(cells).map(|(part, cells)| fill(*part).draw(page, cells)).collect()
}

/// The character of a part.
pub(crate) fn key(page: &Page, part: Part) -> String {
    fill(part).draw(page, 1)
}

/// What is drawn at the end of a bar that is cut off.
pub(crate) fn cut(page: &Page) -> &'static str {
    if page.unicode { "»" } else { ">" }
}

/// `head` and which character stands for which part, on as many lines as that takes.
pub(crate) fn legend(page: &Page, head: &str) -> String {
    let (mut legend, mut column) = (head.to_owned(), head.len());
    for part in Part::ALL {
        let width = part.name().len() + 3;
        if column > head.len() && column + width > page.width {
            legend += &format!("\n{:1$}", "", head.len());
            column = head.len();
        }
        legend += &format!(" {} {}", key(page, part), part.name());
        column += width;
    }
    legend
}

/// Whole cells for each share: rounded down, and what is left goes to the largest remainders.
fn apportion(shares: [f64; 4], cells: usize) -> [usize; 4] {
    if shares.iter().all(|share| *share <= 0.0) {
        return [0; 4];
    }
    let exact = shares.map(|share| share * cells as f64);
    let mut whole = exact.map(|exact| exact as usize);
    let mut order = [0, 1, 2, 3];
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
            for shares in [[0.25; 4], [0.1, 0.0, 0.0, 0.9], [1.0, 0.0, 0.0, 0.0], [0.33, 0.33, 0.33, 0.01]] {
                assert_eq!(apportion(shares, cells).iter().sum::<usize>(), cells, "{shares:?}");
            }
        }
        assert_eq!(apportion([0.0; 4], 10), [0; 4]);
    }

    #[test]
    fn each_part_has_its_own_character() {
        let bar = |page: &Page| bar(page, [0.4, 0.1, 0.2, 0.3], 10);
        assert_eq!(bar(&PAGE), "####%++...");
        assert_eq!(bar(&Page { unicode: true, ..PAGE }), "████▚▒▒···");
    }

    #[test]
    fn colour_changes_nothing_but_colour() {
        let plain = bar(&PAGE, [0.5, 0.0, 0.0, 0.5], 4);
        let painted = bar(&Page { colour: true, ..PAGE }, [0.5, 0.0, 0.0, 0.5], 4);
        assert!(painted.contains("##") && painted.contains("..") && painted.contains('\x1b'));
        assert_eq!(plain, "##..");
    }

    #[test]
    fn the_legend_names_every_part_and_fits() {
        assert_eq!(
            legend(&PAGE, "time:"),
            "time: # compute % memory and NI wait + message overhead . synchronization"
        );
        let narrow = legend(&Page { width: 50, ..PAGE }, "time:");
        assert_eq!(narrow.lines().count(), 2);
        assert!(narrow.lines().all(|line| line.len() <= 50), "{narrow}");
    }
}
