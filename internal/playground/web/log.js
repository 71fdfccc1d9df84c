// The messages of a channel. Only what changed is drawn anew, so that long channels stay
// fluid, and the whole log is one tab stop: arrows move between its messages.
import { $, byBot, channel, first, inChannel, state } from "./state.js";
import { measure, layOutAll } from "./heights.js";
import { depends, kind, parts } from "./message.js";
import { clock, day, el, face } from "./text.js";

const rows = new Map(); // what stands in the log, by the id of a message or by its day
let active = ""; // the message that Tab leads to: where one was, or the newest
let following = true; // the newest message is in view, and is to stay there
let lost = null; // the button that a change took the focus from: {id, key}
let actions = null;

// open prepares the log. given is what people can do with messages.
export function open(given) {
  actions = given;
  follow();
  $("log").addEventListener("keydown", move);
  $("log").addEventListener("focusin", (event) => activate(event.target.closest(".msg")));
  $("log").addEventListener("pointerdown", (event) => activate(event.target.closest(".msg")));
}

// toEnd shows the newest message, and those that come as well.
export function toEnd() {
  if (channel()?.later) {
    actions.newest();
    return;
  }
  following = true;
  $("scroll").scrollTop = $("scroll").scrollHeight;
}

// reached returns the last message in view; "0" if that is the newest one.
export function reached() {
  if (following) return "0";
  const { bottom } = $("scroll").getBoundingClientRect();
  return inChannel().findLast((m) => rows.get(m.id)?.node.getBoundingClientRect().bottom <= bottom + 1)?.id ?? "0";
}

// come shows a message that was written after another one, or at the end for "0".
export const come = (id, after) => after === "0" ? toEnd() : actions.read(id);

// hold keeps what is in view where it is, until somebody scrolls to the end.
export const hold = () => { following = false; };

// follow keeps the newest message in view until somebody scrolls up, whatever takes room:
// an answer that grows, a picture, a panel beside the messages.
function follow() {
  const scroll = $("scroll");
  let top = 0;
  scroll.addEventListener("scroll", () => {
    const atEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
    following = !channel()?.later && (following ? atEnd || scroll.scrollTop >= top : atEnd && scroll.scrollTop > top);
    top = scroll.scrollTop;
  }, { passive: true });
  for (const kind of ["wheel", "touchmove"]) scroll.addEventListener(kind, edge, { passive: true });
  let width = 0;
  const watch = new ResizeObserver(() => {
    if (width !== $("log").clientWidth) for (const node of $("log").querySelectorAll(".msg")) measure(node);
    width = $("log").clientWidth;
    if (following) toEnd();
  });
  watch.observe(scroll);
  watch.observe($("log"));
}

// edge gets further messages where somebody scrolls to the first or the last that is there.
function edge() {
  const scroll = $("scroll");
  const at = scroll.scrollTop < scroll.clientHeight / 2 ? "earlier" : scroll.scrollHeight - scroll.scrollTop < 1.5 * scroll.clientHeight ? "later" : "";
  if (!$("log").hidden) rows.get(at)?.node.click();
}

// stays returns a function that moves a message back to where it was on the screen.
export function stays(id) {
  const top = () => rows.get(id)?.node.getBoundingClientRect().top;
  const before = top();
  return () => {
    const now = top();
    if (now !== undefined && before !== undefined) $("scroll").scrollTop += now - before;
    if (document.activeElement === document.body) focus(id);
  };
}

export const follows = () => following;

// drawLog shows the channel.
export function drawLog() {
  const messages = inChannel();
  const wanted = list(messages);
  const keys = new Set(wanted.map((one) => one.key));
  for (const key of [...rows.keys()]) {
    if (keys.has(key)) continue;
    rows.get(key).node.remove();
    rows.delete(key);
  }
  let cursor = $("log").firstChild;
  for (const one of wanted) {
    const { node } = row(one);
    if (node === cursor) cursor = cursor.nextSibling;
    else $("log").insertBefore(node, cursor);
  }
  const elsewhere = following && !$("log").contains(document.activeElement);
  if (elsewhere || !rows.has(active)) activate(rows.get(messages.at(-1)?.id)?.node);
  drawMarks(); // before anything looks at the new messages, or they fade in
}

// list returns what the log should hold, in order.
function list(messages) {
  const wanted = [];
  if (channel().more) wanted.push({ key: "earlier", look: "" });
  if (!messages.length && channel().kind !== "forum") wanted.push({ key: "empty", look: "" });
  let current = "", before;
  for (const m of messages) {
    const today = new Date(m.time).toDateString();
    if (today !== current) wanted.push({ key: `day ${today}`, look: "", date: m.time });
    const joined = today === current && goesOn(m, before);
    current = today;
    before = m;
    wanted.push({ key: m.id, look: depends(m) + joined, message: m, joined });
  }
  if (channel().later) wanted.push({ key: "later", look: "" });
  return wanted;
}

const together = 7 * 60_000; // milliseconds in which messages of one author stand together

// goesOn reports whether a message stands below the one before, without its author's name.
const goesOn = (m, before) => m.author === before.author && m.only === before.only && new Date(m.time) - new Date(before.time) < together
  && (m.replyTo === "0" || byBot(m) && m.replyTo === before.id);

// row returns the row for something, drawn anew only if it looks different by now.
function row({ key, look, message, date, joined }) {
  const known = rows.get(key);
  if (known?.look === look) return known;
  const made = known ?? { node: message ? article(message) : date ? dayOf(date) : key in further ? actions.further(further[key], key) : el("p", { className: "day" }, "Nothing has been written here yet.") };
  made.look = look;
  rows.set(key, made);
  if (message) fill(made.node, message);
  if (message) made.node.classList.toggle("joined", joined);
  return made;
}

const further = { earlier: "Earlier messages", later: "Later messages" };
const dayOf = (date) => el("p", { className: "day" }, day(new Date(date)));
const article = (m) => face(el("article", { "data-id": m.id, tabIndex: m.id === active ? 0 : -1 }), m.name);

function fill(node, m) {
  const focused = node.contains(document.activeElement) && document.activeElement;
  const { key } = (focused && focused.dataset) || {};
  for (const name of kind(m)) node.classList.add(name);
  node.setAttribute("aria-label", `${m.name}, ${clock(new Date(m.time))}`);
  node.replaceChildren(...parts(m, actions));
  measure(node);
  stops(node);
  if (!focused) return;
  // A button may be gone for a while, as ↻ is while an answer is made. The message holds its
  // place until it is back.
  const wanted = key ?? (lost?.id === m.id && lost.key);
  const same = wanted && [...node.querySelectorAll("button:enabled")].find((b) => b.dataset.key === wanted);
  (same || node).focus({ preventScroll: true });
  lost = same ? null : { id: m.id, key: wanted };
}

// activate makes Tab lead to a message, and to what is in it.
function activate(node) {
  if (!node || node.dataset.id === active) return;
  const before = rows.get(active)?.node;
  active = node.dataset.id;
  for (const one of [before, node]) if (one) stops(one);
}

function stops(node) {
  const index = node.dataset.id === active ? 0 : -1;
  node.tabIndex = index;
  for (const inner of node.querySelectorAll("button, a[href], pre")) inner.tabIndex = index;
  node.classList.toggle("active", index === 0);
}

// move follows the keys of the log.
function move(event) {
  if (event.target.closest(".menu") || !event.target.closest(".msg")) return;
  const all = [...$("log").querySelectorAll(".msg")];
  const at = all.findIndex((node) => node.dataset.id === active);
  const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: all.length - 1 }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    all[Math.max(0, Math.min(all.length - 1, to))].focus();
    return;
  }
  const m = event.target.matches(".msg") && state.messages.get(active);
  const act = m && { r: "reply", e: "edit", Enter: "menu", Delete: "remove" }[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  actions[act](m, all[at].querySelector(".more"));
}

// drawMarks marks the messages of the conversation that is explained or, to compare, all that a
// bot reads that takes the last 30.
export function drawMarks() {
  const g = state.context;
  const last = state.view === "last" ? state.last : new Set();
  const inside = new Set(g?.conversation.map((n) => n.id));
  const asking = state.messages.get(state.explained)?.replyTo; // the question, or who asked it again
  $("log").classList.toggle("parted", Boolean(g));
  for (const [id, { node }] of rows) {
    const m = state.messages.get(id);
    if (!m) continue;
    node.classList.toggle("in", inside.has(id) && (last.size === 0 || last.has(id)));
    node.classList.toggle("stray", last.has(id) && !inside.has(id));
    node.classList.toggle("asked", Boolean(g) && id === g.trigger.id);
    node.classList.toggle("answer", Boolean(g) && (id === asking || first(m).id === state.explained || byBot(m) && first(m).replyTo === g.trigger.id));
  }
}

// focus moves to a message, if it is there.
export const focus = (id) => rows.get(id)?.node.focus({ preventScroll: true });

// lead scrolls to a message of the log and reports whether it is there.
export function lead(id) {
  const node = rows.get(id)?.node;
  if (!node) return false;
  hold();
  layOutAll();
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  node.scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
  focus(id);
  node.classList.add("flash");
  setTimeout(() => node.classList.remove("flash"), 1200);
  return true;
}
