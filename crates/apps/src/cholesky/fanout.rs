//! The work of a thread of cholesky: it factors its domains, and then its blocks, each as soon as all updates of it have been subtracted.
//!
//! A thread that has finished a block *announces* it to the threads that need it. The block on the diagonal of a panel
//! is needed by the owners of the blocks below it, which divide by it. Two blocks (I, K) and (J, K) of one panel's
//! columns update block (I, J): a thread pairs a block that is announced to it with the earlier announced blocks of the
//! same columns, and subtracts the products for its own blocks. A finished domain is announced to the owners of the
//! blocks that it updates. A block is finished when its last update has been subtracted and it has been divided. So in
//! any order of announcements, each update is subtracted once, and the order of the subtractions is that of the
//! announcements.
//!
//! This module must never know how an announcement or a tile gets to another thread.

use std::collections::VecDeque;
use std::ops::Range;

use tempest::Thread;

use super::dense::{self, Room, negated_product};
use super::problem::Problem;
use super::tiling::{DomainTiles, Tiling};
use super::work::{ANNOUNCE, flops, of_division, of_factor, of_product};

/// A finished tile or domain that a thread announces: a block by its number, or a domain by its number behind all
/// blocks.
pub(super) type Announcement = u32;

/// The tiles as one thread reaches them.
pub(super) trait Tiles {
    /// Replaces `into` by values of a tile, by their places in it.
    fn read(&self, tile: usize, values: Range<usize>, into: &mut Vec<f64>);

    /// Replaces values of a tile of this thread, from a place on.
    fn write(&self, tile: usize, first: usize, values: &[f64]);

    /// The index of the first value of a tile.
    fn first(&self, tile: usize) -> usize;

    /// Adds to values of a tile of this thread: `places` says of each value how far behind index `first` it goes, ascending.
    fn add(&self, first: usize, places: &[u32], values: &[f64]);

    /// Announces a finished tile or domain to another thread, by its number among all threads.
    fn announce(&self, to: u32, what: Announcement);
}

/// The receivers of each announcement, by their numbers among all threads, and the number of announcements that each thread gets from others.
#[derive(Debug)]
pub(super) struct Audience {
    receivers: Vec<Vec<u32>>,
    pub(super) expected: Vec<u32>,
}

impl Audience {
    /// Finds the receivers of all announcements of `threads` threads.
    pub(super) fn of(tiling: &Tiling, threads: u32) -> Self {
        let owner = |block: u32| tiling.tiles[block as usize].owner;
        let mut receivers = Vec::with_capacity(tiling.blocks.len() + tiling.domains.len());
        for blocks in &tiling.panels {
            let below = blocks.start + 1..blocks.end;
            receivers.push(distinct(below.clone().map(owner)));
            for one in below.clone() {
                receivers.push(distinct(below.clone().map(|other| owner(tiling.target(one, other)))));
            }
        }
        for domain in &tiling.domains {
            receivers.push(distinct(domain.updates.iter().map(|update| owner(update.block))));
        }
        let mut expected = vec![0; threads as usize];
        for (what, receivers) in receivers.iter().enumerate() {
            let sender = tiling.finisher(what as u32);
            let others = receivers.iter().filter(|&&receiver| receiver != sender);
            others.for_each(|&receiver| expected[receiver as usize] += 1);
        }
        Self { receivers, expected }
    }

    /// The receivers of an announcement, by their numbers among all threads, ascending.
    pub(super) fn receivers(&self, what: Announcement) -> &[u32] {
        &self.receivers[what as usize]
    }
}

fn distinct(threads: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut threads: Vec<_> = threads.collect();
    threads.sort_unstable();
    threads.dedup();
    threads
}

impl Tiling {
    /// The domain that an announcement tells of; `None` if it tells of a block.
    pub(super) fn domain(&self, what: Announcement) -> Option<&DomainTiles> {
        self.domains.get((what as usize).checked_sub(self.blocks.len())?)
    }

    /// The number of the thread that makes an announcement.
    pub(super) fn finisher(&self, what: Announcement) -> u32 {
        self.domain(what).map_or_else(|| self.tiles[what as usize].owner, |domain| domain.owner)
    }
}

/// The part of the factorization that one thread does.
pub(super) struct Worker<'w, T> {
    tiling: &'w Tiling,
    audience: &'w Audience,
    thread: &'w Thread<'w>,
    tiles: &'w T,
    me: u32,
    /// For each block, the number of updates that have not been subtracted yet.
    missing: Vec<u32>,
    /// For each panel, whether the block on its diagonal has been announced to this thread.
    divisible: Vec<bool>,
    /// For each panel, the blocks below its diagonal that have been announced to this thread.
    heard: Vec<Vec<u32>>,
    /// Tiles that this thread has finished and has still to deal with itself.
    own: VecDeque<Announcement>,
    scratch: Scratch,
}

/// Room for values that a thread works on.
#[derive(Default)]
struct Scratch {
    a: Vec<f64>,
    b: Vec<f64>,
    product: Vec<f64>,
    rows: Vec<u32>,
    columns: Vec<u32>,
    room: Room,
}

impl<'w, T: Tiles> Worker<'w, T> {
    pub(super) fn new(
        tiling: &'w Tiling,
        audience: &'w Audience,
        thread: &'w Thread<'w>,
        tiles: &'w T,
    ) -> Self {
        Self {
            missing: tiling.blocks.iter().map(|block| block.updates).collect(),
            divisible: vec![false; tiling.panels.len()],
            heard: vec![Vec::new(); tiling.panels.len()],
            own: VecDeque::new(),
            scratch: Scratch::default(),
            me: tiling.number(thread.id()),
            tiling,
            audience,
            thread,
            tiles,
        }
    }

    /// Writes the entries of the matrix into the tiles of this thread, and zeros into its updates.
    pub(super) fn begin(&self, problem: &Problem) {
        let mut values = Vec::new();
        for tile in self.tiling.of_factor().filter(|&tile| self.is_mine(tile)) {
            self.values_of_matrix(problem, tile, &mut values);
            self.tiles.write(tile, 0, &values);
            self.thread.poll();
        }
        let updates = self.tiling.domains.iter().flat_map(|domain| &domain.updates);
        for update in updates.filter(|update| self.is_mine(update.tile as usize)) {
            let tile = update.tile as usize;
            self.tiles.write(tile, 0, &vec![0.0; self.tiling.tiles[tile].len()]);
            self.thread.poll();
        }
    }

    /// Sets `values` to the matrix's values at the places of a tile.
    fn values_of_matrix(&self, problem: &Problem, tile: usize, values: &mut Vec<f64>) {
        let (rows, columns) = (self.tiling.rows(tile), self.tiling.columns(tile));
        values.clear();
        values.resize(rows.len() * columns.len(), 0.0);
        for (place, &column) in columns.iter().enumerate() {
            let (stored, of_column) = problem.columns.column(column as usize);
            for (row, &value) in stored.iter().zip(of_column) {
                if let Ok(at) = rows.binary_search(row) {
                    values[at * columns.len() + place] = value;
                }
            }
        }
    }

    /// Factors the domains of this thread, and blocks without updates.
    pub(super) fn begin_factor(&mut self) {
        let tiling = self.tiling;
        for (what, domain) in (tiling.blocks.len() as u32..).zip(&tiling.domains) {
            if domain.owner == self.me {
                self.factor_domain(domain);
                self.announce(what);
            }
        }
        for block in 0..tiling.blocks.len() {
            if self.is_mine(block) && self.missing[block] == 0 {
                self.finish(block as u32);
            }
        }
        self.deal_with_own();
    }

    /// Handles an announcement of another thread, and all work that it enables on this thread.
    pub(super) fn take(&mut self, what: Announcement) {
        self.thread.charge(ANNOUNCE);
        self.hear(what);
        self.deal_with_own();
    }

    fn deal_with_own(&mut self) {
        while let Some(what) = self.own.pop_front() {
            self.hear(what);
        }
    }

    fn is_mine(&self, tile: usize) -> bool {
        self.tiling.tiles[tile].owner == self.me
    }

    /// Announces a finished tile or domain to all threads that need it, this thread among them.
    fn announce(&mut self, what: Announcement) {
        for &receiver in self.audience.receivers(what) {
            if receiver == self.me {
                self.own.push_back(what);
            } else {
                self.thread.charge(ANNOUNCE);
                self.tiles.announce(receiver, what);
            }
        }
    }

    fn hear(&mut self, what: Announcement) {
        let tiling = self.tiling;
        if let Some(domain) = tiling.domain(what) {
            return self.apply_updates(domain);
        }
        let column = tiling.blocks[what as usize].column as usize;
        let blocks = tiling.panels[column].clone();
        if what == blocks.start {
            self.divisible[column] = true;
            blocks.skip(1).for_each(|block| self.divide_if_due(block));
            return;
        }
        let mut heard = std::mem::take(&mut self.heard[column]);
        heard.push(what);
        for &other in &heard {
            let target = tiling.target(what, other);
            if self.is_mine(target as usize) {
                self.multiply(what.max(other), what.min(other), target);
                self.count_update(target);
            }
        }
        self.heard[column] = heard;
    }

    fn apply_updates(&mut self, domain: &DomainTiles) {
        for update in &domain.updates {
            if self.is_mine(update.block as usize) {
                let tile = update.tile as usize;
                let width = self.tiling.tiles[tile].width();
                let mut values = std::mem::take(&mut self.scratch.product);
                self.tiles.read(tile, 0..self.tiling.tiles[tile].len(), &mut values);
                self.thread.charge(flops(values.len() as u64, values.len(), values.len()));
                let (rows, columns) = (self.tiling.rows(tile), self.tiling.columns(tile));
                self.add(update.block as usize, rows, columns, &values, width);
                self.scratch.product = values;
                self.count_update(update.block);
            }
        }
    }

    fn count_update(&mut self, block: u32) {
        self.missing[block as usize] -= 1;
        if self.missing[block as usize] == 0 {
            self.finish(block);
        }
        self.thread.poll();
    }

    /// Finishes a block all of whose updates have been subtracted, if it need not wait for its diagonal.
    fn finish(&mut self, block: u32) {
        let column = self.tiling.blocks[block as usize].column as usize;
        if block == self.tiling.panels[column].start {
            self.factor(block as usize);
            self.announce(block);
        } else {
            self.divide_if_due(block);
        }
    }

    /// Divides a block of this thread by its diagonal if both are ready.
    fn divide_if_due(&mut self, block: u32) {
        let column = self.tiling.blocks[block as usize].column as usize;
        if self.is_mine(block as usize) && self.missing[block as usize] == 0 && self.divisible[column] {
            self.divide(block as usize, self.tiling.panels[column].start as usize);
            self.announce(block);
            self.thread.poll();
        }
    }

    /// Factors the block on a diagonal.
    fn factor(&mut self, block: usize) {
        let tile = &self.tiling.tiles[block];
        let values = &mut self.scratch.a;
        self.tiles.read(block, 0..tile.len(), values);
        dense::factor(values, tile.width());
        self.thread.charge(flops(of_factor(tile.width()), tile.len(), tile.len()));
        self.tiles.write(block, 0, values);
    }

    /// Divides a block by the one on its diagonal.
    fn divide(&mut self, block: usize, diagonal: usize) {
        let tile = &self.tiling.tiles[block];
        let Scratch { a, b, room, .. } = &mut self.scratch;
        self.tiles.read(block, 0..tile.len(), a);
        self.tiles.read(diagonal, 0..tile.width() * tile.width(), b);
        dense::divide(b, a, tile.width(), room);
        self.thread.charge(flops(of_division(tile.height(), tile.width()), a.len() + b.len(), a.len()));
        self.tiles.write(block, 0, a);
    }

    /// Subtracts from a block the product of two others of one panel's columns.
    fn multiply(&mut self, below: u32, above: u32, target: u32) {
        let (below, above) = (below as usize, above as usize);
        let (a, b) = (&self.tiling.tiles[below], &self.tiling.tiles[above]);
        let Scratch { a: values_a, b: values_b, product, room, .. } = &mut self.scratch;
        self.tiles.read(below, 0..a.len(), values_a);
        let others = if below == above {
            &*values_a
        } else {
            self.tiles.read(above, 0..b.len(), values_b);
            &*values_b
        };
        negated_product(values_a, others, a.width(), below == above, product, room);
        let computed = if below == above { a.height() * (a.height() + 1) / 2 } else { product.len() };
        let loaded = if below == above { a.len() } else { a.len() + b.len() };
        self.thread.charge(flops(of_product(computed, a.width()), loaded, computed));
        let product = std::mem::take(&mut self.scratch.product);
        let (rows, columns) = (self.tiling.rows(below), self.tiling.rows(above));
        self.add(target as usize, rows, columns, &product, columns.len());
        self.scratch.product = product;
    }

    /// Adds values to a tile, at these matrix rows and columns; on the diagonal, to its lower triangle alone. A row has
    /// `width` values.
    fn add(&mut self, tile: usize, rows: &[u32], columns: &[u32], values: &[f64], width: usize) {
        let tiling = self.tiling;
        let Scratch { rows: row_places, columns: column_places, .. } = &mut self.scratch;
        places(rows, tiling.rows(tile), row_places);
        places(columns, tiling.columns(tile), column_places);
        let (first, stride) = (self.tiles.first(tile), tiling.tiles[tile].width());
        let mut lower = 0;
        for ((row, &place), values) in rows.iter().zip(&*row_places).zip(values.chunks(width)) {
            lower += columns[lower..].iter().take_while(|column| *column <= row).count();
            self.tiles.add(first + place as usize * stride, &column_places[..lower], values);
        }
    }

    /// Factors a domain, left to right, and gathers its updates of blocks outside.
    fn factor_domain(&mut self, domain: &DomainTiles) {
        // By tile: those whose next row to be multiplied is among the tile's columns, and that row's place.
        let mut due: Vec<Vec<(usize, usize)>> = vec![Vec::new(); domain.tiles.len()];
        let mut outside = Vec::new();
        let first = domain.tiles.start;
        for tile in domain.tiles.clone() {
            let columns = self.tiling.columns(tile);
            let end = columns[columns.len() - 1] + 1;
            for (source, from) in std::mem::take(&mut due[tile - first]) {
                let next = self.tiling.rows(source).partition_point(|&row| row < end);
                self.multiply_rows(source, from..next, tile);
                self.advance(domain, source, next, &mut due, &mut outside);
            }
            self.factor_tile(tile);
            self.advance(domain, tile, columns.len(), &mut due, &mut outside);
            self.thread.poll();
        }
        for (source, from) in outside {
            self.gather_updates(domain, source, from);
            self.thread.poll();
        }
    }

    /// Notes which tile of the domain the rows of `source` from place `from` on update next.
    fn advance(
        &self,
        domain: &DomainTiles,
        source: usize,
        from: usize,
        due: &mut [Vec<(usize, usize)>],
        outside: &mut Vec<(usize, usize)>,
    ) {
        match self.tiling.rows(source).get(from) {
            Some(&row) if row < domain.end => {
                let tile = self.tiling.tile_of_column(domain.tiles.clone(), row);
                due[tile - domain.tiles.start].push((source, from));
            }
            Some(_) => outside.push((source, from)),
            None => {}
        }
    }

    /// Subtracts from tile `target` of a domain the product A Bᵀ, where A are the rows of tile `source` from the
    /// beginning of `rows` on, and B its rows `rows`.
    fn multiply_rows(&mut self, source: usize, rows: Range<usize>, target: usize) {
        let tile = &self.tiling.tiles[source];
        let (width, end) = (tile.width(), tile.len());
        let Scratch { a, product, room, .. } = &mut self.scratch;
        self.tiles.read(source, rows.start * width..end, a);
        negated_product(a, &a[..rows.len() * width], width, true, product, room);
        let computed = product.len() - rows.len() * (rows.len() - 1) / 2;
        self.thread.charge(flops(of_product(computed, width), a.len(), computed));
        let product = std::mem::take(&mut self.scratch.product);
        let all = self.tiling.rows(source);
        self.add(target, &all[rows.start..], &all[rows.clone()], &product, rows.len());
        self.scratch.product = product;
    }

    /// Factors a tile of a domain: the square at its top, by which it divides the rest.
    fn factor_tile(&mut self, tile: usize) {
        let (width, height) = (self.tiling.tiles[tile].width(), self.tiling.tiles[tile].height());
        let Scratch { a: values, room, .. } = &mut self.scratch;
        self.tiles.read(tile, 0..width * height, values);
        let (square, rest) = values.split_at_mut(width * width);
        dense::factor(square, width);
        dense::divide(square, rest, width, room);
        let count = of_factor(width) + of_division(height - width, width);
        self.thread.charge(flops(count, values.len(), values.len()));
        self.tiles.write(tile, 0, values);
    }

    /// Adds to the updates of a domain the product of the rows of a tile outside the domain, which are those from place `from` on.
    fn gather_updates(&mut self, domain: &DomainTiles, source: usize, from: usize) {
        let tiling = self.tiling;
        let (width, end) = (tiling.tiles[source].width(), tiling.tiles[source].len());
        let Scratch { a, product, room, .. } = &mut self.scratch;
        self.tiles.read(source, from * width..end, a);
        let count = a.len() / width;
        negated_product(a, a, width, true, product, room);
        let computed = count * (count + 1) / 2;
        self.thread.charge(flops(of_product(computed, width), a.len(), computed));
        let product = std::mem::take(&mut self.scratch.product);
        let rows = &tiling.rows(source)[from..];
        let parts: Vec<_> = tiling.by_panel(rows).collect();
        for (place, (column, columns)) in parts.iter().enumerate() {
            for (row, below) in &parts[place..] {
                let block = tiling.block(*row, *column);
                let at = domain.updates.binary_search_by_key(&block, |update| update.block);
                let tile = domain.updates[at.expect("a domain has what it updates")].tile;
                let values = &product[below.start * count + columns.start..];
                self.add(tile as usize, &rows[below.clone()], &rows[columns.clone()], values, count);
            }
        }
        self.scratch.product = product;
    }
}

/// Sets `places` to the place of each of `some` among `all`. Both ascend.
fn places(some: &[u32], all: &[u32], places: &mut Vec<u32>) {
    places.clear();
    let mut at = 0;
    for index in some {
        while all[at] < *index {
            at += 1;
        }
        places.push(at as u32);
    }
}
