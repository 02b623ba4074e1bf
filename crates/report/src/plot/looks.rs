//! Colours, dashes, markers and hatches. This module must never know what is drawn with them.

/// What tells a series from others: its colour, and without colour its dashes and its marker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Look {
    pub(super) colour: &'static str,
    /// As `stroke-dasharray` takes them; empty for an unbroken line.
    pub(super) dashes: &'static str,
    pub(super) marker: Marker,
}

/// What stands at a point.
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

/// How a piece of a bar is filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fill {
    pub(super) colour: &'static str,
    /// White lines over the colour, as the data of a path in a square of 6 by 6; empty for none.
    pub(super) hatch: &'static str,
}

const HATCHES: [&str; 7] = [
    "",
    "M-1 1 L1 -1 M0 6 L6 0 M5 7 L7 5",
    "M0 3 L6 3",
    "M-1 5 L1 7 M0 0 L6 6 M5 -1 L7 1",
    "M3 0 L3 6",
    "M0 3 L6 3 M3 0 L3 6",
    "M1 1 L3 3 M4 4 L6 6",
];

/// The fill of the piece of this number. 7 fills differ.
pub(super) fn fill(number: usize) -> Fill {
    Fill { colour: COLOURS[number % 7], hatch: HATCHES[number % 7] }
}

#[cfg(test)]
mod tests {
    use super::*;

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
