//! Tokens with a known prefix, such as `ghp_`: the table of prefixes and the search for them.
//!
//! The lengths in the table are the shortest that issuers use, or shorter: a prefix such as `ghp_` is proof enough,
//! and a truncated token is still worth hiding. Checksums are not verified, for the same reason. Tokens without a
//! prefix are in `unprefixed`.

use crate::chars::{has_random_piece, is_word};
use crate::edits::Span;

/// Characters that may follow a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    Alnum,
    /// Also `_` and `-`.
    Word,
    /// Also `_`, `-` and `.`.
    Dotted,
    /// Also `_`, `-`, `.`, `+`, `/`, `=` and `,`.
    Base64,
    Hex,
    Upper,
    /// Like `Word`, but must look random: the prefix also begins ordinary words and names.
    Random,
    /// Exactly 32 hexadecimal digits and no more.
    Hex32,
    /// 16 or 17 capitals or digits and no more.
    Upper16,
}

/// Characters that follow, their least number, and the prefixes they follow.
const PREFIXES: &[(Body, usize, &[&str])] = &[
    (Body::Word, 16, &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"]),
    (
        Body::Dotted,
        16,
        &[
            "glpat-",
            "gldt-",
            "glrt-",
            "glcbt-",
            "glptt-",
            "glft-",
            "glimt-",
            "glagent-",
            "gloas-",
            "glsoat-",
            "glffct-",
            "GR1348941",
        ],
    ),
    (
        Body::Word,
        10,
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxc-", "xoxd-", "xapp-", "xwfp-"],
    ),
    (Body::Word, 16, &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "sk_org_live_"]),
    (Body::Base64, 20, &["whsec_"]),
    (Body::Word, 20, &["sk-proj-", "sk-ant-", "sk-svcacct-", "sk-admin-", "sk-or-", "sk-lf-", "sk-None-"]),
    (
        Body::Random,
        20,
        &["sk-", "sk_", "key-", "secret_", "re_", "fw_", "live_", "shippo_live_", "shippo_test_"],
    ),
    (Body::Word, 30, &["AIza"]),
    (Body::Word, 20, &["GOCSPX-"]),
    (Body::Upper16, 16, &["AKIA", "ASIA", "ABIA", "ACCA", "A3T"]),
    (Body::Base64, 60, &["ABSK"]),
    (
        Body::Alnum,
        28,
        &["npm_", "hf_", "api_org_", "nfp_", "nfc_", "nfo_", "nfb_", "nfu_", "r8_", "gsk_", "rnd_"],
    ),
    (Body::Word, 32, &["pypi-"]),
    (
        Body::Word,
        16,
        &["dckr_pat_", "dckr_oat_", "sbp_", "sb_secret_", "lin_api_", "lin_oauth_", "tvly-", "pcsk_"],
    ),
    (Body::Hex32, 32, &["SK", "AC"]),
    (Body::Alnum, 24, &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_", "shprk_"]),
    (Body::Word, 20, &["sq0atp-", "sq0csp-", "sq0idb-"]),
    (Body::Alnum, 14, &["rzp_live_", "rzp_test_"]),
    (Body::Word, 56, &["EAAA"]),
    (Body::Alnum, 80, &["EAA", "IGQV", "IGAA"]),
    (Body::Alnum, 32, &["dop_v1_", "doo_v1_", "dor_v1_"]),
    (Body::Word, 30, &["HRKU-", "ntn_", "figd_", "figo_", "figu_", "PMAK-", "CFPAT-", "xai-", "pplx-"]),
    (
        Body::Hex,
        32,
        &["dapi", "dkea", "dose", "pul-", "sqp_", "squ_", "sqa_", "rubygems_", "sntryu_", "bkua_", "bkct_"],
    ),
    (Body::Alnum, 20, &["NRAK-", "NRJS-", "NRAA-", "NRII-", "NRIQ-", "NRRA-", "NRSP-"]),
    (
        Body::Base64,
        30,
        &["ATATT3x", "ATCTT3x", "ATSTT3x", "ATOTT3x", "sntrys_", "glc_", "fm1_", "fm2_", "fo1_"],
    ),
    (Body::Random, 20, &["ATBB", "ATTA", "cfut_", "cfat_", "cfk_", "cfd_"]),
    (
        Body::Word,
        28,
        &["glsa_", "lsv2_pt_", "lsv2_sk_", "tgp_v1_", "pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
    ),
    (
        Body::Word,
        20,
        &[
            "xkeysib-",
            "xsmtpsib-",
            "access-sandbox-",
            "access-development-",
            "access-production-",
            "FLWSECK-",
            "FLWSECK_TEST-",
            "duffel_live_",
            "duffel_test_",
            "fio-u-",
            "pat-na1-",
            "pat-na2-",
            "pat-eu1-",
            "CCIPAT_",
            "CCIPRJ_",
            "CLOJARS_",
            "packagist_",
            "mdb_sa_sk_",
            "essu_",
            "tskey-",
            "hcaik_",
            "hcbik_",
            "hclik_",
            "vcp_",
            "vck_",
            "vca_",
            "vci_",
            "ops_eyJ",
            "nvapi-",
            "jina_",
            "co_api_",
            "wandb_v1_",
            "AQVN",
            "apify_api_",
            "ddapp_",
            "dd_api_",
            "napi_",
            "vercel_blob_rw_",
        ],
    ),
    (Body::Random, 50, &["EZAK", "EZTK", "AKCp", "AQE"]),
    (
        Body::Random,
        20,
        &[
            "LTAI",
            "AKID",
            "fc-",
            "patch_",
            "sess-",
            "cal_live_",
            "key_live_",
            "zpka_",
            "tfp_",
            "e2b_",
            "phx_",
            "bsk_",
            "sgp_",
            "pnu_",
            "pnb_",
            "A3-",
            "BSA",
            "ddp_",
            "rdme_",
        ],
    ),
    (Body::Upper, 40, &["AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1"]),
    (Body::Base64, 40, &["eyJrIjoi", "cmVmdGtu"]),
];

/// Prefixes that contain a character which is not a word character.
const PREFIXES_WITH_SIGN: &[(Body, usize, &str)] = &[
    (Body::Dotted, 16, "SG."),
    (Body::Dotted, 16, "hvs."),
    (Body::Dotted, 16, "hvb."),
    (Body::Dotted, 16, "hvr."),
    (Body::Dotted, 16, "ya29."),
    (Body::Dotted, 16, "dp.pt."),
    (Body::Dotted, 16, "dp.st."),
    (Body::Dotted, 16, "dp.ct."),
    (Body::Dotted, 16, "dp.sa."),
    (Body::Dotted, 16, "dp.scim."),
    (Body::Dotted, 60, "sl."),
    (Body::Dotted, 20, "dt0c01."),
    (Body::Dotted, 20, "dt0s16."),
    (Body::Base64, 30, "k8s-aws-v1."),
    (Body::Dotted, 16, "xoxe.xoxp-"),
    (Body::Dotted, 16, "xoxe.xoxb-"),
    (Body::Dotted, 20, "amzn.mws."),
    (Body::Dotted, 20, "pat."),
    (Body::Dotted, 20, "sk.eyJ"),
    (Body::Word, 20, "1//0"),
    (Body::Dotted, 30, "Q~"),
    (Body::Base64, 20, "pdus+"),
    (Body::Word, 20, "access_token$production$"),
    (Body::Word, 20, "access_token$sandbox$"),
];

impl Body {
    fn accepts(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Word | Self::Random => is_word(byte),
            Self::Dotted => is_word(byte) || byte == b'.' || byte == b'~',
            Self::Base64 => is_word(byte) || matches!(byte, b'.' | b'+' | b'/' | b'=' | b','),
            Self::Hex | Self::Hex32 => byte.is_ascii_hexdigit(),
            Self::Upper | Self::Upper16 => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        }
    }

    /// Number of bytes at the beginning of `rest` that belong to the token; `None` if they are too few.
    fn length(self, rest: &[u8], least: usize) -> Option<usize> {
        let length = rest.iter().position(|&byte| !self.accepts(byte)).unwrap_or(rest.len());
        let more = rest.get(length).is_some_and(|&byte| is_word(byte));
        let fits = match self {
            Self::Hex32 => length == 32 && !more,
            Self::Upper16 => (16..=17).contains(&length) && !more,
            Self::Random => length >= least && has_random_piece(&rest[..length]),
            _ => length >= least,
        };
        // A full stop after a token ends the sentence.
        let stops = rest[..length].iter().rev().take_while(|byte| matches!(byte, b'.' | b',')).count();
        fits.then_some(length - stops)
    }
}

/// The table of prefixes, indexed by first byte.
#[derive(Debug)]
pub(crate) struct Prefixes(Vec<Vec<(&'static [u8], Body, usize)>>);

impl Prefixes {
    pub(crate) fn new() -> Self {
        let mut by_first = vec![Vec::new(); 128];
        for &(body, least, prefixes) in PREFIXES {
            for prefix in prefixes {
                let first = prefix.bytes().next().map_or(0, usize::from);
                by_first[first].push((prefix.as_bytes(), body, least));
            }
        }
        Self(by_first)
    }

    /// Finds tokens in a run of word characters. A token begins where the run begins, or after `_` or `-`.
    pub(crate) fn find(&self, text: &[u8], run: &Span, spans: &mut Vec<Span>) {
        let begin = run.start + escape_remnant(text, run.start);
        let mut at = begin;
        while at < run.end {
            let known = self.0.get(usize::from(text[at])).map_or(&[][..], Vec::as_slice);
            let token = |&(prefix, body, least): &(&'static [u8], Body, usize)| {
                // Weak prefixes count only at the beginning of a run.
                let possible = body != Body::Random || at == begin;
                let rest = text[at..].strip_prefix(prefix).filter(|_| possible)?;
                Some(at + prefix.len() + body.length(rest, least)?)
            };
            if let Some(end) = known.iter().filter_map(token).max() {
                spans.push(at..end);
                at = end;
            }
            let next = text[at.min(run.end)..run.end].iter().position(|byte| matches!(byte, b'_' | b'-'));
            at = next.map_or(run.end, |next| at + next + 1);
        }
        find_with_sign(text, run, spans);
    }
}

fn find_with_sign(text: &[u8], run: &Span, spans: &mut Vec<Span>) {
    // The run begins after the sign. Most prefixes end there; some go on (`sk.eyJ`, `xoxe.xoxp-`).
    let before = run.start.checked_sub(1).map(|before| text[before]);
    let signed = match before {
        Some(b'.' | b'~' | b'+' | b'$') => true,
        Some(b'/') => text[..run.start].ends_with(b"1//"),
        _ => false,
    };
    if !signed {
        return;
    }
    for &(body, least, prefix) in PREFIXES_WITH_SIGN {
        let sign = prefix.bytes().rposition(|byte| !is_word(byte)).map_or(0, |sign| sign + 1);
        let Some(start) = run.start.checked_sub(sign) else { continue };
        let whole = text[start..].starts_with(prefix.as_bytes());
        // Azure's tokens begin four characters before their sign.
        let free = prefix == "Q~" || start == 0 || !text[start - 1].is_ascii_alphanumeric();
        if whole
            && free
            && let Some(length) = body.length(&text[start + prefix.len()..], least)
        {
            let before = if prefix == "Q~" { 4.min(start) } else { 0 };
            let end = start + prefix.len() + length;
            // Only within ASCII: a span must begin at a character boundary.
            let before = if text[start - before..start].is_ascii() { before } else { 0 };
            spans.push(start - before..end);
        }
    }
}

/// Number of bytes at the beginning of a run that belong to a literal escape (`\n`, `\u003d`, `%3D`).
fn escape_remnant(text: &[u8], start: usize) -> usize {
    match start.checked_sub(1).map(|before| text[before]) {
        Some(b'\\') if text[start] == b'u' => 5.min(text.len() - start),
        Some(b'\\') => 1,
        Some(b'%') => 2.min(text.len() - start),
        _ => 0,
    }
}
