//! Observation: counting one document into a shape.
//!
//! While a document is read, the counts are only planned. They are made once the document is known
//! to be valid, so an invalid document counts nothing.

mod gathering;
mod plan;
mod spare;
mod walk;

use crate::arguments::{Arguments, Parts};
use crate::scan::{Oddities, Sink, Token, Unreadable, scan};
use crate::shape::Shape;
use crate::signatures::Signer;
use crate::tree::{Cuts, Tree};
use gathering::Gathering;
use plan::PlanContext;
pub(crate) use plan::Seen;
pub(crate) use spare::Spare;
use walk::{Walk, WalkContext};

/// Most steps of a plan before it is carried out, about 200 kB.
const MAX_STEPS: usize = 4 << 10;

/// The same if the document is known to be valid, so that nothing has to wait: as many as stay in
/// the processor's cache.
const MAX_KNOWN_STEPS: usize = 512;

/// Divisor of the bound: a tree may exceed its bound by a sixteenth before it is trimmed.
const SLACK: usize = 16;

/// Value that a replacement string stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandsFor {
    /// A string with this many characters, if that is known.
    String(Option<u64>),
    /// An integer.
    Integer,
    /// Any other number.
    Number,
}

/// Function that returns what a string stands for, if it replaces another value.
pub type Replacements = dyn Fn(&str) -> Option<StandsFor>;

/// Circumstances of an observation.
#[derive(Clone, Copy, Default)]
pub struct Circumstances<'a> {
    /// Epoch: any number that grows with time. Counts per epoch are kept for the newest eight.
    pub epoch: u32,
    /// Set if values that must not be kept were replaced.
    pub stands_for: Option<&'a Replacements>,
}

impl Shape {
    /// Counts one JSON document. After an error the shape is unchanged.
    pub fn observe(&mut self, document: &[u8]) -> Result<(), Unreadable> {
        self.observe_under(document, Circumstances::default())
    }

    /// Counts one document observed at a certain time, or with some of its values replaced.
    pub fn observe_under(
        &mut self,
        document: &[u8],
        circumstances: Circumstances<'_>,
    ) -> Result<(), Unreadable> {
        self.observe_beside(document, circumstances, false, &mut ())
    }

    /// Counts one document that is known to be valid and, in the same pass, what
    /// [`Arguments::observe`] counts for the arguments `given` (a JSON object, or none). If those
    /// cannot be read, only the document counts. If a long document is not valid JSON after all,
    /// the part before the error may be counted; [`Shape::observe`] reads everything first.
    pub fn observe_call(
        &mut self,
        document: &[u8],
        circumstances: Circumstances<'_>,
        arguments: &mut Arguments,
        given: Option<&[u8]>,
    ) -> Result<(), Unreadable> {
        let mut parts = Parts::new(circumstances);
        self.observe_beside(document, circumstances, true, &mut parts)?;
        // The document counts even if the arguments are invalid.
        let _ = arguments.count(given, parts);
        Ok(())
    }

    fn observe_beside<'d>(
        &mut self,
        document: &'d [u8],
        circumstances: Circumstances<'_>,
        known: bool,
        beside: &mut impl Sink<'d>,
    ) -> Result<(), Unreadable> {
        let nodes = self.tree.len();
        let mut observer = Observer::new(self, document, circumstances, known);
        let read = scan(document, &mut (&mut observer, beside));
        if read.is_ok() {
            observer.carry_out();
            observer.cut_back();
        }
        let Observer { main, gathering, counted, ways, .. } = observer;
        let WalkContext { plan, mut signature, .. } = ways;
        self.spare.put(plan, main, gathering);
        let oddities = match read {
            Ok(oddities) => oddities,
            Err(unreadable) => {
                // Something was counted only if an invalid document was declared to be valid.
                if !counted {
                    self.tree.remove_added(nodes);
                }
                return Err(unreadable);
            }
        };
        // The signature found while counting is complete only while every path is kept.
        if self.is_trimmed() {
            let mut signer = Signer::new(self.tree.key, circumstances);
            scan(document, &mut signer)?;
            signature = signer.signature();
        }
        self.count_document(circumstances.epoch, signature, &oddities);
        Ok(())
    }

    /// Counts a document as a whole.
    fn count_document(&mut self, epoch: u32, signature: u64, oddities: &Oddities) {
        self.observations += 1;
        self.oddities.add(oddities);
        self.signatures.add(signature, 1);
        if self.note_epoch(epoch, 1) {
            self.forget_epochs();
        }
    }
}

/// Plans the counts for a document's tokens.
struct Observer<'s, 'd> {
    document: &'d [u8],
    ways: WalkContext<'s, 'd>,
    /// Walk through every path by its own keys.
    main: Walk<'d>,
    /// Walks to the nodes where the values of several keys are counted together.
    gathering: Gathering<'d>,
    /// Number of steps after which the length of the plan and the size of the tree are checked.
    check_at: usize,
    /// Whether the document is known to be valid.
    known: bool,
    /// Whether some of it was counted.
    counted: bool,
    /// Number of the document.
    number: u64,
    decoded: &'s mut String,
    changes: &'s mut u64,
    cap: usize,
}

impl<'s, 'd> Observer<'s, 'd> {
    fn new(shape: &'s mut Shape, document: &'d [u8], circumstances: Circumstances<'s>, known: bool) -> Self {
        shape.documents += 1;
        let (plan, main, gathering) = shape.spare.take();
        let check_at = room(&shape.tree, shape.cap).min(most_steps(known));
        Self {
            check_at,
            document,
            ways: WalkContext {
                tree: &mut shape.tree,
                objects: &mut shape.objects,
                circumstances,
                plan,
                signature: 0,
                gather: None,
                attend_at: check_at,
            },
            main,
            gathering,
            known,
            counted: false,
            number: shape.documents,
            decoded: &mut shape.spare.text,
            changes: &mut shape.changes,
            cap: shape.cap,
        }
    }

    /// Makes the counts planned so far.
    fn carry_out(&mut self) {
        self.counted = true;
        let WalkContext { tree, circumstances, plan, .. } = &mut self.ways;
        plan.carry_out(&mut PlanContext {
            tree,
            document: self.number,
            epoch: circumstances.epoch,
            decoded: self.decoded,
        });
    }

    /// Does what a token rarely needs besides the main walk.
    #[inline(never)]
    fn attend(&mut self, token: &Token<'d>) {
        self.gathering.token(token, &mut self.ways);
        // Never between a key and its value, whose node is already decided.
        if !matches!(token, Token::Key(_)) && self.ways.plan.len() >= self.check_at {
            self.check_limits();
        }
        self.ways.attend_at = if self.gathering.is_empty() { self.check_at } else { 0 };
    }

    /// Makes the counts planned so far if there are too many of them or the tree is too large.
    /// Reads the document to its end first.
    #[cold]
    fn check_limits(&mut self) {
        if self.ways.plan.len() >= most_steps(self.known) || !self.is_within() {
            self.known = self.known || scan(self.document, &mut ()).is_ok();
            if !self.known {
                return self.give_up();
            }
            self.carry_out();
            self.cut_back();
        }
        let room = room(self.ways.tree, self.cap).min(most_steps(self.known));
        self.check_at = self.ways.plan.len() + room;
    }

    /// Stops planning. The reader that continues reports the error.
    fn give_up(&mut self) {
        self.main = Walk::nowhere();
        self.gathering.clear();
        self.ways.plan.clear();
        (self.ways.gather, self.check_at) = (None, usize::MAX);
    }

    /// Returns whether the tree need not be trimmed yet. Trimming costs time in proportion to the
    /// size of the tree, so it pays to wait until there is enough to remove.
    fn is_within(&self) -> bool {
        self.ways.tree.is_within(self.cap, Some(SLACK))
    }

    fn cut_back(&mut self) {
        if !self.is_within()
            && let Some(new) = self.ways.tree.trim(self.cap, Cuts::default())
        {
            *self.changes += 1;
            self.main.renumber(&new);
            self.gathering.renumber(&new);
        }
    }
}

fn most_steps(known: bool) -> usize {
    if known { MAX_KNOWN_STEPS } else { MAX_STEPS }
}

/// Returns the number of steps to plan before the size of the tree is checked: each new node has
/// one.
fn room(tree: &Tree, cap: usize) -> usize {
    tree.room(cap).clamp(MAX_STEPS / 64, MAX_STEPS)
}

impl<'d> Sink<'d> for Observer<'_, 'd> {
    #[inline(always)]
    fn token(&mut self, token: &Token<'d>) {
        self.main.token(token, &mut self.ways);
        if self.ways.plan.len() >= self.ways.attend_at {
            self.attend(token);
        }
    }

    #[inline(always)]
    fn expected(&mut self, written: &[u8]) -> Option<usize> {
        let length = self.main.expected(written, &mut self.ways)?;
        if self.ways.attend_at == 0 {
            self.gathering.expected(written, length, &mut self.ways);
        }
        Some(length)
    }
}
