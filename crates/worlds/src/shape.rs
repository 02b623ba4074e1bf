//! Default nodes and processors of runs. This module must never run or measure anything, and
//! never know a machine.
//!
//! Natively every processor is an OS thread that keeps a core busy. So a default never has more processors than this
//! host has [cores](super::cores): times of processors that take turns on a core mean little. A model has the shape of
//! its file or its user. In a comparison with this host it has the host's shapes, since a model of another shape could
//! not be compared with a measurement.

use compare::MachineShape;
use tempest::entry::Least;

/// The nodes of a run on this host: messages go from one to the other.
const NODES: u32 = 2;

/// The shape of a comparison of models alone that are not alike in size.
const OF_MODELS: MachineShape = MachineShape { nodes: 4, processors: 2 };

/// Requested numbers of nodes and of processors of each; `None` leaves one open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AskedShape {
    /// The number of nodes.
    pub nodes: Option<u32>,
    /// The number of processors of each node.
    pub processors: Option<u32>,
}

impl AskedShape {
    /// Whether nothing was asked for.
    pub fn is_nothing(self) -> bool {
        self == Self::default()
    }

    /// `shape`, with the requested numbers in its place.
    pub(crate) fn or(self, shape: MachineShape) -> MachineShape {
        MachineShape {
            nodes: self.nodes.unwrap_or(shape.nodes),
            processors: self.processors.unwrap_or(shape.processors),
        }
    }
}

/// The shape of a run on a host of `cores` cores, for a program that needs at least `least`: two nodes with equal
/// shares of the cores, or one node if there are too few cores. Only a request, or the need of the program, leads to
/// more processors than cores.
pub(crate) fn of_run(asked: AskedShape, least: Least, cores: u32) -> MachineShape {
    let narrowest = asked.processors.unwrap_or(least.processors);
    let nodes = asked.nodes.unwrap_or((cores / narrowest).clamp(1, NODES).max(least.nodes));
    let processors = asked.processors.unwrap_or((cores / nodes).max(least.processors));
    MachineShape { nodes, processors }
}

/// The shapes of a comparison on a host of `cores` cores, one for each of its tables; none if the host has too few
/// cores for any shape that the program can have.
///
/// From two nodes of two processors on, one shape shows both mechanisms and policies. Fewer cores show one at a time:
/// two nodes of one processor, between which data moves by every mechanism; and one node of two processors, enough for
/// a choice of policies. The second is left out if the program needs several nodes.
pub(crate) fn of_host(least: Least, cores: u32) -> Vec<MachineShape> {
    let shape = |nodes, processors| MachineShape { nodes, processors };
    let nodes = NODES.max(least.nodes);
    let each = cores / nodes;
    if each >= least.processors.max(2) {
        return vec![shape(nodes, each)];
    }
    let wide = (each == 1 && least.processors == 1).then_some(shape(nodes, 1));
    let deep = shape(1, least.processors.max(2));
    let deep = (least.nodes == 1 && deep.processors <= cores).then_some(deep);
    wide.into_iter().chain(deep).collect()
}

/// The shapes of a comparison, as far as a person did not choose them. `cores` is the number of cores of this host if it takes
/// part: if they are enough for the program, models have its shapes too.
pub(crate) fn of_comparison(asked: AskedShape, least: Least, cores: Option<u32>) -> Vec<MachineShape> {
    match (cores, asked.is_nothing()) {
        (None, _) => vec![of_models(asked, least)],
        (Some(cores), false) => vec![of_run(asked, least, cores)],
        (Some(cores), true) => match of_host(least, cores) {
            none if none.is_empty() => vec![of_models(asked, least)],
            shapes => shapes,
        },
    }
}

/// The number of all processors.
pub(crate) fn processors(shape: MachineShape) -> u64 {
    u64::from(shape.nodes) * u64::from(shape.processors)
}

/// The least shape in which a program has something to compare on this host.
pub(crate) fn least(least: Least) -> MachineShape {
    MachineShape {
        nodes: if least.processors == 1 { NODES.max(least.nodes) } else { least.nodes },
        processors: least.processors,
    }
}

/// The shape of a comparison of models alone, or with a host that can take no part.
pub(crate) fn of_models(asked: AskedShape, least: Least) -> MachineShape {
    let MachineShape { nodes, processors } = OF_MODELS;
    asked.or(MachineShape { nodes: nodes.max(least.nodes), processors: processors.max(least.processors) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Least = Least::ANY;

    fn pair(MachineShape { nodes, processors }: MachineShape) -> (u32, u32) {
        (nodes, processors)
    }

    fn host(least: Least, cores: u32) -> Vec<(u32, u32)> {
        of_host(least, cores).into_iter().map(pair).collect()
    }

    #[test]
    fn a_comparison_never_has_more_processors_than_cores() {
        for cores in 0..200 {
            for (nodes, processors) in [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (5, 3)] {
                let least = Least { nodes, processors, ..ANY };
                for (n, p) in host(least, cores) {
                    assert!(
                        n * p <= cores && n >= nodes && p >= processors,
                        "{n} of {p} on {cores}: {least:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn few_cores_show_mechanisms_and_policies_one_after_the_other() {
        assert_eq!(host(ANY, 1), []);
        assert_eq!(host(ANY, 2), [(2, 1), (1, 2)]);
        assert_eq!(host(ANY, 3), [(2, 1), (1, 2)]);
        assert_eq!(host(ANY, 4), [(2, 2)]);
        assert_eq!(host(ANY, 7), [(2, 3)]);
        assert_eq!(host(ANY, 64), [(2, 32)]);
        assert_eq!(host(Least { nodes: 2, ..ANY }, 2), [(2, 1)]);
        assert_eq!(host(Least { nodes: 3, ..ANY }, 2), []);
        assert_eq!(host(Least { nodes: 3, ..ANY }, 4), [(3, 1)]);
        assert_eq!(host(Least { processors: 2, ..ANY }, 2), [(1, 2)]);
        assert_eq!(host(Least { processors: 3, ..ANY }, 4), [(1, 3)]);
    }

    #[test]
    fn a_run_has_more_processors_than_cores_only_if_asked_to() {
        let run = |asked, least, cores| pair(of_run(asked, least, cores));
        let asked = |nodes, processors| AskedShape { nodes, processors };
        let nothing = AskedShape::default();
        assert_eq!(
            [1, 2, 3, 4, 64].map(|cores| run(nothing, ANY, cores)),
            [(1, 1), (2, 1), (2, 1), (2, 2), (2, 32)]
        );
        assert_eq!(run(asked(None, Some(2)), ANY, 2), (1, 2));
        assert_eq!(run(asked(Some(8), None), ANY, 4), (8, 1));
        assert_eq!(run(asked(Some(2), Some(2)), ANY, 2), (2, 2));
        assert_eq!(run(nothing, Least { nodes: 2, ..ANY }, 1), (2, 1));
        assert_eq!(run(nothing, Least { processors: 2, ..ANY }, 2), (1, 2));
    }

    #[test]
    fn models_alone_have_a_shape_of_their_own() {
        assert_eq!(pair(of_models(AskedShape::default(), ANY)), (4, 2));
        assert_eq!(pair(of_models(AskedShape::default(), Least { nodes: 9, ..ANY })), (9, 2));
        assert_eq!(pair(of_models(AskedShape { nodes: Some(2), processors: None }, ANY)), (2, 2));
    }
}
