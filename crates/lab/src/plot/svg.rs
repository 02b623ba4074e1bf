//! The few elements of SVG that a picture is made of. Must never know what is drawn.

use std::fmt::Write;

/// On which side of its place a text stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture that is being written.
pub(super) struct Svg {
    text: String,
}

impl Svg {
    pub(super) fn new(width: f64, height: f64, title: &str) -> Self {
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" font-family=\"sans-serif\" role=\"img\">\n<title>{}</title>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
            escaped(title)
        );
        Self { text }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a text never fails.
        let _ = writeln!(self.text, "{line}");
    }

    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, size: f64, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.line(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\">{}</text>",
            escaped(text)
        ));
    }

    /// A text that ends here, with a white edge so that it can be read across lines.
    pub(super) fn label(&mut self, (x, y): (f64, f64), size: f64, text: &str) {
        self.line(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"end\" stroke=\"#ffffff\" \
             stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
            escaped(text)
        ));
    }

    /// A text that reads upwards.
    pub(super) fn upright(&mut self, (x, y): (f64, f64), size: f64, text: &str) {
        self.line(format_args!(
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" font-size=\"{size}\" \
             text-anchor=\"middle\">{}</text>",
            escaped(text)
        ));
    }

    /// Points joined by lines of a colour and with dashes; nothing for no point.
    pub(super) fn path(&mut self, points: &[(f64, f64)], (colour, dashes): (&str, &str), width: f64) {
        if points.is_empty() {
            return;
        }
        let places: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        let dashes =
            if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
        self.line(format_args!(
            "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{dashes}/>",
            places.join(" L")
        ));
    }

    /// What follows is only seen inside of this rectangle.
    pub(super) fn clip(&mut self, number: usize, (x, y): (f64, f64), (width, height): (f64, f64)) {
        self.line(format_args!(
            "<clipPath id=\"panel-{number}\"><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"/></clipPath>\n<g clip-path=\"url(#panel-{number})\">"
        ));
    }

    pub(super) fn end_clip(&mut self) {
        self.line(format_args!("</g>"));
    }

    pub(super) fn frame(&mut self, (x, y): (f64, f64), (width, height): (f64, f64)) {
        self.line(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" \
             stroke=\"#404040\"/>"
        ));
    }

    pub(super) fn finish(mut self) -> String {
        self.text += "</svg>\n";
        self.text
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
