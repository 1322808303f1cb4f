//! The form in which one tool's states of all folds are stored as one.
//!
//! The state of the registry alone is stored as it is, as it always was. With others it becomes one part of several:
//! a byte that no registry state begins with, then for each part the length of its name, the name, the length of
//! the state in four bytes (little-endian), and the state.

/// Name of the registry's part.
pub(super) const REGISTRY: &str = "registry";

/// First byte of a state in several parts. A registry's state is a JSON object.
const PARTS: u8 = 0x01;

/// Puts states together, each with the name of its fold; none if there are none.
pub(super) fn join(mut parts: Vec<(&str, Vec<u8>)>) -> Option<Vec<u8>> {
    match parts.as_slice() {
        [] => None,
        [(REGISTRY, _)] => parts.pop().map(|(_, state)| state),
        _ => {
            let mut joined = vec![PARTS];
            for (name, state) in parts {
                joined.push(u8::try_from(name.len()).ok()?);
                joined.extend_from_slice(name.as_bytes());
                joined.extend_from_slice(&u32::try_from(state.len()).ok()?.to_le_bytes());
                joined.extend_from_slice(&state);
            }
            Some(joined)
        }
    }
}

/// The parts of a stored state, each with the name of its fold.
pub(super) fn split(state: &[u8]) -> Result<Vec<(&str, &[u8])>, String> {
    let Some((&PARTS, mut rest)) = state.split_first() else { return Ok(vec![(REGISTRY, state)]) };
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let part = part(rest).ok_or("its parts cannot be read")?;
        parts.push((part.0, part.1));
        rest = part.2;
    }
    Ok(parts)
}

/// Name and state of the first part, and what follows it.
fn part(bytes: &[u8]) -> Option<(&str, &[u8], &[u8])> {
    let (length, rest) = bytes.split_first()?;
    let (name, rest) = rest.split_at_checked(usize::from(*length))?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (state, rest) = rest.split_at_checked(length)?;
    Some((std::str::from_utf8(name).ok()?, state, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registry_state_alone_is_stored_unchanged() {
        assert_eq!(join(vec![(REGISTRY, b"{}".to_vec())]).unwrap(), b"{}");
        assert_eq!(split(b"{}").unwrap(), [(REGISTRY, &b"{}"[..])]);
        assert_eq!(join(Vec::new()), None);
    }

    #[test]
    fn joined_states_split_into_the_same_parts() {
        let joined = join(vec![(REGISTRY, b"{}".to_vec()), ("count", vec![0, 1, 255])]).unwrap();
        assert_eq!(split(&joined).unwrap(), [(REGISTRY, &b"{}"[..]), ("count", &[0, 1, 255])]);
        let one = join(vec![("count", Vec::new())]).unwrap();
        assert_eq!(split(&one).unwrap(), [("count", &b""[..])]);
        for end in 1..joined.len() {
            // A state cut off between two parts reads as the parts before it.
            let parts = split(&joined[..end]).map_or(0, |parts| parts.len());
            assert!(parts < 2, "{end}");
        }
    }
}
