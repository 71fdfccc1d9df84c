// The page of "heddle try". This module connects the others: state.js holds what the page
// knows, server.js speaks to the server, log.js and places.js draw, compose.js writes.
import { addThread, drawAbout, drawChannels, drawPeople, openPlaces } from "./places.js";
import { announce, ask, fault, follow, settle, tell } from "./server.js";
import { fillIn } from "./forms.js";
import { drawLog, drawMarks, focus, follows, hold, lead, open as openLog, stays, toEnd } from "./log.js";
import { $, byBot, channel, first, inChannel, isAnswer, names, older, plain, state, visible, writers } from "./state.js";
import { arrive, remember } from "./drafts.js";
import { edit, fold, openCompose, place, reply, resume, retreat, wire } from "./compose.js";
import { controls, watchDrops } from "./import.js";
import { again, covered, drawOverview, known, newest, openOverview, pass } from "./overview.js";
import { drawModel } from "./model.js";
import { drawSum, drawWhy } from "./why.js";
import { lift, newPanel } from "./panel.js";
import { el } from "./text.js";
import { unmarked } from "./markdown.js";
import { openMenu } from "./menu.js";

let asking = 0; // counts what was asked to be explained

const meanwhile = new Set(); // lists of what happens while messages are asked for

// gathered returns what the server has at a path, whose messages end with the newest unless end
// is false, with what happened since it wrote that down.
async function gathered(path) {
  const happenings = [];
  meanwhile.add(happenings);
  try {
    const there = await ask(path);
    const messages = new Map(there.messages.map((m) => [m.id, m]));
    for (const { kind, message } of happenings) {
      if (kind === "deleted") messages.delete(message.id);
      else if (message.id && kind !== "typing" && (there.end !== false || messages.has(message.id))) messages.set(message.id, message);
    }
    return { ...there, messages: [...messages.values()] };
  } finally {
    meanwhile.delete(happenings);
  }
}

async function load() {
  const world = await gathered("/api/world");
  const anew = state.world && state.world.run !== world.run;
  if (anew) {
    Object.assign(state, { explained: "", context: null });
    state.unread.clear();
    tell("heddle was started anew, with a new world.");
  }
  const begins = !state.world || anew;
  if (begins) {
    Object.assign(state, { channel: "", author: "" }, arrive(world));
    state.settled = new Set(world.messages.map((m) => m.id));
  }
  const kept = anew ? [] : [...state.messages.values()].filter((m) => m.only !== "0" || m.hidden);
  state.messages = new Map([...world.messages, ...kept].map((m) => [m.id, m]));
  setWorld(world);
  if (begins) {
    resume();
    explainNewest();
  }
  if (begins && !matchMedia("(pointer: coarse)").matches) $("write").focus();
}

// refresh gets people, roles and channels anew. When it is done the page knows all that was
// there when it began: answers that are overtaken are dropped.
async function refresh() {
  const mine = ++refresh.begun;
  const world = await gathered("/api/world");
  if (mine < refresh.done) return;
  refresh.done = mine;
  for (const c of world.channels) if (channel(c.id)) Object.assign(c, { more: channel(c.id).more, later: channel(c.id).later });
  for (const m of world.messages) if (!state.messages.has(m.id) && !channel(m.channel)?.later) state.messages.set(m.id, m); // those of exports happen nowhere
  setWorld(world);
}
refresh.begun = refresh.done = 0;

// setWorld takes what there is by now, and shows it.
function setWorld(world) {
  state.world = world;
  state.named = JSON.stringify([world.people, world.channels.map((c) => c.name)]);
  if (!channel()) state.channel = (channel(world.opened) ?? world.channels[0]).id;
  if (!world.people.some((p) => p.id === state.author) && !world.guests?.[state.author]) state.author = world.people[0].id;
  drawFrame();
  drawChannel();
}

function happened({ kind, message }) {
  if (kind === "world") {
    refresh().catch((error) => fault(error.message));
    return;
  }
  if (kind === "answers") {
    panel.refresh().catch(() => {}); // the next one comes
    return;
  }
  for (const happenings of meanwhile) happenings.push({ kind, message });
  if (kind === "created" && channel(message.channel)?.later && !older(message.id, inChannel(message.channel).at(-1)?.id ?? "")) return; // it comes with those before it
  const mine = message.channel === state.channel;
  if (kind === "typing") {
    if (mine && byBot(message)) showTyping();
    return;
  }
  if (kind === "deleted") state.messages.delete(message.id);
  else state.messages.set(message.id, { ...message, hidden: state.messages.get(message.id)?.hidden });
  if (kind === "created" && !mine && !state.unread.has(message.channel)) {
    state.unread.add(message.channel);
    drawChannels();
  }
  if (byBot(message)) answered(kind, message);
  if (mine && kind === "created" && covered(channel())) uncover();
  if (mine && kind === "created" && follows()) shorten();
  if (mine) drawLog();
  if (channel()?.kind === "forum") drawAbout();
}

// answered explains an answer as soon as it begins. It explains it again after an edit,
// which may show another alternative, if it is the one explained.
function answered(kind, message) {
  if (kind === "reacted") return;
  showTyping.stop();
  if (kind !== "deleted") say(message);
  if (message.channel !== state.channel || message.only !== "0" || !isAnswer(message)) return;
  if (kind === "created" || kind === "edited" && first(message).id === state.explained) explain(message).catch(() => {});
}

// say announces an answer once it no longer grows.
function say(message) {
  state.settled.delete(message.id);
  clearTimeout(say.timers.get(message.id));
  say.timers.set(message.id, setTimeout(() => {
    const now = state.messages.get(message.id);
    if (!now || /[▍…]$/.test(now.content)) return;
    state.settled.add(now.id);
    if (now.channel !== state.channel) return;
    announce(`heddle: ${unmarked(now.content, names).slice(0, 600)}`);
    drawLog();
  }, 700));
}
say.timers = new Map();

function showTyping() {
  $("typing").textContent = "heddle is writing…";
  clearTimeout(showTyping.timer);
  showTyping.timer = setTimeout(showTyping.stop, 10_000);
}
showTyping.stop = () => { clearTimeout(showTyping.timer); $("typing").textContent = ""; };

// explain shows what an answer was made from in its current version.
async function explain(answer) {
  const mine = ++asking;
  const drawing = await ask(`/api/graph/${answer.channel}/${answer.id}?beside=${rival}`);
  if (mine !== asking) return; // something else is explained by now
  const same = state.explained === first(answer).id && JSON.stringify(drawing.graph) === JSON.stringify(state.context);
  if (same) return;
  panel.explain(answer).catch((error) => fault(error.message));
  show(drawing, answer.id);
}

const rival = "last-30"; // what heddle is compared with

// explainNewest explains the newest answer of the channel, if there is one.
function explainNewest() {
  const newest = inChannel().findLast((m) => isAnswer(m) && m.only === "0");
  if (newest) explain(newest).catch(() => {}); // it can be asked for
}

function drawFrame() {
  const { world } = state;
  $("guild").textContent = world.guild;
  drawModel(world).catch(() => {}); // the button asks again
  drawPeople(as);
  if (!state.context) drawPanel();
  drawChannels();
}

function enter(c) {
  if (!c) return;
  state.channel = c.id;
  state.unread.delete(c.id);
  forget();
  resume();
  drawPeople(as);
  drawChannels();
  drawChannel();
  if (!covered(c)) toEnd();
  explainNewest();
}

function forget() {
  Object.assign(state, { explained: "", context: null, view: "heddle" });
  asking++;
  lift(false);
  panel.clear();
  drawPanel();
}

// drawPanel says what was read, and why.
function drawPanel() {
  document.body.classList.toggle("explained", Boolean(state.context));
  drawSum($("sum"), state.context, state.last, { view: state.view, choose: compare });
  drawWhy($("why"), state.context, doing(jump));
}

// compare marks what heddle read, or what a bot would that reads the last 30.
function compare(view) {
  hold();
  state.view = view;
  drawSum($("sum"), state.context, state.last, { view, choose: compare });
  $("sum").querySelector("[aria-pressed=true]").focus();
  drawMarks();
}

// close ends the explanation. Who was in it returns to what it explained.
function close() {
  if (!state.context) return;
  hold();
  const { explained } = state;
  const within = $("why").parentElement.contains(document.activeElement);
  forget();
  drawMarks();
  if (within) focus(explained);
}

function drawChannel() {
  drawAbout(again(channel(), drawChannel));
  drawOverview();
  known(channel(), () => { drawPeople(as); drawOverview(); });
  place();
  const ideas = channel().ideas ?? [];
  $("ideas").replaceChildren(...ideas.length ? [el("span", { "aria-hidden": "true" }, "Try")] : [], ...ideas.map((idea) => el("button", {
    type: "button", onclick: () => take(idea),
  }, `${state.world.people.find((p) => p.id === idea.as)?.name}: ${idea.text}`)));
  drawLog();
}

// doing returns a function that says on the page what goes wrong.
const doing = (act) => async (...given) => {
  fault("");
  try {
    await act(...given);
  } catch (error) {
    fault(error.message);
  }
};

// preview shows what a message would be answered from.
const preview = doing(async (m) => {
  hold();
  await panel.preview(m);
  lift(true);
  keepInView(m);
});

// keepInView moves a message only as far as the sheet would hide it.
const keepInView = (m) => document.querySelector(`#log [data-id="${m.id}"]`)?.scrollIntoView({ block: "nearest" });

// show marks the messages of a graph: that of an answer or, if id is that of any other
// message, what it would be answered from.
function show({ graph, beside }, id) {
  const shown = state.messages.get(id);
  Object.assign(state, { explained: shown ? first(shown).id : id, context: graph, last: new Set(beside.find((b) => b.strategy === rival)?.messages) });
  drawPanel();
  drawMarks();
}

// jump leads to a message of the channel, which the page may have to get first.
async function jump(id) {
  if (covered(channel())) uncover();
  if (lead(id)) return;
  await getAround(id);
  lead(id);
}

// getAround gets the messages of the channel around one. The page has messages that follow one
// another, and no more than it can draw at once: these take the place of those before.
async function getAround(id) {
  const at = state.channel;
  const { messages, start, end } = await gathered(`/api/messages/${at}/${id}`);
  const before = new Map(state.messages);
  for (const m of before.values()) if (m.channel === at && m.only === "0") state.messages.delete(m.id);
  for (const m of messages) if (m.channel === at) state.messages.set(m.id, { ...m, hidden: before.get(m.id)?.hidden });
  Object.assign(channel(at), { more: !start, later: !end });
  if (at === state.channel) drawLog();
}

const mostDrawn = 300; // messages that the page holds of a channel
const lessDrawn = 200; // those that are left if there were more

// shorten lets go of the oldest of too many messages.
function shorten() {
  const all = inChannel();
  if (all.length <= mostDrawn) return;
  for (const m of all.slice(0, -lessDrawn)) state.messages.delete(m.id);
  channel().more = true;
}

// further returns the button that gets earlier or later messages.
function further(label, where) {
  let getting = false;
  return el("button", { type: "button", className: "earlier", onclick: async () => {
    if (getting) return;
    getting = true;
    const all = inChannel();
    const id = all.at(where === "earlier" ? 0 : -1)?.id ?? "0";
    const back = stays(id);
    hold();
    await doing(getAround)(id);
    back();
    getting = false;
  } }, label);
}

// toNewest leads to the newest message.
const toNewest = doing(async () => {
  await getAround(newest);
  toEnd();
});

// read shows the messages of a channel instead of its overview: one, or the first one after it.
const read = doing(async (id) => {
  uncover();
  if (!state.messages.has(id)) await getAround(id);
  const all = inChannel();
  if (id === newest) toEnd();
  else lead((all.find((m) => !older(m.id, id)) ?? all.at(-1)).id);
});

function uncover() {
  pass(state.channel);
  drawChannel();
}

// What people do with messages.

// remove hides a message, and deletes it when nobody wants it back.
function remove(m) {
  if (m.author !== state.author) return;
  const back = (hidden) => {
    const now = state.messages.get(m.id);
    if (now) state.messages.set(m.id, { ...now, hidden });
    drawLog();
  };
  const at = inChannel().findIndex((one) => one.id === m.id);
  back(true);
  const next = inChannel()[at] ?? inChannel().at(-1);
  if (next && !document.activeElement.closest("#form")) lead(next.id);
  tell("Message deleted.", { label: "Undo", act: () => { back(false); lead(m.id); } }, doing(async () => {
    try {
      await ask("/api/delete", { channel: m.channel, author: m.author, message: m.id, content: "" }, { keepalive: true });
    } catch (error) {
      back(false);
      throw error;
    }
  }));
}

const press = doing(async (m, button) => {
  const pressed = await ask("/api/press", { channel: m.channel, message: m.id, author: state.author, button: button.custom_id });
  doing(fillIn)(pressed);
  if (m.only === "0") await explain(m);
});

const because = doing(async (m) => {
  hold();
  await explain(m);
  lift(true);
  $("why").parentElement.scrollTop = 0;
  $("why").focus({ preventScroll: true });
  keepInView(m);
});

// retry asks a question once more that got no answer.
const retry = doing(async (m) => {
  const question = state.messages.get(m.replyTo);
  if (!question) throw new Error("The question is gone.");
  await ask("/api/post", { channel: question.channel, author: question.author, content: question.content, replyTo: question.replyTo, files: [] });
});

const use = doing(async (m, command) => fillIn(await ask("/api/invoke", { channel: m.channel, author: state.author, command, options: {}, target: m.id })));

// menu offers everything that can be done with a message. An answer that grows is drawn anew
// meanwhile, with another button.
const menu = doing(async (m) => {
  const apps = m.only === "0" ? (await ask("/api/commands")).filter((c) => c.type === 3) : [];
  const own = m.author === state.author;
  const button = document.querySelector(`#log [data-id="${m.id}"] .more`);
  if (!button) return;
  openMenu(button, [
    { label: "Reply", act: () => reply(m) },
    own && { label: "Edit", act: () => edit(m) },
    !byBot(m) && { label: "From what?", act: () => preview(m) },
    m.content && { label: "Copy text", act: doing(() => navigator.clipboard.writeText(plain(m.content))) },
    m.only === "0" && channel().only === "0" && channel().parent === "0" && !m.thread && { label: "Start a thread", act: () => addThread(m) },
    isAnswer(m) && m.only === "0" && { label: "Why?", act: () => because(m) },
    apps.length > 0 && { label: "Apps" },
    ...apps.map((c) => ({ label: c.name, act: () => use(m, c.name) })),
    own && { label: "Delete", grave: true, act: () => remove(m) },
  ]);
});

const dismiss = (m) => { state.messages.delete(m.id); drawLog(); };

function as(id) {
  state.author = id;
  remember();
  drawPeople(as);
  drawChannels();
  // In direct messages another person has a channel of their own.
  if (visible().some((c) => c.id === state.channel)) drawLog();
  else enter(channel().only !== "0" ? visible().at(-1) : visible()[0]);
}

const take = doing(async (idea) => {
  fold(false);
  as(idea.as);
  await ask("/api/post", { channel: state.channel, author: idea.as, content: wire(idea.text), replyTo: idea.replyTo, files: [] });
  toEnd();
});

// visitMoment shows what a message of an overview would be answered from.
const visitMoment = doing(async (m) => {
  await read(m.id);
  await preview(state.messages.get(m.id) ?? m);
});

const panel = newPanel({ ask, jump: doing(jump), show, fault, world: () => state.world });
const opening = { ask, fault, busy: (text) => { $("typing").textContent = text; }, opened };
$("exports").append(controls(opening));
watchDrops(opening);

// opened shows a channel that was imported.
async function opened({ channel: id }) {
  await load();
  enter(channel(id));
}

openOverview({ read, preview: visitMoment });
openLog({ jump: doing(jump), preview, press, because, retry, menu, reply, edit, remove, dismiss, further, newest: toNewest, read, enter: (id) => enter(channel(id)) });
openCompose();
openPlaces(enter, refresh);
$("close").addEventListener("click", close);
addEventListener("pagehide", settle);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented && !$("dialog").open) {
    fault("");
    if (!retreat()) close();
  }
  const person = event.altKey && state.world && writers()[Number(event.key) - 1];
  if (person) { event.preventDefault(); as(person.id); }
});
follow(load, happened);
