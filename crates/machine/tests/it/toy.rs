//! A machine file for tests, which no study needs and so nothing ever changes.

/// A correct file, small enough to see where the lines are.
pub(crate) const CORRECT: &str = r#"name = "toy"
summary = "a toy"
nodes = 2
processors = 1
can = ["poll", "keyed-dispatch"]
[processor]
clock = "50 MHz"
thread_switch = "10 cycles"
poll = "1 cycle"
interrupt = "2 us"
work = { flop = "0.5 cycles", integer = "0.5 cycles", load = "1 cycle", store = "1 cycle" }
[primitives]
dispatch = { path = "3 cycles", occupancy = "4 cycles" }
dispatch_fault = "5 cycles"
read_fault_state = "5 cycles"
send_header = "5 cycles"
send_word = "5 cycles"
receive_word = "5 cycles"
directory_lookup = "5 cycles"
set_tag = "5 cycles"
fetch_block = "5 cycles"
place_block = "5 cycles"
purge = "5 cycles"
resume = "5 cycles"
translate = "5 cycles"
defer = "5 cycles"
start_transfer = "5 cycles"
[queue]
window = 4
capacity = 8
[interface]
bandwidth = "175 MB/s"
header = "16 B"
packet = "64 B"
send_queue = 4
engine = "100 MB/s"
deposit = "6 cycles"
[network]
topology = "constant"
latency = "1 us"
[memory]
line = "32 B"
read = "20 cycles"
"#;
