//! The promises of the waist, as functions run against every world
