//! Temporary files, removed with the test that wrote them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

/// A file of its own in the folder for temporary files.
pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Writes a file whose name ends in `ending`.
    pub(crate) fn new(ending: &str, contents: impl AsRef<[u8]>) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("tradewind-{}-{count}-{ending}", process::id()));
        fs::write(&path, contents).expect("the folder for temporary files can be written");
        Self { path }
    }

    pub(crate) fn path(&self) -> &str {
        self.path.to_str().expect("the path is UTF-8")
    }

    /// The path, a colon and `place`, as errors write a place.
    pub(crate) fn at(&self, place: &str) -> String {
        format!("{}:{place}", self.path())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If it is gone already, so much the better.
        let _ = fs::remove_file(&self.path);
    }
}
