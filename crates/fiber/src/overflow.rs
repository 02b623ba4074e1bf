//! Reports which fiber has overflowed its stack, before the process dies.
//!
//! A fiber that runs out of stack touches its guard page (`stack.rs`), and the system sends the OS thread a signal. The
//! handler of Rust's own runtime knows only the stacks of OS threads. So the first stack of the process installs
//! [`on_fault`], which writes one line to the standard error if the address lies in the guard of the running fiber. In
//! any case it chains to the handler that was installed before, which ends the process as usual.
//!
//! # In a signal's handler
//!
//! The handler may have interrupted any code, `malloc` included. It allocates nothing, takes no lock and cannot unwind:
//! it reads a thread-local without a destructor, the running fiber's routine, and two constants that were set before
//! the handler was installed. The text is made in an array, by a [`Display`] that satisfies the demands of
//! [`Pool::spawn_as`](crate::Pool::spawn_as).
//!
//! The overflown stack is full, so the handler runs on an [`AlternateStack`] of the OS thread. The alternate stack that
//! Rust's runtime installs is too small to make a text on: on some processors the saved registers alone fill it.
//!
//! This module must never know what fibers are for.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::fmt::{self, Display, Write};
use std::io;
use std::mem::{self, MaybeUninit};
use std::ptr::{self, NonNull};
use std::rc::{Rc, Weak};
use std::sync::{Once, OnceLock};

use crate::routine;
use crate::stack::{NO_RESERVE, page_bytes};

/// Signals of an access to a guard page: `SIGSEGV` on Linux, `SIGBUS` on other systems.
const SIGNALS: [c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

/// Actions for each of [`SIGNALS`] before `on_fault` was installed. Set before the installation.
static BEFORE: [OnceLock<libc::sigaction>; 2] = [const { OnceLock::new() }; 2];

/// Bytes of an alternate stack. A frame of the system takes some 3 KiB, with the widest registers 11; the rest is for the text.
const ALTERNATE_BYTES: usize = 64 * 1024;

/// Bytes of the longest line. A longer one is cut.
const LINE_BYTES: usize = 512;

thread_local! {
    /// Alternate stack that the pools of this OS thread share.
    static ALTERNATE: RefCell<Weak<AlternateStack>> = const { RefCell::new(Weak::new()) };
}

/// The alternate signal stack of this OS thread. Dropping it, with the last pool, restores the previous one.
pub(crate) struct AlternateStack {
    /// Start of the mapping, at its guard page.
    start: NonNull<c_void>,
    bytes: usize,
    before: libc::stack_t,
}

/// Has overflows on this OS thread reported, for as long as the returned value is kept.
///
/// # Errors
/// The system's error, when it has no memory for an alternate stack.
pub(crate) fn watch() -> io::Result<Rc<AlternateStack>> {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| SIGNALS.iter().zip(&BEFORE).for_each(|(signal, before)| install(*signal, before)));
    let shared = ALTERNATE.try_with(|shared| shared.borrow().upgrade()).ok().flatten();
    if let Some(shared) = shared {
        return Ok(shared);
    }
    let own = Rc::new(AlternateStack::begin()?);
    // While the OS thread ends, its thread-locals are gone: then each pool has a stack of its own.
    let _ended = ALTERNATE.try_with(|shared| shared.replace(Rc::downgrade(&own)));
    Ok(own)
}

/// Installs `on_fault` for a signal and stores the action from before. If the system refuses, overflows are not
/// reported.
fn install(signal: c_int, before: &OnceLock<libc::sigaction>) {
    let mut now = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: asks only, into memory that is there.
    if unsafe { libc::sigaction(signal, ptr::null(), now.as_mut_ptr()) } != 0 {
        return;
    }
    // SAFETY: the system has filled it in; all zeros would be a value, too.
    before.get_or_init(|| unsafe { now.assume_init() });
    // SAFETY: all zeros are a value of this plain structure: no flags, no signal masked.
    let mut action: libc::sigaction = unsafe { mem::zeroed() };
    action.sa_sigaction = on_fault as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: `on_fault` has the form that `SA_SIGINFO` asks for, and does only what a signal's handler may.
    unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
}

/// Reports an overflow, if the fault is one, and chains to the handler from before.
extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system gives the signal's own, which of these signals has an address.
    let (code, at) = unsafe { ((*info).si_code, (*info).si_addr().addr()) };
    // The system's own faults have a positive code; a signal sent by a process has none and no address.
    if code > 0 {
        routine::with_running(|extent, occupant| {
            if extent.guard().contains(&at) {
                tell(occupant, extent.bytes());
            }
        });
    }
    let place = SIGNALS.iter().position(|known| *known == signal);
    match place.and_then(|place| BEFORE[place].get()) {
        Some(before) if ![libc::SIG_DFL, libc::SIG_IGN].contains(&before.sa_sigaction) => {
            go_on_to(before, signal, info, context);
        }
        Some(before) if code <= 0 && before.sa_sigaction == libc::SIG_IGN => {}
        _ => die(signal, code),
    }
}

/// Performs the action that was installed for the signal before.
fn go_on_to(before: &libc::sigaction, signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    type Short = extern "C" fn(c_int);
    type Long = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
    let handler = ptr::with_exposed_provenance::<()>(before.sa_sigaction);
    if before.sa_flags & libc::SA_SIGINFO == 0 {
        // SAFETY: the system has told its address, and by the missing flag its form.
        let handler = unsafe { mem::transmute::<*const (), Short>(handler) };
        handler(signal);
    } else {
        // SAFETY: the system has told its address, and its form by the flag.
        let handler = unsafe { mem::transmute::<*const (), Long>(handler) };
        handler(signal, info, context);
    }
}

/// The process dies of the signal when the handler has returned: the access is tried again, or the signal sent again.
fn die(signal: c_int, code: c_int) {
    // SAFETY: all zeros are a value of this plain structure, and stand for what the system does by itself.
    unsafe {
        let action: libc::sigaction = mem::zeroed();
        libc::sigaction(signal, &raw const action, ptr::null_mut());
        if code <= 0 {
            libc::raise(signal);
        }
    }
}

/// Writes the line for an occupant that has overflowed a stack of `bytes`.
fn tell(occupant: Option<&dyn Display>, bytes: usize) {
    let mut line = Line { text: [0; LINE_BYTES], length: 0 };
    // A line that is cut is still a line.
    let _cut = match occupant {
        Some(occupant) => write!(line, "\n{occupant}"),
        None => line.write_str("\na fiber"),
    };
    let _cut = writeln!(
        line,
        " has overflowed its stack of {} KiB: expected values of many KiB on the heap (a `Box` or a `Vec`), and a list of what is \
         left to do in place of a deep recursion",
        bytes / 1024
    );
    // SAFETY: the bytes are there. If the standard error cannot be written to, the report is lost.
    unsafe { libc::write(libc::STDERR_FILENO, line.text.as_ptr().cast(), line.length) };
}

/// A line of text in an array.
struct Line {
    text: [u8; LINE_BYTES],
    length: usize,
}

impl Write for Line {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        let left = &mut self.text[self.length..];
        let fits = more.len().min(left.len());
        left[..fits].copy_from_slice(&more.as_bytes()[..fits]);
        self.length += fits;
        if fits == more.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

impl AlternateStack {
    /// Has this OS thread's signals handled on a new stack.
    fn begin() -> io::Result<Self> {
        let page = page_bytes();
        let bytes = ALTERNATE_BYTES.next_multiple_of(page) + page;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | NO_RESERVE;
        // SAFETY: a new mapping at an address of the system's choice; nothing of ours lies there.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        let start = match NonNull::new(start) {
            Some(start) if start.as_ptr() != libc::MAP_FAILED => start,
            _ => return Err(io::Error::last_os_error()),
        };
        // SAFETY: all zeros are a value of this plain structure.
        let mut own = Self { start, bytes, before: unsafe { mem::zeroed() } };
        // SAFETY: the lowest page and what lies above it are of the mapping, which lives until no signal is handled on it.
        let done = unsafe {
            let stack =
                libc::stack_t { ss_sp: start.as_ptr().byte_add(page), ss_flags: 0, ss_size: bytes - page };
            libc::mprotect(start.as_ptr(), page, libc::PROT_NONE) == 0
                && libc::sigaltstack(&raw const stack, &raw mut own.before) == 0
        };
        if done { Ok(own) } else { Err(io::Error::last_os_error()) }
    }

    /// Whether this OS thread's signals are handled on this stack now; `None` if no alternate stack is installed.
    fn is_in_use(&self) -> Option<bool> {
        // SAFETY: all zeros are a value of this plain structure; the system is only asked.
        let now = unsafe {
            let mut now: libc::stack_t = mem::zeroed();
            libc::sigaltstack(ptr::null(), &raw mut now);
            now
        };
        let own = self.start.addr().get()..self.start.addr().get() + self.bytes;
        (now.ss_flags & libc::SS_DISABLE == 0).then(|| own.contains(&now.ss_sp.addr()))
    }
}

impl Drop for AlternateStack {
    fn drop(&mut self) {
        match self.is_in_use() {
            // SAFETY: the stack is the one that the system reported as installed before. Rust's runtime removes it as
            // an OS thread ends, and has no signals handled on an alternate stack from then on.
            Some(true) => _ = unsafe { libc::sigaltstack(&raw const self.before, ptr::null_mut()) },
            // Another alternate stack is installed, whose owner may go back to this one: it stays for ever.
            Some(false) => return,
            None => {}
        }
        // SAFETY: the mapping is ours, and no signal is handled on it any more.
        unsafe { libc::munmap(self.start.as_ptr(), self.bytes) };
    }
}
