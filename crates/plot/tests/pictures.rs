//! Pictures of any data are well-formed, whole and inside of their edges. These tests must never know how a picture is computed.

use proptest::prelude::*;
use roxmltree::{Document, Node};
use tradewind_plot::{
    Axis, Bar, Bars, Block, BlockKind, Content, Diagram, Field, Interval, Level, Lines, Map, MapRow, Palette,
    Panel, Picture, Piece, Point, Scale, Series, Shared, svg,
};

/// Numbers that programs yield, and numbers that they should not.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => -1e3..1e6,
        3 => (0_i32..20).prop_map(|power| 2_f64.powi(power)),
        2 => any::<f64>(),
        1 => prop::sample::select(vec![0.0, -0.0, 1.0, f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, 1e100, -1e-100]),
    ]
}

fn text() -> impl Strategy<Value = String> {
    let odd = vec![
        "",
        "<&\"'>",
        "]]>",
        "a\u{0}b\nc\t",
        "\u{fffe}",
        "日本語の長い名前",
        "averylongnamewithoutanyplacetobreakit",
    ];
    prop_oneof![4 => "[a-z]{1,9}( [a-z:0-9]{1,9}){0,3}", 1 => prop::sample::select(odd).prop_map(str::to_owned), 1 => ".{0,40}"]
}

fn interval() -> impl Strategy<Value = Option<Interval>> {
    prop::option::of((value(), value()).prop_map(|(low, high)| Interval { low, high }))
}

fn axis() -> impl Strategy<Value = Axis> {
    let unit = prop::sample::select(vec!["", "ns", "s", "MB/s", "cycles"]);
    let scale = prop::sample::select(vec![Scale::Linear, Scale::Log]);
    let end = || prop::option::weighted(0.2, value());
    (text(), unit, scale, end(), end()).prop_map(|(label, unit, scale, from, to)| Axis {
        label,
        unit: unit.to_owned(),
        scale,
        from,
        to,
    })
}

fn series() -> impl Strategy<Value = Series> {
    let point = || {
        let parts = (value(), prop::option::weighted(0.9, value()), interval());
        parts.prop_map(|(x, y, interval)| Point { x, y, interval })
    };
    let (points, references) = (prop::collection::vec(point(), 0..40), prop::collection::vec(point(), 0..4));
    let names = prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(text(), 1..40)];
    (text(), points, names, references).prop_map(|(label, points, names, references)| Series {
        label,
        points,
        names,
        references,
    })
}

fn lines() -> impl Strategy<Value = Content> {
    let levels =
        || prop::collection::vec((value(), text()).prop_map(|(value, label)| Level { value, label }), 0..3);
    (axis(), axis(), prop::collection::vec(series(), 0..9), levels(), levels()).prop_map(
        |(x, y, series, levels, multiples)| Content::Lines(Lines { x, y, series, levels, multiples }),
    )
}

fn bars() -> impl Strategy<Value = Content> {
    let piece = (text(), value()).prop_map(|(label, value)| Piece { label, value });
    let pieces = prop::collection::vec(piece, 0..4);
    let from = prop_oneof![3 => Just(0.0), 1 => value()];
    let length = |share| prop::option::weighted(share, value());
    let bar = (text(), from, length(0.9), pieces, interval(), length(0.3), text()).prop_map(
        |(label, from, value, pieces, interval, reference, note)| Bar {
            label,
            from,
            value,
            pieces,
            interval,
            reference,
            note,
        },
    );
    let unit = prop::sample::select(vec!["", "ns", "B/s"]);
    (text(), unit, prop::collection::vec(bar, 0..9), prop::option::weighted(0.3, value())).prop_map(
        |(label, unit, bars, to)| {
            Content::Bars(Bars { label, unit: unit.to_owned(), bars, to, palette: Palette::Second })
        },
    )
}

fn map() -> impl Strategy<Value = Content> {
    let field = (value(), value(), text(), text(), any::<bool>())
        .prop_map(|(value, shade, text, note, outlined)| Field { value, shade, text, note, outlined });
    let row = (text(), prop::collection::vec(prop::option::of(field), 0..6))
        .prop_map(|(label, fields)| MapRow { label, fields });
    (text(), text(), prop::collection::vec(text(), 0..12), prop::collection::vec(row, 0..6)).prop_map(
        |(across, end, columns, rows)| Content::Map(Map { across, scale: [end.clone(), end], columns, rows }),
    )
}

fn diagram() -> impl Strategy<Value = Content> {
    let kind = prop::sample::select(vec![
        BlockKind::Frame,
        BlockKind::Processor,
        BlockKind::Memory,
        BlockKind::Wire,
    ]);
    let block = ((value(), value(), value(), value()), text(), prop::collection::vec(text(), 0..4), kind)
        .prop_map(|(place, title, lines, kind)| Block { place, title, lines, kind });
    let wire = prop::collection::vec((value(), value()), 0..4);
    ((value(), value()), prop::collection::vec(block, 0..5), prop::collection::vec(wire, 0..4))
        .prop_map(|(size, boxes, wires)| Content::Diagram(Diagram { size, boxes, wires }))
}

fn picture() -> impl Strategy<Value = Picture> {
    let panel = (text(), prop_oneof![lines(), bars(), map(), diagram()])
        .prop_map(|(title, content)| Panel { title, content });
    (text(), text(), prop::collection::vec(panel, 0..8), any::<bool>(), any::<bool>()).prop_map(
        |(title, caption, panels, x, y)| Picture { title, caption, panels, shared: Shared { x, y } },
    )
}

/// Every coordinate of an element, as pairs.
fn places(node: &Node<'_, '_>) -> Vec<(f64, f64)> {
    let number = |name: &str| node.attribute(name).map(|text| text.parse::<f64>().expect(text));
    let pairs = |text: &str| -> Vec<(f64, f64)> {
        let numbers = text.split(['M', 'L', ' ', ',']).filter(|word| !word.is_empty());
        let numbers: Vec<f64> = numbers.map(|word| word.parse().expect(text)).collect();
        assert_eq!(numbers.len() % 2, 0, "{text}");
        numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect()
    };
    match node.tag_name().name() {
        "path" => pairs(node.attribute("d").expect("a path has data")),
        "polygon" => pairs(node.attribute("points").expect("a polygon has corners")),
        "circle" => vec![(number("cx").expect("a centre"), number("cy").expect("a centre"))],
        "text" => vec![(number("x").expect("a place"), number("y").expect("a place"))],
        "rect" => {
            let (left, top) = (number("x").unwrap_or(0.0), number("y").unwrap_or(0.0));
            let (width, height) = (number("width").expect("a width"), number("height").expect("a height"));
            assert!(width >= 0.0 && height >= 0.0);
            vec![(left, top), (left + width, top + height)]
        }
        _ => Vec::new(),
    }
}

/// The elements that are seen: those outside of definitions.
fn seen<'a, 'd>(document: &'a Document<'d>) -> impl Iterator<Item = Node<'a, 'd>> {
    document
        .descendants()
        .filter(|node| node.is_element() && !node.ancestors().any(|around| around.has_tag_name("defs")))
}

fn check(picture: &Picture) {
    let svg = svg(picture);
    // A page has many pictures, whose names must not be each other's; and printers make large images of patterns.
    assert!(!svg.contains("id=\"") && !svg.contains("<pattern"), "{svg}");
    let document = Document::parse(&svg).unwrap_or_else(|error| panic!("{error}\n{svg}"));
    let root = document.root_element();
    let size = |name: &str| root.attribute(name).expect("a size").parse::<f64>().expect("a number");
    let (width, height) = (size("width"), size("height"));
    assert_eq!(root.attribute("viewBox"), Some(format!("0 0 {width} {height}").as_str()));
    for node in seen(&document) {
        for (x, y) in places(&node) {
            assert!((0.0..=width).contains(&x) && (0.0..=height).contains(&y), "{x} {y}: {node:?}");
        }
    }
    let has = |tag: &str| root.children().any(|node| node.has_tag_name(tag));
    assert!(has("title") && has("desc"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_data_give_a_well_formed_picture_inside_its_edges(picture in picture()) {
        check(&picture);
    }
}

fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).expect("a picture is well-formed");
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.text().unwrap_or_default().trim().to_owned()).collect()
}

fn one(lines: Lines) -> String {
    let panels = vec![Panel { title: String::new(), content: Content::Lines(lines) }];
    svg(&Picture { title: "one".to_owned(), panels, ..Picture::default() })
}

#[test]
fn a_panel_without_anything_says_so() {
    assert!(texts(&one(Lines::default())).contains(&"nothing to draw".to_owned()));
    let nothing =
        Series { label: "none".to_owned(), points: vec![Point::new(1.0, f64::NAN)], ..Series::default() };
    let texts = texts(&one(Lines { series: vec![nothing], ..Lines::default() }));
    assert!(texts.contains(&"nothing to draw".to_owned()));
    assert!(texts.contains(&"Not drawn: 1 value not finite (none).".to_owned()), "{texts:?}");
}

#[test]
fn no_name_covers_another() {
    let series = |number: u32| Series {
        label: format!("series {number}"),
        points: vec![Point::new(0.0, f64::from(number)), Point::new(1.0, 1.0)],
        ..Series::default()
    };
    let svg = one(Lines { series: (0..30).map(series).collect(), ..Lines::default() });
    let document = Document::parse(&svg).expect("a picture is well-formed");
    let names = document
        .descendants()
        .filter(|node| node.text().is_some_and(|text| text.trim().starts_with("series ")));
    let names = names.filter(|node| node.has_tag_name("text"));
    let mut heights: Vec<f64> = names.map(|node| node.attribute("y").unwrap().parse().unwrap()).collect();
    heights.sort_by(f64::total_cmp);
    assert_eq!(heights.len(), 30);
    assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= 12.0), "{heights:?}");
}

#[test]
fn a_line_has_a_gap_where_there_is_no_value() {
    let points = |middle| {
        vec![Point::new(0.0, 1.0), Point::new(1.0, 2.0), middle, Point::new(3.0, 2.0), Point::new(4.0, 1.0)]
    };
    let dashed = |middle| {
        let series = Series { label: String::new(), points: points(middle), ..Series::default() };
        let svg = one(Lines { series: vec![series], ..Lines::default() });
        svg.matches("stroke=\"#0072b2\" stroke-linejoin").count()
    };
    assert_eq!(dashed(Point::new(2.0, 1.0)), 1);
    assert_eq!(dashed(Point { x: 2.0, y: None, interval: None }), 2);
}

#[test]
fn nothing_is_told_by_colour_alone() {
    let series = |number: u32| Series {
        label: format!("s{number}"),
        points: vec![Point::new(0.0, f64::from(number)), Point::new(1.0, f64::from(number))],
        ..Series::default()
    };
    let svg = one(Lines { series: (0..7).map(series).collect(), ..Lines::default() });
    let document = Document::parse(&svg).expect("a picture is well-formed");
    let wide = document.descendants().filter(|node| node.attribute("stroke-width") == Some("1.8"));
    let mut dashes: Vec<_> =
        wide.map(|node| node.attribute("stroke-dasharray").unwrap_or_default()).collect();
    dashes.sort_unstable();
    dashes.dedup();
    assert_eq!(dashes.len(), 7);
}

#[test]
fn bars_show_their_values_and_lengths() {
    let bar = |label: &str, value: f64| Bar { label: label.to_owned(), value: Some(value), ..Bar::default() };
    let bars = Bars {
        label: "time".to_owned(),
        unit: "ns".to_owned(),
        bars: vec![bar("a", 1e6), bar("b", 2e6)],
        to: None,
        palette: Palette::First,
    };
    let panels = vec![Panel { title: String::new(), content: Content::Bars(bars) }];
    let svg = svg(&Picture { panels, ..Picture::default() });
    let texts = texts(&svg);
    assert!(
        ["1.00 ms", "2.00 ms", "time, ms"].iter().all(|text| texts.contains(&(*text).to_owned())),
        "{texts:?}"
    );
    let document = Document::parse(&svg).expect("a picture is well-formed");
    let lengths = document.descendants().filter(|node| node.attribute("fill") == Some("#0072b2"));
    let lengths: Vec<f64> = lengths.map(|node| node.attribute("width").unwrap().parse().unwrap()).collect();
    assert!((lengths[1] / lengths[0] - 2.0).abs() < 1e-2, "{lengths:?}");
}

#[test]
fn a_bar_that_is_too_long_is_cut_and_says_its_value() {
    let bar = |label: &str, value: f64| Bar { label: label.to_owned(), value: Some(value), ..Bar::default() };
    let bars = vec![bar("a", 2e6), bar("b", 4e6), bar("c", 3e9)];
    let bars = Bars {
        label: "time".to_owned(),
        unit: "ns".to_owned(),
        bars,
        to: Some(8e6),
        palette: Palette::First,
    };
    let panels = vec![Panel { title: String::new(), content: Content::Bars(bars) }];
    let svg = svg(&Picture { panels, ..Picture::default() });
    let texts = texts(&svg);
    assert!(["2.00 ms", "3000 ms"].iter().all(|text| texts.contains(&(*text).to_owned())), "{texts:?}");
    let document = Document::parse(&svg).expect("a picture is well-formed");
    let lengths = document.descendants().filter(|node| node.attribute("fill") == Some("#0072b2"));
    let lengths: Vec<f64> = lengths.map(|node| node.attribute("width").unwrap().parse().unwrap()).collect();
    assert!((lengths[1] / lengths[0] - 2.0).abs() < 1e-2 && lengths[2] / lengths[0] < 4.01, "{lengths:?}");
    assert_eq!(svg.matches("stroke=\"#ffffff\"").count(), 2, "the cut is marked");
}

/// The places across and the heights of the outlines that a picture has.
fn outlines(svg: &str) -> Vec<(f64, f64)> {
    let document = Document::parse(svg).expect("a picture is well-formed");
    let hollow =
        document.descendants().filter(|it| it.has_tag_name("circle") && it.attribute("fill") == Some("none"));
    hollow.map(|node| places(&node)[0]).collect()
}

#[test]
fn a_point_for_comparison_is_hollow_and_joined_to_nothing() {
    let with = |references: Vec<Point>| {
        let points = vec![Point::new(0.0, 1.0), Point::new(1.0, 2.0)];
        let series = Series { label: "a".to_owned(), points, references, ..Series::default() };
        one(Lines { series: vec![series], ..Lines::default() })
    };
    let (without, svg) = (with(Vec::new()), with(vec![Point::new(0.0, 3.0), Point::new(1.0, f64::NAN)]));
    assert!(!without.contains("for comparison") && outlines(&without).is_empty());
    assert!(svg.contains("a, for comparison: 3 at 0") && svg.contains("; for comparison 3 at 0."), "{svg}");
    assert!(svg.contains("data-references=\"0,3\"") && svg.contains("1 value not finite (a)"), "{svg}");
    let lines = |svg: &str| svg.matches("stroke=\"#0072b2\" stroke-linejoin").count();
    assert_eq!(lines(&svg), lines(&without));
    // The upright axis reaches as high as the point does.
    let [(_, top)] = outlines(&svg)[..] else { panic!("one outline: {svg}") };
    let document = Document::parse(&svg).expect("a picture is well-formed");
    let full = document.descendants().filter(|it| it.attribute("r") == Some("3.2"));
    assert!(full.map(|node| places(&node)[0].1).all(|height| height > top + 20.0), "{svg}");
}

#[test]
fn a_length_for_comparison_is_a_tick_across_the_bar() {
    let bar = |label: &str, value: Option<f64>, reference: Option<f64>| Bar {
        label: label.to_owned(),
        value,
        reference,
        ..Bar::default()
    };
    let bars = vec![bar("a", Some(1e6), Some(2e6)), bar("b", Some(1e6), None), bar("c", None, Some(1e6))];
    let bars = Bars { label: "time".to_owned(), unit: "ns".to_owned(), bars, ..Bars::default() };
    let panels = vec![Panel { title: String::new(), content: Content::Bars(bars) }];
    let svg = svg(&Picture { panels, ..Picture::default() });
    let document = Document::parse(&svg).expect("a picture is well-formed");
    let ticks = document.descendants().filter(|it| it.attribute("stroke-width") == Some("2.2"));
    let ticks: Vec<_> = ticks.map(|node| places(&node)).collect();
    assert_eq!(ticks.len(), 2, "{svg}");
    let ends = document.descendants().filter(|it| it.attribute("fill") == Some("#0072b2"));
    let ends: Vec<f64> = ends.map(|node| places(&node)[1].0).collect();
    assert!((ticks[1][0].0 - ends[0]).abs() < 0.2 && ticks[0][0].0 > ends[0] + 20.0, "{ticks:?} {ends:?}");
    assert!(svg.contains("a: 1 ms; for comparison 2 ms") && svg.contains("c: for comparison 1 ms."), "{svg}");
}
