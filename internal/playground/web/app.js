// The page of "heddle try". state holds what the page knows; draw… functions show it.
import { body, el, unmarked } from "./text.js";
import { drawLoom } from "./loom.js";
import { thumb } from "./svg.js";
import { drawWhy } from "./why.js";
import { newPanel } from "./panel.js";
import { controls, watchDrops } from "./import.js";

const $ = (id) => document.getElementById(id);
const state = {
  world: null, messages: new Map(), channel: "", author: "", replyTo: "", editing: "",
  explained: "", context: null, asking: 0, focus: null, unread: new Set(), names: [], chosen: 0,
};

// Requests to the server.

async function ask(path, change) {
  const response = await fetch(path, change && {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(change),
  });
  const result = await response.json();
  if (!response.ok) throw new Error(result.error);
  return result;
}

async function load() {
  state.world = await ask("/api/world");
  state.messages = new Map(state.world.messages.map((m) => [m.id, m]));
  state.channel ||= state.world.channels[0].id;
  state.author ||= state.world.people[0].id;
  drawFrame();
  drawChannel();
  $("write").focus();
}

function follow() {
  const events = new EventSource("/api/events");
  events.onopen = async () => {
    $("link").textContent = "";
    $("link").classList.remove("lost");
    await load();
  };
  events.onerror = () => {
    $("link").textContent = "heddle is not running";
    $("link").classList.add("lost");
  };
  events.onmessage = (event) => happened(JSON.parse(event.data));
}

function happened({ kind, message }) {
  const mine = message.channel === state.channel;
  if (kind === "typing") {
    if (mine && message.author === state.world.bot.id) showTyping();
    return;
  }
  if (kind === "private") {
    state.messages.set(message.id, message);
    if (mine) drawLog(true);
    return;
  }
  if (kind === "deleted") state.messages.delete(message.id);
  else state.messages.set(message.id, message);
  if (kind === "created" && !mine) {
    state.unread.add(message.channel);
    drawChannels();
  }
  if (message.author === state.world.bot.id) answered(kind, message);
  if (mine) drawLog(kind === "created" || kind === "edited");
}

// answered explains an answer as soon as it begins. It explains it again after an edit,
// which may show another alternative, if it is the one explained.
function answered(kind, message) {
  if (kind === "reacted") return;
  showTyping.stop();
  if (message.channel !== state.channel || !isAnswer(message)) return;
  if (kind === "created" || kind === "edited" && first(message).id === state.explained) explain(message).catch(() => {});
}

let typingTimer;
function showTyping() {
  $("typing").textContent = "heddle is writing…";
  clearTimeout(typingTimer);
  typingTimer = setTimeout(() => { $("typing").textContent = ""; }, 10_000);
}
showTyping.stop = () => { clearTimeout(typingTimer); $("typing").textContent = ""; };

// first returns the first part of an answer. Each further part replies to the one before.
function first(message) {
  const before = state.messages.get(message.replyTo);
  return before?.author === state.world.bot.id ? first(before) : message;
}

const isAnswer = (m) => m.author === state.world.bot.id && m.replyTo !== "0";

// explain shows what an answer was made from in its current version.
async function explain(answer) {
  const asking = ++state.asking;
  const context = await ask(`/api/contexts/${answer.channel}/${answer.id}`);
  if (asking !== state.asking) return; // something else is explained by now
  const same = state.explained === first(answer).id && JSON.stringify(context) === JSON.stringify(state.context);
  if (same) return;
  panel.explain(answer).catch((error) => fault(error.message));
  const down = atEnd();
  Object.assign(state, { explained: first(answer).id, context });
  drawWhy($("why"), context, jump);
  drawMarks();
  if (down) toEnd(); // the explanation may take its room from the messages
}

// Drawing.

function drawFrame() {
  const { world } = state;
  $("guild").textContent = world.guild;
  $("model").replaceChildren(...(world.offline
    ? [el("b", {}, "offline"), el("span", { className: "more" }, " – a stand-in says what it was given")]
    : ["answers by ", el("b", {}, world.model)]));
  $("people").replaceChildren($("people").firstElementChild, ...world.people.map((p, i) => el("label", { title: `Alt+${i + 1}` },
    el("input", { type: "radio", name: "author", value: p.id, checked: p.id === state.author, onchange: () => as(p.id) }),
    el("span", {}, p.name))));
  if (!state.context) drawWhy($("why"), null, jump);
  drawChannels();
}

// visible returns the channels that the person who writes can see.
const visible = () => state.world.channels.filter((c) => c.only === "0" || c.only === state.author);
const title = (c) => `${c.only !== "0" ? "@" : c.parent !== "0" ? "↳" : "#"} ${c.name}`;

function drawChannels() {
  $("channels").replaceChildren(...visible().map((c) => el("li", {}, el("button", {
    type: "button", "aria-current": String(c.id === state.channel), className: state.unread.has(c.id) ? "new" : "",
    onclick: () => enter(c),
  }, title(c)))));
}

function enter(c) {
  state.channel = c.id;
  state.unread.delete(c.id);
  forget();
  drawChannels();
  drawChannel();
}

function forget() {
  Object.assign(state, { explained: "", context: null, asking: state.asking + 1 });
  panel.clear();
  cancel();
  drawWhy($("why"), null, jump);
}

// close ends the explanation.
function close() {
  if (!state.context) return;
  forget();
  drawMarks();
}

function drawChannel() {
  const channel = state.world.channels.find((c) => c.id === state.channel);
  $("channel").textContent = title(channel);
  $("topic").textContent = channel.topic;
  $("write").placeholder = `Message ${title(channel).replace(" ", "")}`;
  $("ideas").replaceChildren(...(channel.ideas ?? []).map((idea) => el("button", { type: "button", onclick: () => take(idea) },
    `${name(idea.as)}: ${idea.text}`)));
  drawLog(true, true);
}

function inChannel() {
  const all = [...state.messages.values()].filter((m) => m.channel === state.channel && (m.only === "0" || m.only === state.author));
  return all.sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
}

const atEnd = () => $("scroll").scrollHeight - $("scroll").scrollTop - $("scroll").clientHeight < 80;
const toEnd = () => { $("scroll").scrollTop = $("scroll").scrollHeight; };

function drawLog(grew = false, jumpDown = false) {
  const down = jumpDown || grew && atEnd();
  const focused = document.activeElement;
  const parts = [];
  if (state.world.channels.find((c) => c.id === state.channel)?.more) parts.push(el("button", { type: "button", className: "earlier", onclick: earlier }, "Earlier messages"));
  let day = "";
  for (const m of inChannel()) {
    const date = new Date(m.time);
    const today = date.toLocaleDateString(undefined, { weekday: "long", day: "numeric", month: "long" });
    if (today !== day) parts.push(el("p", { className: "day" }, day = today));
    parts.push(drawMessage(m, date));
  }
  $("log").replaceChildren(...parts);
  drawMarks(); // before anything looks at the new messages, or they fade in
  refocus(focused);
  if (down) toEnd();
}

// refocus restores the focus after the messages were redrawn: to the same button, or to
// its message if the button is gone, as ↻ is while an answer is made.
function refocus(before) {
  const old = before?.closest?.(".msg");
  const node = old && $("log").querySelector(`[data-id="${old.dataset.id}"]`);
  if (!node) { state.focus = null; return; }
  const { id } = old.dataset;
  const key = before.dataset.key ?? (state.focus?.id === id && state.focus.key);
  const same = key && [...node.querySelectorAll("button:enabled")].find((b) => b.dataset.key === key);
  (same || node).focus({ preventScroll: true });
  state.focus = same ? null : { id, key };
}

function drawMessage(m, date) {
  const bot = m.author === state.world.bot.id;
  const own = m.author === state.author;
  const target = m.replyTo !== "0" && (state.messages.get(m.replyTo) ?? {});
  return el("article", { className: `msg${bot ? " bot" : ""}`, "data-id": m.id, tabIndex: 0, "aria-label": `${m.name}: ${m.content}` },
    target && el("button", { type: "button", className: "quote", "data-key": "quote", onclick: () => jump(m.replyTo) },
      target.id ? `${target.name}: ${unmarked(plain(target.content))}` : "a message that is gone"),
    el("p", { className: "head" }, el("span", { className: "who" }, m.name),
      el("time", { dateTime: m.time }, date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })),
      m.edited && el("span", { className: "edited" }, "edited")),
    body(m.content, name, state.world.bot.id),
    ...(m.files ?? []).map((f) => el("p", {}, `📎 ${f}`)),
    m.buttons && el("div", { className: "buttons" }, ...m.buttons.map((b) => el("button", {
      type: "button", disabled: b.off, "data-key": b.label, onclick: () => press(m, b),
    }, b.label))),
    m.only !== "0" && el("p", { className: "only" }, `Only ${name(m.only)} can see this.`),
    isAnswer(m) && el("div", { className: "below" }, ...ratings.map((r) => drawRating(m, r)),
      el("button", { type: "button", className: "because", "data-key": "because", onclick: () => because(m) }, "Why these messages?")),
    el("div", { className: "tools" },
      el("button", { type: "button", "data-key": "reply", onclick: () => reply(m) }, "Reply"),
      !bot && el("button", { type: "button", "data-key": "preview", title: "What would heddle answer this from?", onclick: () => preview(m) }, "From what?"),
      own && el("button", { type: "button", "data-key": "edit", onclick: () => edit(m) }, "Edit"),
      own && el("button", { type: "button", "data-key": "delete", onclick: () => remove(m) }, "Delete")));
}

const ratings = [{ emoji: "👍", kind: "good", means: "Good answer" }, { emoji: "👎", kind: "bad", means: "Bad answer" }];

// drawRating draws the thumb itself: not every machine has a font with emojis.
function drawRating(m, { emoji, kind, means }) {
  const who = m.reactions?.[emoji] ?? [];
  const mine = who.includes(state.author);
  return el("button", {
    type: "button", className: `rate ${kind}`, "data-key": emoji, "aria-pressed": String(mine),
    "aria-label": `${means}, ${who.length}`, title: who.length ? `${means}: ${who.map(name).join(", ")}` : means,
    onclick: () => react(m, emoji, mine),
  }, thumb(), who.length > 0 && String(who.length));
}

// drawMarks marks the messages of the conversation that is explained.
function drawMarks() {
  const g = state.context;
  const inside = new Set(g?.conversation.map((n) => n.id));
  const asking = state.messages.get(state.explained)?.replyTo; // the question, or who asked it again
  $("log").classList.toggle("parted", Boolean(g));
  for (const node of $("log").querySelectorAll(".msg")) {
    const m = state.messages.get(node.dataset.id);
    node.classList.toggle("in", inside.has(m?.id));
    node.classList.toggle("asked", Boolean(g) && m?.id === g.trigger.id);
    node.classList.toggle("answer", Boolean(g) && m && (m.id === asking || first(m).id === state.explained));
  }
  drawLoom($("log"), Boolean(g));
}

// preview shows what a message would be answered from.
async function preview(m) {
  fault("");
  try {
    await panel.preview(m);
  } catch (error) {
    fault(error.message);
  }
}

// show marks the messages of a graph that is previewed.
function show(graph) {
  Object.assign(state, { explained: graph.trigger.id, context: graph });
  drawWhy($("why"), graph, jump);
  drawMarks();
}

// fetchAround gets messages of the channel that the page does not have yet.
async function fetchAround(id) {
  const { messages, start } = await ask(`/api/messages/${state.channel}/${id}`);
  for (const m of messages) state.messages.set(m.id, m);
  const channel = state.world.channels.find((c) => c.id === state.channel);
  if (start && channel) channel.more = false;
  drawLog();
}

async function earlier() {
  const oldest = inChannel()[0];
  const below = $("scroll").scrollHeight - $("scroll").scrollTop;
  await fetchAround(oldest?.id ?? "0").catch((error) => fault(error.message));
  $("scroll").scrollTop = $("scroll").scrollHeight - below;
}

async function jump(id) {
  if (!state.messages.has(id)) await fetchAround(id).catch((error) => fault(error.message));
  const node = $("log").querySelector(`[data-id="${id}"]`);
  if (!node) return;
  node.scrollIntoView({ block: "center", behavior: "smooth" });
  node.focus({ preventScroll: true });
  node.classList.add("flash");
  setTimeout(() => node.classList.remove("flash"), 1200);
}

// What people do.

const name = (id) => (id === state.world.bot.id ? "heddle" : state.world.people.find((p) => p.id === id)?.name ?? state.world.guests?.[id] ?? "someone");
const plain = (text) => text.replace(/<@!?(\d+)>/g, (_, id) => `@${name(id)}`);
const fault = (text) => { $("fault").textContent = text; };

// wire turns @names into mentions.
function wire(text) {
  const everyone = [...state.world.people, state.world.bot].sort((a, b) => b.name.length - a.name.length);
  for (const p of everyone) text = text.replace(new RegExp(`@${p.name}(?![\\w])`, "gi"), `<@${p.id}>`);
  return text;
}

async function send(event) {
  event.preventDefault();
  const content = wire($("write").value);
  if (!content.trim()) return;
  const { channel, author, replyTo, editing } = state;
  const typed = $("write").value;
  cancel(); // at once: what is typed from here on is the next message
  try {
    if (editing) await ask("/api/edit", { channel, author, message: editing, content });
    else await ask("/api/post", { channel, author, content, replyTo: replyTo || "0" });
    toEnd();
  } catch (error) {
    if (!$("write").value) set(typed);
    fault(error.message);
  }
}

function set(text) {
  $("write").value = text;
  grow();
  $("write").focus();
}

function cancel() {
  Object.assign(state, { replyTo: "", editing: "" });
  $("doing").hidden = true;
  fault("");
  hideNames();
  set("");
}

function doing(text) {
  $("doing-text").textContent = text;
  $("doing").hidden = false;
  $("write").focus();
}

function reply(m) {
  Object.assign(state, { replyTo: m.id, editing: "" });
  doing(`Replying to ${m.name}: ${unmarked(plain(m.content))}`);
}

function edit(m) {
  Object.assign(state, { replyTo: "", editing: m.id });
  set(plain(m.content));
  doing("Editing your message");
}

async function remove(m) {
  try {
    await ask("/api/delete", { channel: m.channel, author: state.author, message: m.id, content: "" });
  } catch (error) {
    fault(error.message);
  }
}

async function press(m, button) {
  fault("");
  try {
    await ask("/api/press", { channel: m.channel, message: m.id, author: state.author, button: button.id });
    await explain(m);
  } catch (error) {
    fault(error.message);
  }
}

async function react(m, emoji, mine) {
  fault("");
  try {
    await ask(mine ? "/api/unreact" : "/api/react", { channel: m.channel, message: m.id, author: state.author, emoji });
  } catch (error) {
    fault(error.message);
  }
}

async function because(m) {
  fault("");
  try {
    await explain(m);
    $("why").parentElement.scrollTop = 0;
    $("why").focus({ preventScroll: true });
  } catch (error) {
    fault(error.message);
  }
}

function as(id) {
  state.author = id;
  for (const input of $("people").querySelectorAll("input")) input.checked = input.value === id;
  drawChannels();
  // In direct messages another person has a channel of their own.
  if (visible().some((c) => c.id === state.channel)) drawLog();
  else enter(visible().at(-1));
}

function take(idea) {
  cancel();
  as(idea.as);
  const target = state.messages.get(idea.replyTo);
  if (target) reply(target);
  set(idea.text);
}

function grow() {
  const write = $("write");
  write.style.height = "auto";
  write.style.height = `${write.scrollHeight}px`;
}

// Names to complete after "@".

function offer() {
  const before = $("write").value.slice(0, $("write").selectionStart);
  const typed = /(?:^|\s)@(\w*)$/.exec(before)?.[1];
  const everyone = [state.world.bot, ...state.world.people];
  state.names = typed === undefined ? [] : everyone.filter((p) => p.name.toLowerCase().startsWith(typed.toLowerCase()) && p.name.toLowerCase() !== typed.toLowerCase());
  state.chosen = 0;
  drawNames();
}

function drawNames() {
  $("names").hidden = state.names.length === 0;
  $("write").setAttribute("aria-expanded", String(state.names.length > 0));
  $("names").replaceChildren(...state.names.map((p, i) => el("li", {
    id: `name-${i}`, role: "option", "aria-selected": String(i === state.chosen),
    onmousedown: (event) => { event.preventDefault(); state.chosen = i; complete(); },
  }, p.name)));
  if (state.names.length) $("write").setAttribute("aria-activedescendant", `name-${state.chosen}`);
  else $("write").removeAttribute("aria-activedescendant");
}

function hideNames() { state.names = []; drawNames(); }

function complete() {
  const write = $("write");
  const end = write.selectionStart;
  const begin = write.value.slice(0, end).lastIndexOf("@");
  write.setRangeText(`@${state.names[state.chosen].name} `, begin, end, "end");
  hideNames();
}

function keys(event) {
  if (state.names.length) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { state.chosen = (state.chosen + step + state.names.length) % state.names.length; drawNames(); event.preventDefault(); return; }
    if (event.key === "Tab" || event.key === "Enter") { complete(); event.preventDefault(); return; }
    if (event.key === "Escape") { hideNames(); event.stopPropagation(); return; }
  }
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); $("form").requestSubmit(); }
  if (event.key === "ArrowUp" && $("write").value === "") {
    const own = inChannel().filter((m) => m.author === state.author).at(-1);
    if (own) { event.preventDefault(); edit(own); }
  }
}

$("form").addEventListener("submit", send);
$("write").addEventListener("keydown", keys);
$("write").addEventListener("input", () => { grow(); offer(); });
$("write").addEventListener("blur", hideNames);
$("stop").addEventListener("click", cancel);
$("close").addEventListener("click", close);
$("mention").addEventListener("click", () => {
  const text = $("write").value;
  set(/@heddle\b/i.test(text) ? text : `@heddle ${text}`);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { cancel(); close(); }
  const person = event.altKey && state.world?.people[Number(event.key) - 1];
  if (person) { event.preventDefault(); as(person.id); }
});
const panel = newPanel({ ask, jump, show, fault, world: () => state.world });
const opening = { ask, fault, busy: (text) => { $("typing").textContent = text; }, opened };
$("exports").append(controls(opening));
watchDrops(opening);

// opened shows a channel that was imported.
async function opened({ channel }) {
  await load();
  enter(state.world.channels.find((c) => c.id === channel));
}

addEventListener("resize", () => state.world && drawMarks());
follow();
