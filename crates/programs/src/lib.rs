//! The applications, each written once for every world
