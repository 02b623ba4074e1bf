//! From `--block` and `--protocol` to how shared memory is kept coherent, or all that is wrong with them. Must never know
//! what a protocol does.

use tempest::Mechanism;
use tempest::entry::{Coherence, Entry, Plan};
use worlds::Sharing;

use crate::arguments::Common;
use crate::measure::mechanism_names;
use crate::{House, Problem};

/// What the command line asks for.
pub(crate) fn read(house: &House, common: &Common) -> Result<Sharing, Problem> {
    of(house, common.block.as_deref(), common.protocol.as_deref())
}

/// What `--block` and `--protocol` say, where they are said.
pub(crate) fn of(
    house: &House,
    asked_block: Option<&str>,
    asked_protocol: Option<&str>,
) -> Result<Sharing, Problem> {
    let block = asked_block.map_or(Ok(Plan::BLOCK), block);
    let protocol = asked_protocol.map_or(Ok(&house.protocols[0]), |text| protocol(house, text));
    match (block, protocol) {
        (Ok(block), Ok(protocol)) => Ok(Sharing { block, protocol }),
        (block, protocol) => Err(Problem::Wrong(block.err().into_iter().chain(protocol.err()).collect())),
    }
}

/// Whether a program that may be run by these mechanisms has any use for what was asked for.
pub(crate) fn check(common: &Common, entry: &Entry, mechanisms: &[Mechanism]) -> Result<(), Problem> {
    if mechanisms.contains(&Mechanism::SharedMemory) {
        return Ok(());
    }
    let asked = [("--block", &common.block), ("--protocol", &common.protocol)];
    let idle = asked.into_iter().filter_map(|(option, text)| Some((option, text.as_deref()?)));
    let mistakes: Vec<_> = idle.map(|(option, text)| useless(option, text, entry, mechanisms)).collect();
    if mistakes.is_empty() { Ok(()) } else { Err(Problem::Wrong(mistakes)) }
}

fn block(text: &str) -> Result<u32, String> {
    let known = text.parse().ok().filter(|block| Plan::BLOCKS.contains(block));
    known.ok_or_else(|| {
        let [least, middle @ .., most] = Plan::BLOCKS.map(|block| block.to_string());
        format!("--block {text}: expected {least}, {} or {most} bytes", middle.join(", "))
    })
}

fn protocol(house: &House, text: &str) -> Result<&'static Coherence, String> {
    Coherence::find(text, house.protocols).map_err(|unknown| unknown.to_string())
}

fn useless(option: &str, text: &str, entry: &Entry, mechanisms: &[Mechanism]) -> String {
    let needed = Mechanism::SharedMemory;
    if entry.mechanisms.contains(&needed) {
        let asked: Vec<_> = mechanisms.iter().map(|mechanism| mechanism.name()).collect();
        let asked = asked.join(", ");
        return format!("{option} {text} with mechanism `{asked}`: expected --mechanism {needed}");
    }
    format!(
        "{option} {text} for `{}`, which runs by {}: expected a program that runs by {needed}",
        entry.name,
        mechanism_names(entry)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blocks_that_can_be_are_read() {
        assert_eq!(Plan::BLOCKS.map(|size| block(&size.to_string())), Plan::BLOCKS.map(Ok));
        for text in ["48", "0", "64B", "-64", ""] {
            assert_eq!(block(text), Err(format!("--block {text}: expected 16, 32, 64 or 128 bytes")));
        }
    }

    #[test]
    fn the_nearest_protocol_is_offered() {
        static KNOWN: &[Coherence] =
            &[Coherence { name: "stache", summary: "", install: |_, _| unreachable!() }];
        let house = House::new("tradewind", &[], &[KNOWN]).unwrap();
        let said = protocol(&house, "stach").unwrap_err();
        let expected = "unknown protocol `stach`: did you mean `stache`? expected one of stache";
        assert_eq!(said, expected);
    }
}
