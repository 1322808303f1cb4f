//! The system user that runs the engine.

/// Its name, from the environment, else from the system's list of users.
pub(crate) fn system_user() -> Option<String> {
    let names = ["USER", "LOGNAME", "USERNAME"].iter().filter_map(|name| std::env::var(name).ok());
    names.map(|name| name.trim().to_owned()).find(|name| !name.is_empty()).or_else(listed)
}

/// Services often run without these variables.
#[cfg(target_os = "linux")]
fn listed() -> Option<String> {
    use std::os::unix::fs::MetadataExt;

    let user = std::fs::metadata("/proc/self").ok()?.uid();
    name_of(user, &std::fs::read_to_string("/etc/passwd").ok()?)
}

#[cfg(not(target_os = "linux"))]
fn listed() -> Option<String> {
    None
}

/// Name of a user in a text of the form of `/etc/passwd`.
#[cfg(target_os = "linux")]
fn name_of(user: u32, list: &str) -> Option<String> {
    list.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next().filter(|name| !name.is_empty())?;
        (fields.nth(1)?.parse() == Ok(user)).then(|| name.to_owned())
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn name_of_reads_the_list_of_users() {
        let list =
            "root:x:0:0:root:/root:/bin/bash\nbroken\n:x:7:7::/:\nann:x:1000:1000:Ann,,,:/home/ann:/bin/sh\n";
        assert_eq!(name_of(1000, list).as_deref(), Some("ann"));
        assert_eq!(name_of(0, list).as_deref(), Some("root"));
        assert_eq!(name_of(7, list), None);
        assert_eq!(name_of(1, ""), None);
    }
}
