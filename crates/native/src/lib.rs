//! The waist on real threads of this host
