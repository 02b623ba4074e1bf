//! Machines that ship, as data; worlds by name or file; runs that are measured. The only room that builds a world.
//! It must never know text for people, arguments, or any one program.

#![forbid(unsafe_code)]
