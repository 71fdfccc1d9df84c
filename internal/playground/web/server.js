// The server of the page: requests, and the stream of what happens.
import { $ } from "./state.js";

// ask requests a path, with a change if there is one. Its errors are sentences for people.
export async function ask(path, change, options = {}) {
  let response, result;
  try {
    response = await fetch(path, change && {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(change), ...options,
    });
    result = await response.json();
  } catch {
    throw new Error("heddle does not answer. What you wrote is still here; try again when it is back.");
  }
  if (!response.ok) throw new Error(result.error);
  return result;
}

// follow calls happened with everything that happens, and load whenever the stream begins,
// also again after it was lost.
export function follow(load, happened) {
  const events = new EventSource("/api/events");
  events.onopen = () => load().then(() => online(true), () => online(false));
  events.onerror = () => online(false);
  events.onmessage = (event) => happened(JSON.parse(event.data));
}

function online(now) {
  $("link").hidden = now;
  $("link").textContent = now ? "" : "heddle is not running. Start it again and this page goes on by itself; what you write stays here until then.";
  $("link").classList.toggle("lost", !now);
}

export const fault = (text) => { $("fault").textContent = text; };

// tell says something for a while, politely for screen readers, with something to do about
// it. It returns a function that ends it.
let toast = { end: () => {} };
export function tell(text, action, done = () => {}) {
  toast.end();
  const node = $("toast");
  const own = { end: () => finish(done) };
  const timer = setTimeout(() => own.end(), 8000);
  function finish(then) {
    if (toast !== own) return;
    clearTimeout(timer);
    toast = { end: () => {} };
    node.replaceChildren();
    node.hidden = true;
    then();
  }
  toast = own;
  const says = document.createElement("span");
  says.textContent = text;
  node.replaceChildren(says, ...[action && button(action.label, () => finish(action.act)), button("Close", own.end)].filter(Boolean));
  node.hidden = false;
  announce(text);
  return own.end;
}

function button(label, act) {
  const node = document.createElement("button");
  Object.assign(node, { type: "button", textContent: label, onclick: act });
  return node;
}

// announce has screen readers say something when they are silent.
export const announce = (text) => { $("announce").textContent = text; };

// settle ends what is told, as if its time were up.
export const settle = () => toast.end();
