//! The curves of the model of dedicated protocol processors as a picture. This module must never know an equation.

use lab::model::curves::{FACTORS, MOST, Samples, samples};
use lab::model::fixed_floating::Node;

use plot::{Axis, Content, Level, Lines, Panel, Picture, Point, Scale, Series, Shared};

/// The curves of a node in three panels, with what a second processor must gain to be worth its price and to beat
/// Floating.
pub fn fixed_floating(node: &Node) -> Picture {
    let samples = samples(node);
    let panel = |title: &str, x: Axis, points: fn(&Samples) -> &Vec<(f64, f64)>| {
        let series = |samples: &Samples| Series {
            label: label(samples),
            points: points(samples).iter().map(|(x, y)| Point::new(*x, *y)).collect(),
            ..Series::default()
        };
        let lines = Lines {
            x,
            y: Axis::new("T_single / T_fixed", "", Scale::Linear).between(1.0, 5.0),
            series: samples.iter().map(series).collect(),
            levels: vec![
                Level { value: 1.0 + node.price, label: format!("{:.2}: worth its price", 1.0 + node.price) },
                Level { value: 2.0, label: "2: beats Floating".to_owned() },
            ],
            ..Lines::default()
        };
        Panel { title: title.to_owned(), content: Content::Lines(lines) }
    };
    let computation = |scale, from, to| Axis::new("C / L", "", scale).between(from, to);
    let utilization = Axis::new("C / (C + L)", "", Scale::Linear).between(0.0, 1.0);
    Picture {
        title: "A dedicated protocol processor: what it gains, by its share of overhead k".to_owned(),
        caption: "C: computation between two messages. L: latency of a message under Single. k: overhead of a message over \
                  L. Curves of the model's equations."
            .to_owned(),
        panels: vec![
            panel("against computation, by factors", computation(Scale::Log, FACTORS.0, FACTORS.1), |it| &it.by_factor),
            panel("against computation", computation(Scale::Linear, 0.0, MOST), |it| &it.by_step),
            panel("against utilization", utilization, |it| &it.by_utilization),
        ],
        shared: Shared { x: false, y: true },
    }
}

fn label(samples: &Samples) -> String {
    let ratio = format!("k = {:.4}", samples.overhead_ratio);
    let own = if samples.is_own { " (as set)" } else { "" };
    format!("{}{own}", ratio.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_panel_has_every_curve_and_both_bars() {
        let svg = plot::svg(&fixed_floating(&Node::default()));
        let document = roxmltree::Document::parse(&svg).unwrap();
        let texts =
            document.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text());
        let texts = texts.map(str::trim).collect::<Vec<_>>().join(" ");
        for wanted in
            ["k = 1 ", "k = 16 ", "k = 1.2124 (as set)", "1.33: worth its price", "2: beats Floating"]
        {
            assert_eq!(texts.matches(wanted).count(), 3, "{wanted}: {texts}");
        }
    }
}
