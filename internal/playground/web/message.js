// One message as it is shown.
import { ask, fault } from "./server.js";
import { byBot, channel, gist, isAnswer, name, names, state } from "./state.js";
import { body } from "./markdown.js";
import { clip, thumb } from "./svg.js";
import { apart, clock, el, moment } from "./text.js";

// depends returns what the look of a message depends on, to compare.
export function depends(m) {
  const target = m.replyTo !== "0" && state.messages.get(m.replyTo);
  return JSON.stringify([m, target, m.reactions && state.author, state.named,
    m.thread && channel(m.thread)?.name, isFailed(m)]);
}

// isFailed reports whether an answer broke off or was none: it no longer grows and offers
// nothing, as all that succeed do.
function isFailed(m) {
  if (!isAnswer(m) || m.buttons || m.written || !state.settled.has(m.id)) return false;
  for (const other of state.messages.values()) if (other.replyTo === m.id && byBot(other)) return false;
  return true;
}

// parts returns what an article shows. actions are what people can do with messages.
export function parts(m, actions) {
  const target = m.replyTo !== "0" && (state.messages.get(m.replyTo) ?? {});
  const date = new Date(m.time);
  return [
    target && el("button", { type: "button", className: "quote", "data-key": "quote", onclick: () => actions.jump(m.replyTo) },
      ...(target.id ? [apart(target.name), ": ", apart(gist(target))] : [channel().more ? "an earlier message" : "a message that is gone"])),
    el("p", { className: "head" }, el("span", { className: "who", dir: "auto" }, m.name),
      el("time", { dateTime: m.time, title: moment(date) }, clock(date)),
      m.edited && el("span", { className: "edited" }, "edited")),
    m.content && body(m.content, names),
    m.added && el("div", { className: "card", dir: "auto" }, el("small", {}, "heddle reads"), body(m.added, names)),
    ...(m.files ?? []).map((file) => drawFile(m, file)),
    m.thread && el("button", { type: "button", className: "thread", "data-key": "thread", onclick: () => actions.enter(m.thread) }, `↳ ${channel(m.thread)?.name ?? "Thread"}`),
    m.only !== "0" && el("p", { className: "only" }, "Only ", apart(name(m.only)), " can see this. ",
      el("button", { type: "button", "data-key": "dismiss", onclick: () => actions.dismiss(m) }, "Dismiss")),
    isAnswer(m) && m.only === "0" && el("div", { className: "below" },
      el("button", { type: "button", className: "because", "data-key": "because", onclick: () => actions.because(m) }, "Why?"), ...(m.written ? [] : ratings).map((r) => drawRating(m, r)),
      isFailed(m) && el("button", { type: "button", className: "retry", "data-key": "retry", onclick: () => actions.retry(m) }, "Try again")),
    buttons(m).length > 0 && el("div", { className: "buttons" }, ...buttons(m).map((b) => el("button", {
      type: "button", disabled: b.disabled, "data-key": b.label, onclick: () => actions.press(m, b),
    }, b.label))),
    el("div", { className: "tools" },
      el("button", { type: "button", "data-key": "reply", className: "quick", onclick: () => actions.reply(m) }, "Reply"),
      !byBot(m) && el("button", { type: "button", "data-key": "preview", className: "quick", title: "What would heddle answer this from?", onclick: () => actions.preview(m) }, "From what?"),
      el("button", { type: "button", "data-key": "more", className: "more", "aria-haspopup": "menu", "aria-label": `More for the message of ${m.name}`, onclick: () => actions.menu(m) }, "⋯")),
  ].filter(Boolean);
}

// buttons returns the buttons of heddle's. The page has its own Why? below answers that everybody sees.
const buttons = (m) => (m.buttons ?? []).filter((b) => m.only !== "0" || !b.custom_id.startsWith("heddle:why"));

function drawFile(m, file) {
  if (file.absent) return el("p", { className: "file", title: "An export holds the names of files alone." }, clip(), " ", apart(file.name), " ", file.size > 0 && el("small", {}, size(file.size)));
  const address = `/api/files/${m.channel}/${m.id}/${file.id}`;
  const link = el("a", { href: address, download: file.name, className: "file" }, clip(), " ", apart(file.name), " ", el("small", {}, size(file.size)));
  if (!file.picture) return el("p", {}, link);
  return el("figure", { className: "picture" }, el("img", { src: address, alt: file.about || file.name, loading: "lazy", ...(file.width ? { width: file.width, height: file.height } : {}) }), el("figcaption", {}, link));
}

const size = (bytes) => bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

const ratings = [{ emoji: "👍", kind: "good", means: "Good answer" }, { emoji: "👎", kind: "bad", means: "Bad answer" }];

// drawRating draws the thumb itself: not every machine has a font with emojis.
function drawRating(m, { emoji, kind, means }) {
  const who = m.reactions?.find((r) => r.emoji === emoji)?.users ?? [];
  const mine = who.includes(state.author);
  return el("button", {
    type: "button", className: `rate ${kind}`, "data-key": emoji, "aria-pressed": String(mine),
    "aria-label": `${means}, ${who.length}`, title: who.length ? `${means}: ${who.map(name).join(", ")}` : means,
    onclick: () => react(m, emoji, mine),
  }, thumb(), who.length > 0 && String(who.length));
}

async function react(m, emoji, mine) {
  fault("");
  try {
    await ask("/api/react", { channel: m.channel, message: m.id, author: state.author, emoji, off: mine });
  } catch (error) {
    fault(error.message);
  }
}

// kind returns the classes of an article.
export const kind = (m) => ["msg", byBot(m) && "bot", m.only !== "0" && "private"].filter(Boolean);
