//! *Kernels*: five scientific programs on two nodes of a processor, beside the same algorithms in one shared memory with rayon on two
//! threads, written plainly; and *scaling*: on 1, 2 and 4 processors, as many as there are cores.
//!
//! Where `TRADEWIND_DATA` names a folder with the matrices of SPLASH-2, cholesky factors `tk29.O`, too.

mod cholesky;
mod fft;
mod gauss;
mod radix;
mod structure;
mod tomcatv;

use std::path::PathBuf;

use rayon::{ThreadPool, ThreadPoolBuilder};
use tempest::entry::{File, Given, Instance, Plan};
use tempest::{Mechanism, Shape};
use tradewind_native::Local;

use crate::run_by;
use tradewind_bench::median;
use tradewind_bench::table::{Aim, Figures, TableRow, Unit, paired};

/// Bytes of a block of shared memory: the default of this host.
const BLOCK: u32 = 128;

/// Nodes and threads of the rows of `kernels`.
const PAIR: u32 = 2;

/// Processors of the rows of `scaling`.
const PROCESSORS: [u32; 3] = [1, 2, 4];

/// Rounds of the rows of `scaling`.
const ROUNDS: usize = 5;

/// A program with its inputs, and the plain version.
struct Kernel {
    what: &'static str,
    instance: Box<dyn Instance>,
    plain: Box<dyn Fn(&ThreadPool) -> f64>,
}

impl Kernel {
    fn new(
        (program, what): (&str, &'static str),
        inputs: Vec<(&'static str, String)>,
        file: Option<File>,
        plain: impl Fn(&ThreadPool) -> f64 + 'static,
    ) -> Self {
        let given = Given {
            values: inputs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
            files: file.into_iter().map(|file| ("matrix".to_owned(), file)).collect(),
            ..Given::default()
        };
        let entry = tempest::entry::find(program, apps::ALL).expect("a program of the registry");
        let instance = (entry.load)(&given).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
        Self { what, instance, plain: Box::new(plain) }
    }

    fn cholesky(what: &'static str, path: PathBuf, order: &'static str) -> Self {
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let file = File { name: path.display().to_string(), bytes };
        let matrix = cholesky::Matrix::new(&file, order);
        let plain = move |pool: &ThreadPool| matrix.plain(pool);
        Self::new(("cholesky", what), cholesky::inputs(order), Some(file), plain)
    }

    /// Microseconds of the program's timed phase on `nodes` nodes of one processor.
    fn ours(&self, mechanism: Mechanism, nodes: u32) -> f64 {
        let plan = Plan::new(mechanism, Shape { nodes, threads: 1 }).kept_by(&protocols::stache::STACHE);
        let plan = Plan { block: BLOCK, ..plan };
        let job = self.instance.job(&plan).expect("a plan that the program can run by");
        run_by(mechanism, job, nodes, 1, 1, "floating").timed().as_nanoseconds() / 1e3
    }
}

fn kernels() -> Vec<Kernel> {
    let shipped = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../inputs");
    let mut all = vec![
        Kernel::new(("fft", "fft"), fft::inputs(), None, fft::plain),
        Kernel::new(("radix", "radix"), radix::inputs(), None, radix::plain),
        Kernel::new(("tomcatv", "tomcatv"), tomcatv::inputs(), None, tomcatv::plain),
        Kernel::new(("gauss", "gauss"), gauss::inputs(), None, gauss::plain),
        Kernel::cholesky("cholesky of bcsstk13", shipped.join("bcsstk13.mtx.gz"), "minimum-degree"),
    ];
    if let Some(data) = std::env::var_os("TRADEWIND_DATA") {
        let path = PathBuf::from(data).join("cholesky/tk29.O.gz");
        all.push(Kernel::cholesky("cholesky of tk29.O", path, "file"));
    }
    all
}

fn pool(threads: u32) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads as usize).build().expect("threads can be had")
}

/// Kernels beside rayon on two processors.
pub(crate) fn rows() -> Vec<TableRow> {
    let (kernels, pool) = (kernels(), pool(PAIR));
    let row = |kernel: &Kernel, mechanism, aim| {
        let figures = paired(|| kernel.ours(mechanism, PAIR), || (kernel.plain)(&pool));
        TableRow::new(format!("{} by {mechanism}", kernel.what), Unit::Microseconds, figures, "rayon", aim)
    };
    let bulk = kernels.iter().map(|kernel| row(kernel, Mechanism::Bulk, Aim::Ratio(1.3, 2.0)));
    let shared = kernels.iter().map(|kernel| row(kernel, Mechanism::SharedMemory, Aim::Ratio(4.0, 8.0)));
    bulk.chain(shared).collect()
}

/// Times of a kernel and of the plain version, by the number of processors, in each round.
type Times = [Vec<f64>; 2];

/// Kernels by bulk beside rayon, on one processor and on more: times, and speed-ups.
pub(crate) fn scaling() -> Vec<TableRow> {
    let counts: Vec<u32> = PROCESSORS.into_iter().filter(|&count| count as usize <= Local::cores()).collect();
    let pools: Vec<_> = counts.iter().map(|&count| pool(count)).collect();
    kernels().iter().flat_map(|kernel| scaling_of(kernel, &counts, &pools)).collect()
}

fn scaling_of(kernel: &Kernel, counts: &[u32], pools: &[ThreadPool]) -> Vec<TableRow> {
    let rounds: Vec<Times> = (0..ROUNDS)
        .map(|_| {
            let pairs = counts.iter().zip(pools);
            pairs
                .map(|(&count, pool)| (kernel.ours(Mechanism::Bulk, count), (kernel.plain)(pool)))
                .unzip()
                .into()
        })
        .collect();
    let over = |figure: &dyn Fn(&Times) -> f64| median(&rounds.iter().map(figure).collect::<Vec<_>>());
    let row = |place: usize| {
        let first = place == 0;
        let figure = |times: &Vec<f64>| if first { times[0] } else { times[0] / times[place] };
        let figures = Figures {
            ours: over(&|[ours, _]| figure(ours)),
            bound: over(&|[_, plain]| figure(plain)),
            ratio: over(&|[ours, plain]| figure(ours) / figure(plain)),
        };
        let (unit, noun) = if first { (Unit::Microseconds, "") } else { (Unit::Times, "s, speed-up") };
        let what = format!("{} by bulk, {} processor{noun}", kernel.what, counts[place]);
        TableRow::new(what, unit, figures, "rayon", Aim::Nothing)
    };
    (0..counts.len()).map(row).collect()
}
