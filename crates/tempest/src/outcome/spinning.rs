//! Threads that run without making progress: the operation that each repeats, since when, and in which timed region.
//!
//! This module must never know how a world finds out.

use std::fmt;

use units::Time;

use crate::ThreadId;

/// The operation that a spinning thread repeats in vain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Attempt {
    /// The thread looks for messages and finds none.
    Look,
    /// The thread sends and finds no room.
    Send,
    /// Only in the native world: the thread keeps its processor, and no counter of the run changes. Seen from outside, a
    /// long computation does the same as a loop that waits for an event that never comes.
    Compute {
        /// The number of threads of the processor. [`Spinning::thread`] is the first. Any of them may be the running
        /// thread.
        of: u32,
    },
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Look => "looks for messages",
            Self::Send => "tries to send, and finds no room",
            Self::Compute { .. } => "runs, and neither waits nor does anything that others see",
        })
    }
}

/// A thread that keeps its processor and makes no progress.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spinning {
    /// The thread that spins.
    pub thread: ThreadId,
    /// The operation that the thread repeats.
    pub attempt: Attempt,
    /// The number of attempts since the last event of the run; 0 where attempts are not counted.
    pub times: u64,
    /// The time of the first attempt, from the start of the run.
    pub since: Time,
    /// The timed region in which the thread spins; `None` before the first.
    pub phase: Option<&'static str>,
    /// The number of messages that wait at the thread's node for a processor to handle them.
    pub unhandled: usize,
}

impl fmt::Display for Spinning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { thread, attempt, times, since, phase, unhandled } = self;
        if let Attempt::Compute { of: of @ 2.. } = attempt {
            write!(f, "one of the {of} threads of a processor from {thread} on ")?;
        } else {
            write!(f, "{thread} ")?;
        }
        match times {
            0 => write!(f, "{attempt}, since {since} or before")?,
            times => write!(f, "{attempt}, {times} times since {since}")?,
        }
        if let Some(phase) = phase {
            write!(f, ", in phase `{phase}`")?;
        }
        match unhandled {
            0 => Ok(()),
            1 => write!(f, "; 1 message waits at its node for a processor to handle it"),
            many => write!(f, "; {many} messages wait at its node for a processor to handle them"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeId;

    #[test]
    fn a_spinning_thread_says_what_it_does_since_when_and_where() {
        let thread = ThreadId { node: NodeId(1), index: 0 };
        let since = Time::from_microseconds(12);
        let mut spinning =
            Spinning { thread, attempt: Attempt::Look, times: 7, since, phase: None, unhandled: 0 };
        assert_eq!(spinning.to_string(), "node 1 thread 0 looks for messages, 7 times since 12 us");
        (spinning.attempt, spinning.phase, spinning.unhandled) = (Attempt::Send, Some("near"), 1);
        assert_eq!(
            spinning.to_string(),
            "node 1 thread 0 tries to send, and finds no room, 7 times since 12 us, in phase `near`; 1 message \
             waits at its node for a processor to handle it"
        );
        let attempt = Attempt::Compute { of: 1 };
        let mut running = Spinning { attempt, times: 0, phase: None, unhandled: 0, ..spinning };
        let does = "runs, and neither waits nor does anything that others see, since 12 us or before";
        assert_eq!(running.to_string(), format!("node 1 thread 0 {does}"));
        running.attempt = Attempt::Compute { of: 3 };
        assert_eq!(
            running.to_string(),
            format!("one of the 3 threads of a processor from node 1 thread 0 on {does}")
        );
    }
}
