//! Observing the size of an element.

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlDivElement, ResizeObserver};

use crate::cells::effect;

/// Calls `changed` once the element exists and whenever its size changes.
pub fn on_resize(place: NodeRef<Div>, changed: impl Fn(&HtmlDivElement) + 'static) {
    let changed = std::rc::Rc::new(changed);
    let observer: StoredValue<Option<ResizeObserver>, LocalStorage> = StoredValue::new_local(None);
    effect(move || {
        let Some(element) = place.get() else { return };
        let (measured, changed) = (element.clone(), std::rc::Rc::clone(&changed));
        let measure = Closure::<dyn FnMut()>::new(move || changed(&measured));
        if let Ok(created) = ResizeObserver::new(measure.as_ref().unchecked_ref()) {
            created.observe(&element);
            observer.set_value(Some(created));
        }
        // The browser needs it as long as the observer.
        measure.forget();
    });
    on_cleanup(move || {
        observer.try_update_value(|observer| {
            if let Some(observer) = observer.take() {
                observer.disconnect();
            }
        });
    });
}
