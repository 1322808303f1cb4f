//! What the list of tools says of each.

/// What the list of tools says of one.
pub(super) struct Spec {
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) is_read_only: bool,
    pub(super) is_idempotent: bool,
}

/// Returns the description of a tool.
pub(super) fn spec(name: &str) -> Spec {
    let (title, description, is_read_only, is_idempotent) = words(name);
    Spec { title, description, is_read_only, is_idempotent }
}

fn words(name: &str) -> (&'static str, &'static str, bool, bool) {
    match name {
        "start_interview" => (
            "Start an interview",
            "Starts a new interview project with its first conversation, or a further conversation in a project. Keep both ids: the other tools take them.",
            false,
            false,
        ),
        "list_available_ds" => (
            "Discovery Schemas",
            "Lists the Discovery Schemas that an interview can pursue: what each finds out, and which have to be pursued before it.",
            true,
            true,
        ),
        "get_next_ds" => (
            "Recommended Discovery Schema",
            "Recommends the Discovery Schema to pursue next, with the reason and the alternatives. The recommendation is advice: any one whose prerequisites are met can be started. ds_id is null when nothing is left to recommend.",
            true,
            true,
        ),
        "start_ds_pursuit" => (
            "Start pursuing a Discovery Schema",
            "Begins to fill a Discovery Schema by questions, and returns its objective, the rules and the budget. One that has ended is started again with a new budget; its answers stay.",
            false,
            true,
        ),
        "get_next_question" => (
            "Next question",
            "Returns the open question, or hands out the next one and charges its cost. Repeating the call before the answer returns the same question at no cost. Put the question to the person, then call process_ds_answer.",
            false,
            true,
        ),
        "process_ds_answer" => (
            "Process an answer",
            "Takes the answer to a question: the person's words, a table, a choice, or JSON in the form of the Discovery Schema. Merges what it says into the aggregate and says what to do next. The first answer to a question is kept.",
            false,
            true,
        ),
        "get_ds_status" => (
            "Status of a pursuit",
            "Returns how far a Discovery Schema is filled: the aggregate, filled and open fields, completeness, and the budget.",
            true,
            true,
        ),
        "finalize_ds" => (
            "Finalise a pursuit",
            "Ends the pursuit of a Discovery Schema and stores its aggregate. Without success, the result says what is missing and the pursuit continues; with force it is abandoned.",
            false,
            true,
        ),
        "get_conversation_history" => (
            "History of a conversation",
            "Returns the questions and answers of a conversation by Discovery Schema, with what each pursuit found out.",
            true,
            true,
        ),
        "get_aggregated_scr" => (
            "Everything found out",
            "Returns the aggregates of a conversation, one by one and merged, with the conflicts that a person has not settled.",
            true,
            true,
        ),
        "interviewer_formulates_question" => (
            "Formulate a question",
            "Words the next question without asking it. Nothing is stored and nothing is charged; use get_next_question to ask.",
            true,
            true,
        ),
        "interviewer_interprets_response" => (
            "Interpret a response",
            "Reads an answer in the form of the Discovery Schema without storing it; use process_ds_answer to store it.",
            true,
            true,
        ),
        "create_surrogate_expert" => (
            "Create a surrogate expert",
            "Creates an expert who answers interviews about a product, for trying out interviews without a person. The client's model plays the expert if there is one; otherwise the answers come from a script.",
            false,
            false,
        ),
        _ => (
            "Run a surrogate interview",
            "Conducts a whole interview with an expert from create_surrogate_expert in a new project, and reports what was found out and how much of what the expert knows has arrived.",
            false,
            false,
        ),
    }
}
