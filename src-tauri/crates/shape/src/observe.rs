//! Counting one document into a shape.
//!
//! While a document is read it is planned what to count. That is done when it is known to be one, so one that
//! cannot be read counts nothing. Owns: that, and the memory it takes. Refuses to know: what counts at which
//! path; schemas.

mod plan;
mod spare;
mod walk;

use crate::arguments::{Arguments, Parts};
use crate::scan::{Oddities, Sink, Token, Unreadable, scan};
use crate::shape::Shape;
use crate::signatures::Signer;
use crate::tree::Tree;
use plan::Carrying;
pub(crate) use plan::Seen;
pub(crate) use spare::Spare;
use walk::{Walk, Ways};

/// Steps of a plan before it is carried out, some 200 kB.
const MAX_STEPS: usize = 4 << 10;

/// The same where a document is known to be one, so that nothing is waited for: as many as the processor keeps near.
const NEAR_STEPS: usize = 512;

/// By what share of its bound a tree may exceed it before it is cut back: a sixteenth.
const SLACK: usize = 16;

/// What a string stands for that replaced another value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandsFor {
    /// A string of so many characters, if that is known.
    String(Option<u64>),
    /// An integer.
    Integer,
    /// Another number.
    Number,
}

/// Tells what a string stands for, if it is in place of another value.
pub type Replacements = dyn Fn(&str) -> Option<StandsFor>;

/// When and how a document was observed.
#[derive(Clone, Copy, Default)]
pub struct Circumstances<'a> {
    /// The epoch: any number that grows with time. What is kept per epoch, is for the newest eight.
    pub epoch: u32,
    /// Known where values that must not be kept were replaced.
    pub stands_for: Option<&'a Replacements>,
}

impl Shape {
    /// Counts one JSON document. On an error the shape is as it was.
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

    /// Counts one document that was read before, and in the same pass what [`Arguments::observe`] counts of it for
    /// the arguments `given`, a JSON object or nothing. Where those cannot be read only the document counts. A
    /// long document that is not JSON after all may count up to where it is not; [`Shape::observe`] reads all of
    /// it first.
    pub fn observe_call(
        &mut self,
        document: &[u8],
        circumstances: Circumstances<'_>,
        arguments: &mut Arguments,
        given: Option<&[u8]>,
    ) -> Result<(), Unreadable> {
        let mut parts = Parts::new(circumstances);
        self.observe_beside(document, circumstances, true, &mut parts)?;
        // The document counts whatever the arguments are.
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
        let Observer { main, counted, ways: Ways { plan, mut signature, .. }, .. } = observer;
        self.spare.put(plan, main);
        let oddities = match read {
            Ok(oddities) => oddities,
            Err(unreadable) => {
                // Some is counted there only of one that was wrongly said to be known.
                if !counted {
                    self.tree.take_back(nodes);
                }
                return Err(unreadable);
            }
        };
        // What was met of a signature is all of it while every path is kept.
        if self.is_trimmed() {
            let mut signer = Signer::new(self.tree.key, circumstances);
            scan(document, &mut signer)?;
            signature = signer.signature();
        }
        self.note(circumstances.epoch, signature, &oddities);
        Ok(())
    }

    /// Counts what belongs to a document as a whole.
    fn note(&mut self, epoch: u32, signature: u64, oddities: &Oddities) {
        self.observations += 1;
        self.oddities.add(oddities);
        self.signatures.add(signature, 1);
        if self.note_epoch(epoch, 1) {
            self.forget_epochs();
        }
    }
}

/// Plans what to count for a document's tokens.
struct Observer<'s, 'd> {
    document: &'d [u8],
    ways: Ways<'s, 'd>,
    /// Through every path by its own keys.
    main: Walk<'d>,
    /// Through values whose key looks like data, to where such values are counted together.
    gathering: Vec<Walk<'d>>,
    /// There are some.
    gathers: bool,
    /// Steps of the plan at which it is to be looked whether it is too long or the tree too large.
    look_at: usize,
    /// The document is known to be one.
    known: bool,
    /// Some of it is counted.
    counted: bool,
    /// The number of the document.
    number: u64,
    decoded: &'s mut String,
    changes: &'s mut u64,
    cap: usize,
}

impl<'s, 'd> Observer<'s, 'd> {
    fn new(shape: &'s mut Shape, document: &'d [u8], circumstances: Circumstances<'s>, known: bool) -> Self {
        shape.documents += 1;
        let (plan, main) = shape.spare.take();
        Self {
            look_at: room(&shape.tree, shape.cap).min(most_steps(known)),
            document,
            ways: Ways {
                tree: &mut shape.tree,
                objects: &mut shape.objects,
                circumstances,
                plan,
                signature: 0,
                gather: None,
            },
            main,
            gathering: Vec::new(),
            gathers: false,
            known,
            counted: false,
            number: shape.documents,
            decoded: &mut shape.spare.text,
            changes: &mut shape.changes,
            cap: shape.cap,
        }
    }

    /// Counts what was planned so far.
    fn carry_out(&mut self) {
        self.counted = true;
        let Ways { tree, circumstances, plan, .. } = &mut self.ways;
        plan.carry_out(&mut Carrying {
            tree,
            document: self.number,
            epoch: circumstances.epoch,
            decoded: self.decoded,
        });
    }

    /// Counts what was planned so far where that is too much, or the tree too large. The document is read to its
    /// end first.
    #[cold]
    fn look(&mut self) {
        if self.ways.plan.len() >= most_steps(self.known) || !self.is_within() {
            self.known = self.known || scan(self.document, &mut ()).is_ok();
            if !self.known {
                return self.give_up();
            }
            self.carry_out();
            self.cut_back();
        }
        let room = room(self.ways.tree, self.cap).min(most_steps(self.known));
        self.look_at = self.ways.plan.len() + room;
    }

    /// Plans nothing any more: whoever reads on will see why.
    fn give_up(&mut self) {
        self.main = Walk::nowhere();
        self.gathering.clear();
        self.gathers = false;
        self.ways.plan.clear();
        self.look_at = usize::MAX;
    }

    /// Whether the tree need not be cut back yet. That costs as much as the tree is large, so it is worth waiting
    /// for enough to cut.
    fn is_within(&self) -> bool {
        self.ways.tree.is_within(self.cap, Some(SLACK))
    }

    fn cut_back(&mut self) {
        if !self.is_within()
            && let Some(new) = self.ways.tree.trim(self.cap, None)
        {
            *self.changes += 1;
            self.main.renumber(&new);
            self.gathering.iter_mut().for_each(|walk| walk.renumber(&new));
        }
    }

    #[inline(never)]
    fn gather(&mut self, token: &Token<'d>) {
        let gathering = self.gathering.len();
        self.gathering.extend(self.ways.gather.take());
        for at in 0..gathering {
            self.gathering[at].follow(token, &mut self.ways);
            self.gathering.extend(self.ways.gather.take());
        }
        self.gathering.retain(|walk| !walk.is_done());
        self.gathers = !self.gathering.is_empty();
    }
}

fn most_steps(known: bool) -> usize {
    if known { NEAR_STEPS } else { MAX_STEPS }
}

/// Steps to plan before it must be looked how large the tree is: each new node has one.
fn room(tree: &Tree, cap: usize) -> usize {
    cap.saturating_sub(tree.len()).clamp(MAX_STEPS / 64, MAX_STEPS)
}

impl<'d> Sink<'d> for Observer<'_, 'd> {
    #[inline(always)]
    fn token(&mut self, token: &Token<'d>) {
        self.main.token(token, &mut self.ways);
        if self.gathers || matches!(token, Token::Key(_)) && self.ways.gather.is_some() {
            self.gather(token);
        }
        // Never between a key and its value, which is on its way to a node.
        if !matches!(token, Token::Key(_)) && self.ways.plan.len() >= self.look_at {
            self.look();
        }
    }

    #[inline(always)]
    fn expected(&mut self, written: &[u8]) -> Option<usize> {
        if self.gathers { None } else { self.main.expected(written, &mut self.ways) }
    }
}
