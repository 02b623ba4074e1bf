//! Machine files: the values read from them, and the errors for mistakes in them.

extern crate tradewind_machine as machine;

mod calibrated;
mod contradictions;
mod costs;
mod digest;
mod document;
mod doubling;
mod folder;
mod inheritance;
mod mistakes;
mod network;
mod node_memory;
mod overrides;
mod ranges;
mod shipped;
mod slower;
mod software_dispatch;
mod template;
mod toy;
