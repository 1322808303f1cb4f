//! Budgets, counted in thousandths so that sums are exact.

/// Budget of a pursuit where the caller gives none.
pub const DEFAULT_BUDGET: u32 = 1_000;
/// Cost of a question where the file names none.
pub const DEFAULT_COST: u32 = 50;
/// Largest budget.
pub const MAX_BUDGET: u32 = 10_000;

/// Converts a number to thousandths. `None` if it rounds to zero, is negative, or exceeds the largest budget.
pub fn thousandths(number: f64) -> Option<u32> {
    let scaled = (number * 1_000.0).round();
    (1.0..=f64::from(MAX_BUDGET)).contains(&scaled).then_some(scaled as u32)
}

/// Converts thousandths to a number.
pub fn number(thousandths: u32) -> f64 {
    f64::from(thousandths) / 1_000.0
}

/// Returns whether what is left of a budget covers a cost.
pub fn covers(budget: u32, used: u32, cost: u32) -> bool {
    used.saturating_add(cost) <= budget
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions(budget: f64, cost: f64) -> u32 {
        let (budget, cost) = (thousandths(budget).unwrap(), thousandths(cost).unwrap());
        let mut used = 0;
        let mut count = 0;
        while covers(budget, used, cost) {
            used += cost;
            count += 1;
        }
        count
    }

    #[test]
    fn budget_of_one_gives_whole_number_of_questions() {
        assert_eq!(questions(1.0, 0.07), 14);
        assert_eq!(questions(1.0, 0.10), 10);
        assert_eq!(questions(1.0, 0.05), 20);
        assert_eq!(questions(1.0, 0.15), 6);
    }

    #[test]
    fn thousandths_rejects_zero_negative_and_huge_numbers() {
        for wrong in [0.0, -1.0, 0.0001, 10.001, f64::NAN, f64::INFINITY] {
            assert_eq!(thousandths(wrong), None, "{wrong}");
        }
        assert!((number(70) - 0.07).abs() < f64::EPSILON);
    }
}
