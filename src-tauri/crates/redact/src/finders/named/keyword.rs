//! Keywords that announce a secret, and the kind of secret that a name announces.

use crate::keys::is_sensitive_key;

/// Kind of value that the name before it announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecretKind {
    /// Any word may be a password.
    Password,
    /// A machine made it.
    Token,
    /// The name has other uses as well, so the value must look random.
    Random,
    /// Ten words or more, such as a seed phrase.
    Phrase,
    /// The value of an `Authorization` header.
    Header,
    /// The value of a `Cookie` or `Set-Cookie` header.
    Cookie,
}

/// Parts of keywords that make a place worth a closer look, in the cases in which they occur.
pub(crate) const KEYWORDS: &[&str] = &[
    "oken",
    "OKEN",
    "ecret",
    "ECRET",
    "assw",
    "ASSW",
    "assp",
    "ASSP",
    "asscode",
    "ASSCODE",
    "pwd",
    "PWD",
    "Pwd",
    "key",
    "Key",
    "KEY",
    "uthoriz",
    "UTHORIZ",
    "ookie",
    "OOKIE",
    "redential",
    "REDENTIAL",
    "earer",
    "EARER",
    "asic ",
    "sig=",
    "SIG=",
    "Sig=",
    "ignature=",
    "IGNATURE=",
    "sid=",
    "SID=",
    "essionid",
    "ESSIONID",
    "auth=",
    "entified by",
    "ENTIFIED BY",
    "nemonic",
    "_auth",
    "sshpass",
    "mysql",
    "mariadb ",
    "curl ",
    "curl.exe ",
    "redis-cli ",
    "mongosh ",
    "ldapsearch ",
    "sqlcmd ",
    "docker ",
    "docker.exe ",
    "podman ",
    "buildah ",
    "skopeo ",
    "nerdctl ",
    "helm ",
    "pass:",
    "pass=",
    "PASS=",
    "PASS:",
    "Pass=",
    "Pass:",
    "--pass",
    "_pass",
    "_PASS",
    "hub_pat",
    "HUB_PAT",
    "lab_pat",
    "LAB_PAT",
    "up_code",
    "UP_CODE",
    "ery_code",
    "ERY_CODE",
    "eed_phrase",
    "EED_PHRASE",
    "eed phrase",
    "jwt",
    "JWT",
    "asswd",
];

/// Kind of secret that the name at `start` announces, if any. `lower` is the name in lower case.
pub(crate) fn announced_kind(text: &[u8], start: usize, name: &str, lower: &str) -> Option<SecretKind> {
    let queried = matches!(start.checked_sub(1).map(|before| text[before]), Some(b'?' | b'&' | b';'));
    let joined = || lower.replace(['_', '-', '.'], "");
    match lower {
        "sig" | "signature" | "x-amz-signature" | "x-goog-signature" | "auth" | "sid" | "hmac" | "key"
            if queried =>
        {
            return Some(SecretKind::Random);
        }
        "_auth" | "phpsessid" | "jsessionid" | "sessionid" | "connect.sid" | "session_id" => {
            return Some(SecretKind::Random);
        }
        "mnemonic" | "phrase" => return Some(SecretKind::Phrase),
        _ => {}
    }
    if lower.ends_with("authorization") {
        return Some(SecretKind::Header);
    }
    if lower.ends_with("cookie") {
        return Some(SecretKind::Cookie);
    }
    let passes = ["password", "passwd", "passphrase", "passcode", "pwd", "pass"];
    if passes.iter().any(|word| joined().ends_with(word)) || lower.starts_with("password") && lower.len() == 9
    {
        // `PWD` is also the directory of a shell.
        let directory = lower == "pwd" && name == "PWD" || lower == "oldpwd";
        // `tests_pass` counts tests.
        let counts = lower.ends_with("_pass") && !is_sensitive_key(name);
        let directory = directory || counts;
        return Some(if directory { SecretKind::Random } else { SecretKind::Password });
    }
    if is_sensitive_key(name) || joined().ends_with("jwt") {
        return Some(SecretKind::Token);
    }
    // `API key`, `Secret access key`, `private key`.
    if lower == "key" {
        let before = text[..start]
            .iter()
            .rev()
            .take(24)
            .take_while(|byte| byte.is_ascii_alphabetic() || **byte == b' ');
        let mut words: Vec<u8> = before.map(u8::to_ascii_lowercase).collect();
        words.reverse();
        let qualifiers = [
            &b"api "[..],
            b"access ",
            b"secret ",
            b"private ",
            b"account ",
            b"license ",
            b"signing ",
            b"master ",
        ];
        if qualifiers.iter().any(|word| words.ends_with(word)) {
            return Some(SecretKind::Token);
        }
    }
    None
}
