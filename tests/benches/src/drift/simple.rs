//! Simple tools: the same document each time, or one of a few, or tiny ones, with their calls, their changes, and
//! their variations that are no change.
//!
//! Nothing in such results names a thing, so every call may look like a repeat of another.

use schemascope_benches::random::Random;

use crate::stream::Call;

/// What a call says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks {
    Nothing,
    TheSame,
    Counter,
    /// The document that comes.
    Document,
}

/// What comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Returns {
    Constant,
    OneOfFour,
    /// Two fields of few values.
    Tiny,
    /// One field.
    Single,
    /// The field that changes is there in nine of ten results, by chance.
    Optional,
}

/// What happens to a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Becomes {
    Removed,
    Renamed,
    Retyped,
}

/// Manners that are no change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manner {
    /// Nothing ever differs.
    Calm,
    /// A list is empty now and then.
    EmptyLists,
    /// A field is there in one of twenty results.
    RareField,
    /// Values that were not there before.
    NewValues,
    /// The last of several pages has no cursor.
    Pages,
    /// Now and then another document comes for a while, without a field.
    OddDocument,
    /// The field is missing for eight results or so, now and then.
    Gaps,
}

pub const ASKS: [Asks; 4] = [Asks::Nothing, Asks::TheSame, Asks::Counter, Asks::Document];
pub const RETURNS: [Returns; 5] =
    [Returns::Constant, Returns::OneOfFour, Returns::Tiny, Returns::Single, Returns::Optional];
pub const BECOMES: [Becomes; 3] = [Becomes::Removed, Becomes::Renamed, Becomes::Retyped];
pub const MANNERS: [Manner; 7] = [
    Manner::Calm,
    Manner::EmptyLists,
    Manner::RareField,
    Manner::NewValues,
    Manner::Pages,
    Manner::OddDocument,
    Manner::Gaps,
];

/// One tool under way.
pub struct Simple {
    random: Random,
    asks: Asks,
    number: u64,
    /// Calls for which something unusual goes on.
    left: u64,
}

impl Simple {
    pub fn new(seed: u64, asks: Asks) -> Self {
        Self { random: Random::new(seed, "simple"), asks, number: 0, left: 0 }
    }

    fn call(&mut self, which: usize, document: String) -> Call {
        self.number += 1;
        let number = self.number;
        let arguments = match self.asks {
            Asks::Nothing => "{}".to_owned(),
            Asks::TheSame => "{\"region\":\"eu\"}".to_owned(),
            Asks::Counter => format!("{{\"n\":{number}}}"),
            Asks::Document => format!("{{\"account\":\"{}\"}}", NAMES[which % 4]),
        };
        Call { arguments, document, millis: number * 30_000, repeats: false }
    }

    /// A tool that may have changed.
    pub fn next(&mut self, returns: Returns, change: Option<Becomes>) -> Call {
        let which = if returns == Returns::OneOfFour { self.random.below(4) } else { 0 };
        let there = returns != Returns::Optional || self.random.chance(0.9);
        let field = match (change, there) {
            (Some(Becomes::Removed), _) | (_, false) => String::new(),
            (None, _) => format!("\"state\":\"{}\",", STATES[which]),
            (Some(Becomes::Renamed), _) => format!("\"status\":\"{}\",", STATES[which]),
            (Some(Becomes::Retyped), _) => format!("\"state\":{{\"name\":\"{}\"}},", STATES[which]),
        };
        let document = match returns {
            Returns::Tiny => format!("{{{field}\"load\":{}}}", self.random.below(3)),
            Returns::Single => format!("{{{}}}", field.trim_end_matches(',')),
            _ => format!(
                "{{\"invoices\":[{{\"id\":\"A-{which}\",{field}\"amount\":{}}}],\"total\":{which},\"currency\":\"EUR\"}}",
                12 + which
            ),
        };
        self.call(which, document)
    }

    /// A tool that never changes.
    pub fn mannered(&mut self, manner: Manner) -> Call {
        let which = self.random.below(4);
        let odd = match manner {
            Manner::OddDocument => self.stretch(0.02, 8),
            Manner::Gaps => self.stretch(0.02, 8),
            Manner::EmptyLists => self.random.chance(0.1),
            Manner::Pages => self.number % 5 == 4,
            Manner::RareField => self.random.chance(0.05),
            Manner::Calm | Manner::NewValues => false,
        };
        let item = format!("{{\"id\":\"A-{which}\",\"amount\":{}}}", 12 + which);
        let document = match (manner, odd) {
            (Manner::EmptyLists, true) => "{\"items\":[],\"total\":0,\"next\":\"p\"}".to_owned(),
            (Manner::RareField, true) => format!("{{\"items\":[{item}],\"total\":1,\"note\":\"n\"}}"),
            (Manner::NewValues, _) => {
                format!(
                    "{{\"items\":[{item}],\"state\":\"{}\",\"total\":1}}",
                    STATES[self.number as usize / 250]
                )
            }
            (Manner::OddDocument, true) => "{\"items\":[{\"id\":\"B\",\"size\":3}],\"pages\":9}".to_owned(),
            (Manner::Gaps, true) => format!("{{\"items\":[{item}],\"next\":\"p\"}}"),
            (Manner::Pages, true) => format!("{{\"items\":[{item}],\"total\":1}}"),
            _ => format!("{{\"items\":[{item}],\"total\":1,\"next\":\"p\"}}"),
        };
        self.call(which, document)
    }

    /// Whether something goes on that begins so often and takes so long, on average.
    fn stretch(&mut self, begins: f64, length: i64) -> bool {
        if self.left == 0 && self.random.chance(begins) {
            self.left = self.random.within(length / 2, length * 3 / 2) as u64;
        }
        let goes_on = self.left > 0;
        self.left = self.left.saturating_sub(1);
        goes_on
    }
}

const NAMES: [&str; 4] = ["north", "south", "east", "west"];
const STATES: [&str; 4] = ["paid", "open", "overdue", "void"];
