//! The division of the factor into dense tiles, and of the tiles among the threads.
//!
//! Outside domains the columns are divided into *panels*, and the rows at the same places: the rows of panel K that lie
//! among the columns of panel I are *block* (I, K), which a thread of a grid of threads owns by I and K (E. Rothberg
//! and A. Gupta, *An efficient block-oriented approach to parallel sparse Cholesky factorization*, SIAM Journal on
//! Scientific Computing 15, 1994). In a domain a supernode is one tile with all of its rows. A domain's contributions
//! to blocks outside are gathered in *updates*, tiles of the domain's owner, one for each block.
//!
//! A tile is a dense matrix by rows. Tiles of a node lie one behind the other in the node's part of an array.
//!
//! This module must never know values, nor how a tile gets to another thread.

use std::ops::Range;

use tempest::{NodeId, Shape, ThreadId};

use super::domains::{Domain, domains, panels};
use super::structure::Structure;
use super::tree::NONE;

/// Words to which the beginning of a tile is aligned: 128 bytes, the largest block of shared memory, so that no block
/// and no line of a cache has two tiles.
pub(super) const ALIGNED: u32 = 16;

/// A dense matrix of values of the factor, or of an update to be subtracted from it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Tile {
    /// The place of its rows among all lists of indices.
    rows: Range<usize>,
    /// The place of its columns among all lists of indices.
    columns: Range<usize>,
    /// The number of its owner among all threads.
    pub(super) owner: u32,
    /// The place of its first value in the part of the owner's node.
    pub(super) at: u32,
}

impl Tile {
    /// The number of rows.
    pub(super) fn height(&self) -> usize {
        self.rows.len()
    }

    /// The number of columns.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// The number of values.
    pub(super) fn len(&self) -> usize {
        self.height() * self.width()
    }
}

/// A block outside of domains.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Block {
    /// The panel whose columns the block's rows are among.
    pub(super) row: u32,
    /// The panel whose columns the block has.
    pub(super) column: u32,
    /// The number of updates that are subtracted from the block before it is finished.
    pub(super) updates: u32,
}

/// The update that a domain subtracts from a block.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Update {
    /// The tile that holds the update, negated.
    pub(super) tile: u32,
    /// The block that it is for.
    pub(super) block: u32,
}

/// The tiles of a domain.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct DomainTiles {
    /// The number of the owner among all threads.
    pub(super) owner: u32,
    /// The tiles of its supernodes, from left to right.
    pub(super) tiles: Range<usize>,
    /// The first column behind the domain.
    pub(super) end: u32,
    /// Updates of the domain, ordered by the column of their block and then by its row.
    pub(super) updates: Vec<Update>,
}

/// The factor of a matrix, divided among the threads of a world.
#[derive(Debug)]
pub(super) struct Tiling {
    /// The number of threads of each node.
    threads: u32,
    /// All tiles: first the blocks, which have the blocks' numbers, then the tiles of domains.
    pub(super) tiles: Vec<Tile>,
    pub(super) blocks: Vec<Block>,
    /// The blocks of each panel's columns: the one on the diagonal, and those below it.
    pub(super) panels: Vec<Range<u32>>,
    pub(super) domains: Vec<DomainTiles>,
    /// The words of each node's part.
    pub(super) words: Vec<u32>,
    /// The lists of row and column indices of tiles.
    indices: Vec<u32>,
    /// The panel of each column; `NONE` in a domain.
    panel_of: Vec<u32>,
}

impl Tiling {
    /// Divides a factor: panels of at most `width` columns, domains and blocks for the threads of `problem`, whose
    /// tiles are dealt out to the threads of `shape` in turn.
    pub(super) fn new(structure: &Structure, width: u32, problem: Shape, shape: Shape) -> Self {
        let divided = problem.nodes * problem.threads;
        let domains = domains(structure, divided);
        let panels = panels(structure, &domains, width);
        let mut panel_of = vec![NONE; structure.counts.len()];
        for (number, (_, columns)) in (0..).zip(&panels) {
            panel_of[columns.start as usize..columns.end as usize].fill(number);
        }
        let mut tiling = Self {
            threads: shape.threads,
            tiles: Vec::new(),
            blocks: Vec::new(),
            panels: Vec::new(),
            domains: Vec::new(),
            words: vec![0; shape.nodes as usize],
            indices: Vec::new(),
            panel_of,
        };
        let grid = Grid::of(divided, shape.nodes * shape.threads);
        for (supernode, columns) in &panels {
            tiling.add_panel(structure.rows(*supernode), columns.clone(), &grid);
        }
        tiling.count_updates();
        for domain in &domains {
            tiling.add_domain(structure, domain, &grid);
        }
        tiling
    }

    /// The thread of a number among all threads.
    pub(super) fn thread(&self, number: u32) -> ThreadId {
        ThreadId { node: NodeId(number / self.threads), index: number % self.threads }
    }

    /// The number of a thread among all threads.
    pub(super) fn number(&self, thread: ThreadId) -> u32 {
        thread.node.0 * self.threads + thread.index
    }

    /// The matrix rows of a tile, ascending.
    pub(super) fn rows(&self, tile: usize) -> &[u32] {
        &self.indices[self.tiles[tile].rows.clone()]
    }

    /// The matrix columns of a tile, ascending.
    pub(super) fn columns(&self, tile: usize) -> &[u32] {
        &self.indices[self.tiles[tile].columns.clone()]
    }

    /// The block of these panels.
    ///
    /// # Panics
    /// If there is none. Two blocks of one panel's columns always update an existing block.
    pub(super) fn block(&self, row: u32, column: u32) -> u32 {
        let blocks = self.panels[column as usize].clone();
        let among = &self.blocks[blocks.start as usize..blocks.end as usize];
        let place =
            among.binary_search_by_key(&row, |block| block.row).expect("the factor has what an update fills");
        blocks.start + place as u32
    }

    /// The block that two blocks of one panel's columns update together.
    pub(super) fn target(&self, one: u32, other: u32) -> u32 {
        let [one, other] = [one, other].map(|block| self.blocks[block as usize].row);
        self.block(one.max(other), one.min(other))
    }

    /// The tile, among consecutive tiles of a domain, that has a column.
    pub(super) fn tile_of_column(&self, tiles: Range<usize>, column: u32) -> usize {
        let begins = |tile: &Tile| self.indices[tile.columns.start] <= column;
        tiles.start + self.tiles[tiles].partition_point(begins) - 1
    }

    /// The tiles that are part of the factor: all but updates.
    pub(super) fn of_factor(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.blocks.len()).chain(self.domains.iter().flat_map(|domain| domain.tiles.clone()))
    }

    /// Divides ascending matrix rows, none of which is in a domain, by their panels. Each part is a panel and the places of its rows.
    pub(super) fn by_panel<'r>(&'r self, rows: &'r [u32]) -> impl Iterator<Item = (u32, Range<usize>)> + 'r {
        let mut first = 0;
        rows.chunk_by(|&a, &b| self.panel_of[a as usize] == self.panel_of[b as usize]).map(move |part| {
            let places = first..first + part.len();
            first = places.end;
            (self.panel_of[part[0] as usize], places)
        })
    }

    fn add_tile(&mut self, rows: &[u32], columns: &[u32], owner: u32) -> u32 {
        let mut add = |list: &[u32]| {
            let first = self.indices.len();
            self.indices.extend(list);
            first..self.indices.len()
        };
        let (rows, columns) = (add(rows), add(columns));
        let words = &mut self.words[(owner / self.threads) as usize];
        let tile = Tile { rows, columns, owner, at: *words };
        *words += (tile.len() as u32).next_multiple_of(ALIGNED);
        self.tiles.push(tile);
        self.tiles.len() as u32 - 1
    }

    /// Adds the blocks of a panel, whose supernode has these rows.
    fn add_panel(&mut self, rows: &[u32], columns: Range<u32>, grid: &Grid) {
        let first = self.blocks.len() as u32;
        let column = self.panels.len() as u32;
        let rows = &rows[rows.partition_point(|&row| row < columns.start)..];
        let columns: Vec<u32> = columns.collect();
        let parts: Vec<_> = self.by_panel(rows).collect();
        for (row, places) in parts {
            self.add_tile(&rows[places], &columns, grid.owner(row, column));
            self.blocks.push(Block { row, column, updates: 0 });
        }
        self.panels.push(first..self.blocks.len() as u32);
    }

    /// Counts the updates of each block by others.
    fn count_updates(&mut self) {
        for blocks in self.panels.clone() {
            for one in blocks.clone().skip(1) {
                for other in blocks.start + 1..=one {
                    let target = self.target(one, other);
                    self.blocks[target as usize].updates += 1;
                }
            }
        }
    }

    fn add_domain(&mut self, structure: &Structure, domain: &Domain, grid: &Grid) {
        let owner = grid.thread(domain.owner);
        let first = self.tiles.len();
        for supernode in domain.supernodes.clone() {
            let columns: Vec<u32> = structure.supernodes[supernode].columns.clone().collect();
            self.add_tile(structure.rows(supernode), &columns, owner);
        }
        let tiles = first..self.tiles.len();
        let root = domain.supernodes.end - 1;
        let columns = structure.supernodes[root].columns.clone();
        let outside = &structure.rows(root)[columns.len()..];
        let parts: Vec<_> = self.by_panel(outside).collect();
        let mut updates = Vec::new();
        for (place, (column, columns)) in parts.iter().enumerate() {
            for (row, rows) in &parts[place..] {
                let tile = self.add_tile(&outside[rows.clone()], &outside[columns.clone()], owner);
                let block = self.block(*row, *column);
                self.blocks[block as usize].updates += 1;
                updates.push(Update { tile, block });
            }
        }
        self.domains.push(DomainTiles { owner, tiles, end: columns.end, updates });
    }
}

/// The grid of threads that blocks are dealt out to, as square as the number of threads allows.
struct Grid {
    rows: u32,
    columns: u32,
    /// The number of existing threads. The grid may have more.
    threads: u32,
}

impl Grid {
    fn of(divided: u32, threads: u32) -> Self {
        let rows = (1..=divided.isqrt()).rev().find(|&rows| divided.is_multiple_of(rows)).unwrap_or(1);
        Self { rows, columns: divided / rows, threads }
    }

    fn owner(&self, row: u32, column: u32) -> u32 {
        self.thread(row % self.rows * self.columns + column % self.columns)
    }

    fn thread(&self, number: u32) -> u32 {
        number % self.threads
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::order::Order;
    use super::super::problem::Problem;
    use super::*;
    use crate::kit::matrices::{BUS, JAGMESH, STIFFNESS, input};

    const SHAPES: [(u32, u32); 4] = [(1, 1), (2, 3), (4, 4), (3, 1)];

    fn tilings() -> impl Iterator<Item = (Problem, Tiling)> {
        [BUS, JAGMESH, STIFFNESS].into_iter().flat_map(|name| {
            let problem = Problem::new(&input(name), Order::MinimumDegree).unwrap();
            SHAPES.into_iter().map(move |(nodes, threads)| {
                let shape = Shape { nodes, threads };
                let tiling = Tiling::new(&problem.structure, 8, shape, shape);
                (problem.clone(), tiling)
            })
        })
    }

    #[test]
    fn each_entry_of_the_factor_is_in_one_tile() {
        for (problem, tiling) in tilings() {
            let mut entries = HashSet::new();
            for tile in tiling.of_factor() {
                for &row in tiling.rows(tile) {
                    let lower = tiling.columns(tile).iter().filter(|&&column| column <= row);
                    lower.for_each(|&column| {
                        assert!(entries.insert((row, column)), "({row}, {column}) is twice")
                    });
                }
            }
            assert_eq!(entries.len() as u64, problem.structure.entries());
        }
    }

    #[test]
    fn tiles_of_a_node_do_not_overlap() {
        for (_, tiling) in tilings() {
            let mut parts: Vec<_> = tiling
                .tiles
                .iter()
                .map(|tile| (tiling.thread(tile.owner).node.0, tile.at, tile.at + tile.len() as u32))
                .collect();
            parts.sort_unstable();
            assert!(parts.windows(2).all(|two| two[0].0 != two[1].0 || two[0].2 <= two[1].1));
            assert!(parts.iter().all(|&(node, _, end)| end <= tiling.words[node as usize]));
        }
    }

    /// The pairs of blocks, and the domains, that update a block are counted, and have all rows and columns that they fill.
    #[test]
    fn updates_are_counted_and_find_their_places() {
        for (_, tiling) in tilings() {
            let mut counts = vec![0; tiling.blocks.len()];
            let mut fill = |from: (&[u32], &[u32]), block: u32| {
                let (rows, columns) = (tiling.rows(block as usize), tiling.columns(block as usize));
                assert!(
                    from.0.iter().all(|row| rows.contains(row))
                        && from.1.iter().all(|row| columns.contains(row))
                );
                counts[block as usize] += 1;
            };
            for blocks in &tiling.panels {
                for one in blocks.start + 1..blocks.end {
                    for other in blocks.start + 1..=one {
                        let from = (tiling.rows(one as usize), tiling.rows(other as usize));
                        fill(from, tiling.target(one, other));
                    }
                }
            }
            for update in tiling.domains.iter().flat_map(|domain| &domain.updates) {
                let tile = update.tile as usize;
                fill((tiling.rows(tile), tiling.columns(tile)), update.block);
            }
            assert!(tiling.blocks.iter().zip(counts).all(|(block, count)| block.updates == count));
        }
    }

    #[test]
    fn one_thread_has_no_blocks() {
        let problem = Problem::new(&input(JAGMESH), Order::MinimumDegree).unwrap();
        let one = Shape { nodes: 1, threads: 1 };
        let whole = Tiling::new(&problem.structure, 8, one, one);
        assert!(whole.blocks.is_empty() && whole.domains.iter().all(|domain| domain.updates.is_empty()));
        // A baseline computes on one thread the work of the threads of another shape.
        let divided = Tiling::new(&problem.structure, 8, Shape { nodes: 4, threads: 2 }, one);
        assert!(!divided.blocks.is_empty() && divided.tiles.iter().all(|tile| tile.owner == 0));
    }
}
