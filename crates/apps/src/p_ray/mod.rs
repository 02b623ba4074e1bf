//! p-ray: a parallel ray tracer whose scene is spread over the nodes.
//!
//! Lines of pixels are dealt out to threads. The scene is a surface of Bézier patches, cut into triangles with normals, on a floor
//! under two lamps. A ray from the eye goes through each pixel; where it meets something, a ray goes to each lamp to see whether there
//! is shadow, and the glazed surface mirrors one ray more (T. Whitted, *An improved illumination model for shaded display*,
//! Communications of the ACM 23, 1980). Rays find triangles by a uniform grid of cells, which every node has. The triangles are dealt
//! out to the nodes by objects, of one triangle each or more: a thread reads an object through a global pointer when a ray may meet one
//! of its triangles, and keeps it in a cache of its own.
//!
//! This is a program of A. Krishnamurthy, K. E. Schauser, C. J. Scheiman, R. Y. Wang, D. E. Culler and K. Yelick,
//! *Evaluation of Architectural Support for Global Address-Based Communication in Large-Scale Parallel Machines*,
//! ASPLOS 1996. The study ran it on 16 nodes of a Meiko CS-2 and 8 of a Paragon and prints its name, that it renders
//! the tea pot with 512 x 512 pixels, and its times. All else is ours: the form of an object, that upper levels of the
//! structure are on every node, the cache, the rays, the scene around the pot, and the thread of each pixel. The pot is
//! M. Newell's. Eight steps cut its 28 patches without those of the bottom into 3,584 triangles, as many as the pot of
//! the SPLASH-2 suite has (S. C. Woo, M. Ohara, E. Torrie, J. P. Singh and A. Gupta, ISCA 1995); we have the bottom
//! too, and leave out the 64 triangles without area at the poles.
//!
//! # Mechanisms
//!
//! | mechanism | how an object or a line of pixels comes to a node |
//! |---|---|
//! | `messages` | a request and its answer for each 12 words: two for the 18 words of one triangle; pixels are stored by messages |
//! | `bulk` | a request, and one transfer back; pixels are stored by one transfer |
//!
//! # Balance
//!
//! | `balance` | the assignment of lines to threads |
//! |---|---|
//! | `dealt` | line i belongs to thread i, in turn over all nodes, and its pixels stay on that node |
//! | `counter` | a thread takes the next free line from a counter on node 0, by an atomic addition there, and stores the line on node i mod nodes |
//!
//! Pixels of a line are stored together, or `span` at a time. A thread polls when it stores pixels of another node's line.
//!
//! # Work
//!
//! A model charges loads, integer and floating-point operations as counted in the loops: for each ray, for each cell that it walks
//! through, for each triangle that it is tested against up to where the test ends, for each surface that it meets, for each lamp. They
//! are charged between the two reads where they are done. Nothing that is computed is an access to memory of its own: a study sets
//! one rate of computing for a machine, and misses are within this rate. A thread polls where it reads, stores or waits, and never
//! while it computes.
//!
//! # Figures
//!
//! `rays`; `objects read`, from other nodes; `objects found in caches`, of other nodes, counted at each test of a
//! triangle in one.
//!
//! # Timed regions
//!
//! `render` is the timed region, up to where all lines have been stored. The distribution of the triangles comes before it, the
//! region `check` after.
//!
//! # How it is checked
//!
//! Every pixel is compared with that of one thread that has all triangles, and must be equal to the bit. Only additions,
//! multiplications, divisions and square roots are used, so an image is the same on every host.

mod balance;
mod grid;
mod input;
mod objects;
mod problem;
mod program;
mod scene;
mod surface;
mod trace;
mod vector;
mod work;

use tempest::Mechanism;
use tempest::entry::{Entry, Inputs};

/// The entry of p-ray in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "p-ray",
    summary: "a ray tracer whose scene is spread over the nodes: triangles are read and kept in caches",
    mechanisms: &[Mechanism::Messages, Mechanism::Bulk],
    inputs: problem::Options::INPUTS,
    load: input::load,
};
