// Thresholds that one can move, with what they change, beside simpler ways to choose.
import { el } from "./text.js";
import { said } from "./markdown.js";

const sliders = [
  { name: "MIN_LINEAR", min: 0, max: 40, about: "newest messages that are always sent" },
  { name: "MAX_TOTAL", min: 1, max: 100, about: "most messages of a conversation" },
  { name: "TIME_THRESHOLD", about: "the pause that ends a stretch of talk", values: ["auto", "1m", "2m", "5m", "10m", "20m", "30m", "1h", "2h", "6h", "24h", "72h"] },
  { name: "AFFINITY", about: "tells talks apart by who answers whom", values: ["off", "on"] },
];

// takes says what each way to choose takes.
const takes = {
  heddle: "● the conversation, ○ background and what is recalled",
  "last-30": "the 30 newest messages",
  "reply-chain": "what the question replies to, and what that replies to",
  plain: "replies and neighbours in time, without telling talks apart",
};
const others = Object.keys(takes).slice(1);
const quiet = 90; // milliseconds that a slider has to rest

// query returns settings, and what to set beside, as the server wants them.
export function query(settings) {
  return new URLSearchParams([...Object.entries(settings ?? {}), ...others.map((name) => ["beside", name])]);
}

// env returns the settings that are not as they were as the lines of an .env file.
const env = (settings, defaults) => sliders.filter(({ name }) => settings[name] !== shortened(defaults[name])).map(({ name }) => `${name}=${settings[name]}\n`).join("");

// shortened leaves out units that are zero.
const shortened = (value) => (typeof value === "number" ? value : value.replace(/^(\d+)h0m0s$/, "$1h").replace(/^((?:\d+h)?\d+m)0s$/, "$1"));

// drawTune shows the sliders once; from then on it changes only what they say.
export function drawTune(panel, { drawing, defaults, settings, tune, page }) {
  const now = { ...defaults, ...settings };
  now.TIME_THRESHOLD = shortened(now.TIME_THRESHOLD);
  if (!panel.querySelector(".sliders")) {
    panel.replaceChildren(
      el("p", { className: "about-tune" }, "Move a threshold: the marked messages, the graph and this table follow. No model is asked."),
      el("div", { className: "sliders" }, ...sliders.map((s) => slider(s, panel))),
      el("div", { className: "acts" }, el("button", { type: "button", className: "copy", onclick: () => copy(panel) }, "Copy as .env"),
        el("button", { type: "button", className: "reset", onclick: () => panel.tune(null) }, "Reset")),
      el("textarea", { className: "env", readOnly: true, rows: sliders.length, hidden: true, "aria-label": "Settings as .env" }),
      el("div", { className: "beside" }),
      el("p", { className: "note" }, Object.entries(takes).map(([name, what]) => `${name}: ${what}`).join(" · ")));
  }
  Object.assign(panel, { tune, defaults, settings, now });
  for (const s of sliders) {
    const input = panel.querySelector(`[name="${s.name}"]`);
    if (document.activeElement !== input || !(s.name in settings)) input.value = s.values ? index(input, s, now[s.name]) : now[s.name];
    say(panel, s, now[s.name], now[s.name] !== shortened(defaults[s.name]));
  }
  panel.querySelector(".copy").disabled = !env(now, defaults);
  panel.querySelector(".beside").replaceChildren(drawing ? table(drawing, page) : el("p", {}, "Choose “From what?” on a message, or ask heddle something, to see what changes."));
}

// index is where a value stands on its slider. A value of one's own gets a place there.
function index(input, s, value) {
  if (!s.values.includes(value)) s.values.push(value);
  input.max = s.values.length - 1;
  return s.values.indexOf(value);
}

function slider(s, panel) {
  const input = el("input", { type: "range", name: s.name, id: `set-${s.name}`, min: s.min ?? 0, max: s.max ?? s.values.length - 1, step: s.step ?? 1 });
  let resting;
  input.addEventListener("input", () => {
    const value = s.values ? s.values[input.value] : Number(input.value);
    say(panel, s, value, true);
    panel.settings = { ...panel.settings, [s.name]: value };
    clearTimeout(resting);
    resting = setTimeout(() => panel.tune(panel.settings), quiet);
  });
  return el("div", { className: "slider" }, el("label", { htmlFor: input.id }, el("code", {}, s.name), el("small", {}, s.about)), input, el("output", { htmlFor: input.id }));
}

function say(panel, s, value, changed) {
  const input = panel.querySelector(`[name="${s.name}"]`);
  input.setAttribute("aria-valuetext", String(value));
  const output = input.nextElementSibling;
  output.textContent = String(value);
  output.classList.toggle("changed", changed);
}

async function copy(panel) {
  const text = env(panel.now, panel.defaults);
  const shown = panel.querySelector(".env");
  shown.value = text;
  shown.hidden = false;
  shown.select();
  const said = await navigator.clipboard.writeText(text).then(() => "Copied", () => "Selected: press Ctrl+C");
  panel.querySelector(".copy").textContent = said;
  setTimeout(() => { panel.querySelector(".copy").textContent = "Copy as .env"; }, 2500);
}

// table sets what heddle takes beside what simpler ways would.
function table({ graph, beside }, page) {
  const inside = new Set(graph.conversation.map((n) => n.id));
  const around = new Set([...graph.background, ...graph.recalled].map((n) => n.id));
  const sent = [...graph.conversation, ...graph.background, ...graph.recalled];
  const known = [...sent, ...graph.explored];
  const length = sent.reduce((sum, n) => sum + [...n.text].length, 0);
  const columns = [{ strategy: "heddle", has: (id) => (inside.has(id) ? "●" : around.has(id) ? "○" : ""), messages: sent.length, characters: length },
    ...beside.map((b) => { const taken = new Set(b.messages); return { strategy: b.strategy, has: (id) => (taken.has(id) ? "●" : ""), messages: b.messages.length, characters: b.characters }; })];
  const order = (a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1);
  const rows = known.filter((n) => columns.some((c) => c.has(n.id))).sort(order);
  const cell = (text, name) => el("td", { "aria-label": text === "●" ? `${name} takes it` : text === "○" ? `${name} takes it beside the conversation` : `${name} does not take it` }, text || "·");
  return el("table", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "taken"), ...columns.map((c) => el("th", { scope: "col", title: takes[c.strategy] }, c.strategy)))),
    el("tbody", {}, ...rows.slice(-150).map((n) => el("tr", { className: inside.has(n.id) ? "in" : around.has(n.id) ? "out" : "" },
      el("th", { scope: "row" }, el("button", { type: "button", className: "saying", onclick: () => page.jump(n.id) }, ...said(n.name, n.text))),
      ...columns.map((c) => cell(c.has(n.id), c.strategy))))),
    el("tfoot", {}, ...[["messages", "messages"], ["characters", "characters"]].map(([title, key]) => el("tr", {}, el("th", { scope: "row" }, title),
      ...columns.map((c) => el("td", {}, c[key].toLocaleString("en")))))));
}
