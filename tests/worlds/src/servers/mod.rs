//! The servers, each with its data, its tools and what they answer.

mod bank;
mod crm;
mod everything;
mod files;
mod git;
mod helpdesk;
mod members;
mod memory;
mod photos;
mod sensors;
mod shop;
mod time;
mod tracker;
mod travel;
mod web;

use crate::Server;

/// Returns all servers, with the data they start with.
pub fn all() -> Vec<Server> {
    vec![
        shop::server(),
        git::server(),
        files::server(),
        memory::server(),
        time::server(),
        everything::server(),
        helpdesk::server(),
        crm::server(),
        sensors::server(),
        tracker::server(),
        photos::server(),
        web::server(),
        bank::server(),
        travel::server(),
        members::library(),
        members::gym(),
    ]
}
