//! fft by bulk transfers: a thread gathers its points for a node, with row and column exchanged, and one transfer
//! scatters them into the rows of the node. Tiles for its own node it writes where they belong.
//!
//! A matrix is gathered from in one step and filled in the next but one, with a barrier between them, so that no tile comes to rows
//! that another thread still gathers from.
//!
//! This module must never know how a transfer carries words.

use std::ops::Range;
use std::sync::Arc;

use protocols::Barrier;
use tempest::data::Piece;
use tempest::{
    Access, Event, FinalState, Handler, NodeId, Protocol, Report, Segment, Setup, Thread, handlers,
};

use super::layout::{Layout, WORDS, tiles};
use super::problem::{Options, Problem};
use super::rows::{Matrix, Own};
use super::steps::{Run, Transport};
use super::transform::Complex;

/// The part of a run that all nodes share.
pub(super) struct Config {
    pub(super) asked: Options,
    pub(super) problem: Arc<Problem>,
    pub(super) layout: Layout,
}

/// The state of fft by bulk transfers on one node.
pub(super) struct BulkFft {
    run: Run,
    node: NodeId,
    barrier: Arc<Barrier>,
    matrices: [LocalMatrix; 2],
    /// Room in which each thread gathers points: its columns of the rows of a node.
    gathered: Segment<f64>,
    /// The words of that room that each thread has.
    room: usize,
    /// The number of threads' tiles that have come to this node.
    arrived: Event,
}

/// The rows of a node.
pub(super) struct LocalMatrix {
    layout: Layout,
    words: Segment<f64>,
}

impl LocalMatrix {
    fn place(&self, row: usize, column: usize) -> usize {
        self.layout.place(row, column)
    }
}

impl Matrix for LocalMatrix {
    fn read(&self, thread: &Thread<'_>, row: usize, column: usize, points: &mut [Complex]) {
        read(thread, &self.words, self.place(row, column), points);
    }

    fn write(&self, thread: &Thread<'_>, row: usize, column: usize, points: &[Complex]) {
        write(thread, &self.words, self.place(row, column), points);
    }
}

/// The points that a thread gathers for a node: in the order of the rows where they go.
struct Gathered<'a> {
    words: &'a Segment<f64>,
    /// The place of the first word.
    at: usize,
    /// The rows where the points go, and the columns there that this thread has points for.
    rows: Range<usize>,
    columns: Range<usize>,
}

impl Gathered<'_> {
    fn place(&self, row: usize, column: usize) -> usize {
        self.at + ((row - self.rows.start) * self.columns.len() + column - self.columns.start) * WORDS
    }

    fn words(&self) -> usize {
        self.rows.len() * self.columns.len() * WORDS
    }
}

impl Matrix for Gathered<'_> {
    fn read(&self, thread: &Thread<'_>, row: usize, column: usize, points: &mut [Complex]) {
        read(thread, self.words, self.place(row, column), points);
    }

    fn write(&self, thread: &Thread<'_>, row: usize, column: usize, points: &[Complex]) {
        write(thread, self.words, self.place(row, column), points);
    }
}

fn read(thread: &Thread<'_>, segment: &Segment<f64>, at: usize, points: &mut [Complex]) {
    thread.words(segment).read(at, bytemuck::cast_slice_mut(points));
}

fn write(thread: &Thread<'_>, segment: &Segment<f64>, at: usize, points: &[Complex]) {
    thread.words(segment).write(at, bytemuck::cast_slice(points));
}

impl Protocol for BulkFft {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let Config { asked, problem, layout } = &**config;
        let (node, threads) = (setup.node(), setup.shape().threads);
        let barrier = setup.install::<Barrier>(&());
        let mut words = |name| setup.segment(name, layout.most_words(), 0.0);
        let matrices = ["fft.points", "fft.others"].map(&mut words);
        // The rows of a thread are no more than an even share of the largest node, rounded up.
        let room = layout.most_rows() * layout.most_rows().div_ceil(threads as usize) * WORDS;
        Self {
            run: Run::new(problem, *layout, asked.inverse, (node, threads)),
            node,
            barrier,
            matrices: matrices.map(|words| LocalMatrix { layout: *layout, words }),
            gathered: setup.segment("fft.gathered", room * threads as usize, 0.0),
            room,
            arrived: Event::new("fft.arrived"),
        }
    }
}

impl Transport for BulkFft {
    type Matrix = LocalMatrix;

    fn matrices(&self) -> &[LocalMatrix; 2] {
        &self.matrices
    }

    fn transpose(&self, thread: &Thread<'_>, own: &mut Own, from: usize) {
        let threads = self.run.layout.threads();
        // No tile of the next transposition comes before this thread has had its part in this one.
        let due = self.arrived.count(thread) / threads * threads + threads;
        let mut last = None;
        for other in self.run.layout.after(thread.id()) {
            if last.replace(other.node) != Some(other.node) && other.node != self.node {
                self.send(thread, own, from, other.node);
            }
        }
        self.keep(thread, own, from);
        self.forget(thread, from);
        thread.wait(&self.arrived, due);
    }

    fn meet(&self, thread: &Thread<'_>) {
        self.barrier.wait(thread);
    }
}

#[handlers]
impl BulkFft {
    /// Tells that the tiles of a thread have come.
    #[message]
    fn arrived(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.arrived, 1);
    }

    /// Sends the points that belong to a node's rows of the other matrix.
    fn send(&self, thread: &Thread<'_>, own: &mut Own, from: usize, to: NodeId) {
        let (columns, rows) = (self.run.layout.rows(thread.id()), self.run.layout.rows_of(to));
        let at = self.room * thread.index() as usize;
        let gathered = Gathered { words: &self.gathered, at, rows, columns };
        self.exchange(thread, own, (from, gathered.columns.clone()), (&gathered, gathered.rows.clone()));
        let (first, words) = (self.gathered.place(at as u32), gathered.words());
        if !thread.is_coherent() {
            // The interface reads memory, not the cache.
            thread.touch(first, words, Access::Flush);
            thread.drain();
        }
        let there = &self.matrices[1 - from];
        let width = gathered.columns.len() * WORDS;
        let row = |row| there.words.piece(there.place(row, gathered.columns.start) as u32, width as u32);
        let into: Vec<Piece> = gathered.rows.clone().map(row).collect();
        thread.transfer(to, &into, &[Piece { place: first, words: words as u32 }], Self::arrived());
    }

    /// Moves the points that belong to rows of this node.
    fn keep(&self, thread: &Thread<'_>, own: &mut Own, from: usize) {
        let (columns, rows) = (self.run.layout.rows(thread.id()), self.run.layout.rows_of(self.node));
        self.exchange(thread, own, (from, columns), (&self.matrices[1 - from], rows));
        thread.signal(&self.arrived, 1);
    }

    /// Exchanges rows and columns, tile by tile.
    fn exchange(
        &self,
        thread: &Thread<'_>,
        own: &mut Own,
        (from, columns): (usize, Range<usize>),
        (to, rows): (&impl Matrix, Range<usize>),
    ) {
        for columns in tiles(columns) {
            for rows in tiles(rows.clone()) {
                own.transpose(thread, (&self.matrices[from], columns.clone()), (to, rows));
            }
        }
    }

    /// Takes the thread's rows out of its processor's cache if an interface that does not do that will fill them again.
    fn forget(&self, thread: &Thread<'_>, from: usize) {
        if thread.is_coherent() {
            return;
        }
        let matrix = &self.matrices[from];
        for row in self.run.layout.rows(thread.id()) {
            let place = matrix.words.place(matrix.place(row, 0) as u32);
            thread.touch(place, self.run.layout.side() * WORDS, Access::Purge);
        }
        thread.drain();
    }

    fn main(&self, thread: &Thread<'_>) {
        self.run.main(thread, self);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        self.run.report(end)
    }
}
