//! Confidence of a share.

/// Returns the 95 % interval of a share, by Wilson's score (1927). It stays within 0 and 1 and is
/// useful from the first observation.
pub fn wilson(hits: u64, of: u64) -> (f64, f64) {
    const Z: f64 = 1.959_964;
    if of == 0 {
        return (0.0, 1.0);
    }
    let n = of as f64;
    let share = hits.min(of) as f64 / n;
    let scale = 1.0 + Z * Z / n;
    let middle = (share + Z * Z / (2.0 * n)) / scale;
    let half = Z / scale * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures from Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    #[test]
    fn intervals_match_published_figures() {
        for (hits, of, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let (l, h) = wilson(hits, of);
            assert!((l - low).abs() < 5e-5 && (h - high).abs() < 5e-5, "{hits}/{of}: {l} {h}");
        }
        assert_eq!(wilson(0, 0), (0.0, 1.0));
    }
}
