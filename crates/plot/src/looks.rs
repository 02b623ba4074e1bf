//! Colours, dashes, markers and hatches. This module must never know the subject of a picture.

use super::data::Palette;

/// The colours of the ground, of texts, of texts beside axes, and of the grid.
pub(super) const PAPER: &str = "#ffffff";
pub(super) const INK: &str = "#1a1a1a";
pub(super) const FAINT_INK: &str = "#4d4d4d";
pub(super) const LINE: &str = "#e0e0e0";

/// The grounds of the boxes of a diagram: frames, processors, memories, wires.
pub(super) const GROUNDS: [&str; 4] = ["#f6f6f4", "#d9e8f3", "#dcefe6", "#fbe8cf"];

/// Pairs of colours: a colour of a picture on a light page, and its replacement on a dark page.
pub const DARK: [(&str, &str); 28] = [
    (PAPER, "#15181c"),
    (INK, "#e8e6e3"),
    (FAINT_INK, "#b4b1ac"),
    (LINE, "#2e343b"),
    ("#6b6b6b", "#9a9a9a"),
    (GROUNDS[0], "#1d2228"),
    (GROUNDS[1], "#1f3648"),
    (GROUNDS[2], "#1d3a2e"),
    (GROUNDS[3], "#46341c"),
    (COLOURS[0], "#4ea3e0"),
    (COLOURS[1], "#f08a4b"),
    (COLOURS[2], "#2fc39a"),
    (COLOURS[3], "#e2a3c6"),
    (COLOURS[5], "#f2f2f2"),
    (COLOURS[6], "#8fd0f5"),
    (TILES[0], DARK_TILES[0]),
    (TILES[1], DARK_TILES[1]),
    (TILES[2], DARK_TILES[2]),
    (TILES[3], DARK_TILES[3]),
    (TILES[4], DARK_TILES[4]),
    (TILES[5], DARK_TILES[5]),
    (TILES[6], DARK_TILES[6]),
    (TILE_INKS[0], "#f4f4f4"),
    (TILE_INKS[1], "#0c0f12"),
    (SECOND[0], "#8f86d9"),
    (SECOND[2], "#c9bc6a"),
    (SECOND[3], "#d977a4"),
    (SECOND[5], "#b9c4cf"),
];

/// The grounds of fields of a map, from the faintest to the strongest, and the inks of texts on them. On a dark page the strongest is
/// the brightest.
const TILES: [&str; 7] = ["#eef4f8", "#d3e3ee", "#b3cfe2", "#8cb6d3", "#5d98c1", "#2f77a9", "#00548a"];
const DARK_TILES: [&str; 7] = ["#1b232b", "#1f3040", "#244158", "#2a5675", "#32688e", "#6fabd4", "#a6d0ee"];
const TILE_INKS: [&str; 2] = ["#0a0a0a", "#fcfcfc"];

/// The number of shades of fields.
pub(super) const SHADES: usize = TILES.len();

/// The ground of a field of a map of this darkness, from 0 to 1, and the colour of its text.
pub(super) fn shade(shade: f64) -> (&'static str, &'static str) {
    let shade = if shade.is_finite() { shade.clamp(0.0, 1.0) } else { 0.0 };
    let tile = (shade * (SHADES - 1) as f64).round() as usize;
    (TILES[tile], TILE_INKS[usize::from(tile > 4)])
}

/// The look of a series: its colour, and for eyes without colour its dashes and its marker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Look {
    pub(super) colour: &'static str,
    /// As `stroke-dasharray` takes them; empty for an unbroken line.
    pub(super) dashes: &'static str,
    pub(super) marker: Marker,
}

/// The mark at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    OpenCircle,
    OpenSquare,
    Tip,
}

/// The colours of Okabe and Ito but yellow, which is hard to see on white.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#000000", "#56b4e9"];

/// The colours of the second palette, after Tol's muted scheme.
const SECOND: [&str; 7] = ["#332288", "#44aa99", "#8a7a20", "#882255", "#88ccee", "#4a5560", "#cc6677"];

const DASHES: [&str; 7] = ["", "7 3", "2 2", "9 3 2 3", "5 5", "1 3", "12 3"];

const MARKERS: [Marker; 7] = [
    Marker::Circle,
    Marker::Square,
    Marker::Triangle,
    Marker::Diamond,
    Marker::OpenCircle,
    Marker::OpenSquare,
    Marker::Tip,
];

/// The look of the series of this number. 49 looks differ.
pub(super) fn look(number: usize) -> Look {
    let (place, round) = (number % 7, number / 7);
    Look {
        colour: COLOURS[place],
        dashes: DASHES[(place + round) % 7],
        marker: MARKERS[(place + 2 * round) % 7],
    }
}

/// The fill of a piece of a bar.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Fill {
    pub(super) colour: &'static str,
    /// White lines over the colour.
    pub(super) hatch: &'static [Hatch],
}

/// A white line along a bar. Lines are drawn, and no pattern is filled: printers make images of patterns, which are large.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Hatch {
    /// The middle and the width of the line, as shares of the height of the bar.
    pub(super) at: f64,
    pub(super) width: f64,
    /// As `stroke-dasharray` takes them; empty for an unbroken line.
    pub(super) dashes: &'static str,
}

const fn line(at: f64, width: f64, dashes: &'static str) -> Hatch {
    Hatch { at, width, dashes }
}

/// Bars across, and squares.
const ACROSS: &str = "1.4 4.6";
const SQUARES: &str = "2.5 3.5";

const HATCHES: [&[Hatch]; 7] = [
    &[],
    &[line(0.5, 1.0, ACROSS)],
    &[line(0.5, 0.14, "")],
    &[line(0.5, 0.3, SQUARES)],
    &[line(0.3, 0.12, ""), line(0.7, 0.12, "")],
    &[line(0.5, 1.0, ACROSS), line(0.5, 0.14, "")],
    &[line(0.25, 0.22, SQUARES), line(0.75, 0.22, SQUARES)],
];

/// The fill of the piece of this number. 7 fills of a palette differ.
pub(super) fn fill(number: usize, palette: Palette) -> Fill {
    let colours = match palette {
        Palette::First => COLOURS,
        Palette::Second => SECOND,
    };
    Fill { colour: colours[number % 7], hatch: HATCHES[number % 7] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance of a colour, from 0 to 1, as the Web Content Accessibility Guidelines define it.
    fn lightness(colour: &str) -> f64 {
        let part = |at: usize| {
            let share = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (lightness(one), lightness(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn texts_and_marks_are_seen_on_light_and_on_dark_pages() {
        let dark =
            |colour: &'static str| DARK.iter().find(|(light, _)| *light == colour).map_or(colour, |it| it.1);
        assert!(contrast(INK, PAPER) > 7.0 && contrast(FAINT_INK, PAPER) > 7.0);
        assert!(contrast(dark(INK), dark(PAPER)) > 7.0 && contrast(dark(FAINT_INK), dark(PAPER)) > 7.0);
        for ground in GROUNDS {
            assert!(contrast(INK, ground) > 7.0 && contrast(dark(INK), dark(ground)) > 7.0, "{ground}");
        }
        for colour in COLOURS {
            assert!(contrast(dark(colour), dark(PAPER)) > 4.5, "{colour}");
        }
        for step in 0..=20 {
            let (ground, text) = shade(f64::from(step) / 20.0);
            assert!(contrast(ground, text) > 4.5, "{ground}: {}", contrast(ground, text));
            assert!(contrast(dark(ground), dark(text)) > 4.5, "{ground} in the dark");
        }
        for colour in SECOND {
            assert!(contrast(dark(colour), dark(PAPER)) > 4.5, "{colour}");
        }
    }

    #[test]
    fn looks_differ_without_colour() {
        let looks: Vec<_> = (0..49).map(look).collect();
        for (index, look) in looks.iter().enumerate() {
            assert!(!looks[..index].contains(look), "{index}");
        }
        let first = &looks[..7];
        let without_colour = |look: &Look| (look.dashes, look.marker);
        for (index, look) in first.iter().enumerate() {
            assert!(first[..index].iter().all(|other| without_colour(other) != without_colour(look)));
        }
    }
}
