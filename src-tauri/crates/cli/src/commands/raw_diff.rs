//! Two texts side by side, line by line.
//!
//! Owns: a shortest script of lines that go and come (Myers), as far as it is short; beyond that the whole
//! differing part goes and comes. Refuses to know: what texts are.

/// Lines around a change.
const AROUND: usize = 3;
/// Changed lines up to which the shortest script is sought: its cost is their square.
const MAX_CHANGED: usize = 2_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Same,
    Gone,
    New,
}

/// The lines that differ, with some around them: ` ` the same, `-` gone, `+` new, `@@` where lines are left out.
pub fn lines(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let steps = script(&old, &new);
    let near = |at: usize| {
        let around = at.saturating_sub(AROUND)..(at + AROUND + 1).min(steps.len());
        steps[around].iter().any(|step| *step != Step::Same)
    };
    let (mut from_old, mut from_new, mut left_out) = (0, 0, false);
    let mut told = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let (sign, line) = match step {
            Step::Same => (' ', old.get(from_old)),
            Step::Gone => ('-', old.get(from_old)),
            Step::New => ('+', new.get(from_new)),
        };
        if near(at) {
            if left_out {
                told.push(format!("@@ {} {}", from_old + 1, from_new + 1));
            }
            told.push(format!("{sign}{}", line.copied().unwrap_or_default()));
        }
        left_out = !near(at);
        from_old += usize::from(*step != Step::New);
        from_new += usize::from(*step != Step::Gone);
    }
    told
}

fn script(old: &[&str], new: &[&str]) -> Vec<Step> {
    let alike = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (rest_old, rest_new) = (&old[alike..], &new[alike..]);
    let ends = rest_old.iter().rev().zip(rest_new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (middle_old, middle_new) = (&rest_old[..rest_old.len() - ends], &rest_new[..rest_new.len() - ends]);
    let mut steps = vec![Step::Same; alike];
    steps.extend(shortest(middle_old, middle_new).unwrap_or_else(|| {
        let gone = std::iter::repeat_n(Step::Gone, middle_old.len());
        gone.chain(std::iter::repeat_n(Step::New, middle_new.len())).collect()
    }));
    steps.extend(std::iter::repeat_n(Step::Same, ends));
    steps
}

/// Myers: how far along each diagonal one gets with so many changes, until the end is reached.
fn shortest(old: &[&str], new: &[&str]) -> Option<Vec<Step>> {
    let (n, m) = (old.len() as isize, new.len() as isize);
    let limit = (old.len() + new.len()).min(MAX_CHANGED) as isize;
    let at = |diagonal: isize| (diagonal + limit + 1) as usize;
    let mut reached = vec![0isize; (2 * limit + 3) as usize];
    let mut trace = Vec::new();
    for changes in 0..=limit {
        trace.push(reached[at(-changes - 1)..=at(changes + 1)].to_vec());
        for diagonal in (-changes..=changes).step_by(2) {
            let down = diagonal == -changes
                || (diagonal != changes && reached[at(diagonal - 1)] < reached[at(diagonal + 1)]);
            let mut x = if down { reached[at(diagonal + 1)] } else { reached[at(diagonal - 1)] + 1 };
            while x < n && x - diagonal < m && old[x as usize] == new[(x - diagonal) as usize] {
                x += 1;
            }
            reached[at(diagonal)] = x;
            if x >= n && x - diagonal >= m {
                return Some(walk_back(&trace, (n, m)));
            }
        }
    }
    None
}

fn walk_back(trace: &[Vec<isize>], (mut x, mut y): (isize, isize)) -> Vec<Step> {
    let mut steps = Vec::new();
    for (changes, reached) in trace.iter().enumerate().rev() {
        let changes = changes as isize;
        // Each row begins at diagonal `-changes - 1`.
        let at = |diagonal: isize| reached[(diagonal + changes + 1) as usize];
        let diagonal = x - y;
        let down = diagonal == -changes || (diagonal != changes && at(diagonal - 1) < at(diagonal + 1));
        let before = if down { diagonal + 1 } else { diagonal - 1 };
        let (from_x, from_y) = if changes == 0 { (0, 0) } else { (at(before), at(before) - before) };
        while x > from_x && y > from_y {
            steps.push(Step::Same);
            (x, y) = (x - 1, y - 1);
        }
        if changes > 0 {
            steps.push(if down { Step::New } else { Step::Gone });
            (x, y) = (from_x, from_y);
        }
    }
    steps.reverse();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_and_comes_is_told_with_what_is_around() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj";
        let new = "a\nb\nX\nd\ne\nf\ng\nh\ni\nj\nk";
        assert_eq!(lines(old, old), Vec::<String>::new());
        assert_eq!(
            lines(old, new),
            [" a", " b", "-c", "+X", " d", " e", " f", "@@ 8 8", " h", " i", " j", "+k"]
        );
        assert_eq!(lines("", "a"), ["+a"]);
        assert_eq!(lines("a\nb", ""), ["-a", "-b"]);
    }

    /// Put together again, both texts come out.
    #[test]
    fn the_script_leads_from_one_to_the_other() {
        let text = |seed: usize, length: usize| -> Vec<String> {
            (0..length).map(|n| ((n * seed + n / 3) % 5).to_string()).collect()
        };
        for (a, b) in [(1, 2), (2, 3), (3, 3), (1, 4), (7, 2)] {
            let (old, new) = (text(a, 30 + a), text(b, 25 + b));
            let (old, new): (Vec<&str>, Vec<&str>) =
                (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
            let (mut from_old, mut from_new) = (0, 0);
            for step in script(&old, &new) {
                if step == Step::Same {
                    assert_eq!(old[from_old], new[from_new]);
                }
                from_old += usize::from(step != Step::New);
                from_new += usize::from(step != Step::Gone);
            }
            assert_eq!((from_old, from_new), (old.len(), new.len()));
        }
    }
}
