//! What follows by itself in a conversation that is automatic.

use serde_json::Value;

use super::{Context, Place, StartStep, Step, finalize_ds, start_ds_pursuit};
use crate::error::StepError;
use crate::order::recommend;

/// Takes the next step of an automatic conversation: a pursuit in which everything is filled ends, and if none is being
/// pursued, the recommended one starts, with the budget and the fields of the input. Gives no event if a question can be asked, if nothing is left, or if the
/// conversation is not automatic.
pub fn follow(context: &Context<'_>, input: &StartStep) -> Result<Step, StepError> {
    let place = &input.place;
    let conversation = context.conversation(place)?;
    let of = |ds_id: &str| Place { ds_id: Some(ds_id.to_owned()), ..place.clone() };
    let none = || Ok(Step::reply(Value::Null));
    if !conversation.is_auto {
        return none();
    }
    if let Some(pursuit) = conversation.current() {
        return if pursuit.is_complete() {
            finalize_ds(context, &of(&pursuit.ds_id), "", false)
        } else {
            none()
        };
    }
    match recommend(context.library, conversation, None).ds_id {
        Some(ds_id) => start_ds_pursuit(context, &StartStep { place: of(&ds_id), ..input.clone() }),
        None => none(),
    }
}
