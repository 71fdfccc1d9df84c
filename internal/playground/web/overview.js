// The card on which a channel of an export opens: what it holds, moments where talks cross,
// a search, and a way to a day.
import { ask, fault } from "./server.js";
import { $, channel, gist, state } from "./state.js";
import { apart, counted, el, moment } from "./text.js";

const read = new Set(); // the channels in which one reads
let page; // given by openOverview

// openOverview prepares the card. given has read, which leads to the message with an id or the
// first one after it, and preview, which shows what a message would be answered from.
export function openOverview(given) {
  page = given;
}

// pass has a channel show its messages from now on, or its card again.
export function pass(id, reading = true) {
  if (reading) read.add(id);
  else read.delete(id);
}

const has = (c) => Boolean(c.imported);
export const covered = (c) => has(c) && !read.has(c.id);

// again returns the button that shows the card of a channel.
export const again = (c, show) => has(c) && !covered(c) && el("button", { type: "button", className: "up", onclick: () => { pass(c.id, false); show(); } }, "Search and overview");

// known asks once what a channel of an export holds, and has drawn called with it.
export async function known(c, drawn) {
  if (!has(c) || state.overviews.has(c.id)) return;
  state.overviews.set(c.id, null);
  try {
    state.overviews.set(c.id, await ask(`/api/overview/${c.id}`));
    drawn();
  } catch (error) {
    state.overviews.delete(c.id);
    fault(error.message);
  }
}

// drawOverview shows the card of the channel that one is in, unless one reads there.
export function drawOverview() {
  const c = channel();
  const o = state.overviews.get(c.id);
  const card = $("overview");
  const shown = covered(c);
  $("log").hidden = shown;
  card.hidden = !shown;
  if (!shown || !o || card.dataset.of === c.id) return;
  card.dataset.of = c.id;
  const days = Math.max(1, Math.round((new Date(o.last) - new Date(o.first)) / 864e5));
  card.replaceChildren(
    el("p", { className: "holds" }, el("b", {}, counted(o.messages, "message")), " in ", el("b", {}, counted(days, "day")), " by ", el("b", {}, o.people.length === 1 ? "1 person" : `${o.people.length.toLocaleString("en")} people`),
      `. You see what heddle would answer any of them from. All of it stays on this machine.`),
    o.moments.length > 0 && el("section", { className: "moments" }, el("h3", {}, "Busy moments: what would heddle read?"),
      el("ul", {}, ...o.moments.map((one) => el("li", {}, entry(one.message, crossing(one), () => page.preview(one.message)))))),
    finder(c), toDay(o),
    el("div", { className: "acts" },
      el("button", { type: "button", onclick: () => page.read("0") }, "Read from the beginning"),
      el("button", { type: "button", onclick: () => page.read(newest) }, "Read the newest")));
}

export const newest = String(2n ** 63n - 1n); // greater than every id

const crossing = ({ people, crossed }) => `${counted(people, "person").replace("persons", "people")} at once${crossed ? `, whose replies cross ${crossed === 1 ? "once" : `${crossed} times`}` : ""}`;

// entry returns a button for a message.
const entry = (m, about, act) => el("button", { type: "button", onclick: act },
  el("span", { className: "text" }, el("b", {}, apart(m.name)), " ", apart(gist(m))),
  el("small", {}, [moment(new Date(m.time)), about].filter(Boolean).join(" · ")));

// finder returns a search, with what it finds below it.
function finder(c) {
  const results = el("div", { className: "found", role: "status" });
  const words = el("input", { type: "search", name: "words", required: true, maxLength: 200 });
  const find = async (event) => {
    event.preventDefault();
    fault("");
    try {
      const { found, messages } = await ask(`/api/found/${c.id}?words=${encodeURIComponent(words.value)}`);
      results.replaceChildren(
        el("p", {}, found ? `${counted(found, "message")}${found > messages.length ? `, the newest ${messages.length}` : ""}` : "No message has all these words."),
        el("ul", {}, ...messages.map((m) => el("li", {}, entry(m, "", () => page.read(m.id))))));
    } catch (error) {
      fault(error.message);
    }
  };
  return el("section", {}, el("form", { className: "asks", onsubmit: find }, el("label", {}, el("span", {}, "Search"), words), el("button", {}, "Search")), results);
}

// toDay returns a form that leads to a day.
function toDay(o) {
  const on = (time) => { const d = new Date(time); return `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}`; };
  const date = el("input", { type: "date", name: "day", required: true, min: on(o.first), max: on(o.last), value: on(o.last) });
  const go = (event) => {
    event.preventDefault();
    page.read(idAt(new Date(`${date.value}T00:00`)));
  };
  return el("form", { className: "asks", onsubmit: go }, el("label", {}, el("span", {}, "Day"), date), el("button", {}, "Go there"));
}

const pad = (n) => String(n).padStart(2, "0");
const epoch = 1420070400000n; // of Discord's ids, in milliseconds

// idAt returns the first id of a time.
const idAt = (date) => String((BigInt(date.getTime()) - epoch) << 22n);
