// The view on a running heddle: counts, the latest answers, and the graph of one of them.
import { drawGraph } from "./graph.js";
import { drawPath } from "./path.js";
import { counted, el } from "./text.js";

const $ = (id) => document.getElementById(id);
const every = 3000; // milliseconds between two looks
const state = { chosen: 0, shown: "" };

async function ask(path) {
  const response = await fetch(path);
  const result = await response.json();
  if (!response.ok) throw new Error(result.error);
  return result;
}

// counts returns heddle's counters and gauges, which come in Prometheus' text format.
async function counts() {
  const text = await (await fetch("/api/counts")).text();
  return [...text.matchAll(/^heddle_(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels = "", value]) => (
    { name, labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, label]) => [key, label])), value: Number(value) }));
}

const number = (n) => n.toLocaleString("en", { maximumFractionDigits: 2 });

// tiles returns what the counts add up to.
function tiles(readings) {
  const sum = (name, fits = () => true) => readings.filter((r) => r.name === name && fits(r.labels)).reduce((all, r) => all + r.value, 0);
  const has = (name) => readings.some((r) => r.name === name);
  const asked = sum("prompt_tokens_total");
  const currency = readings.find((r) => r.name === "model_cost_total")?.labels.currency ?? "";
  const faults = sum("model_failures_total") + sum("store_failures_total");
  return [
    { name: "answers", value: number(sum("answers_total")), about: `${number(sum("answers_total", (l) => l.way === "hit" || l.way === "coalesced"))} given again` },
    { name: "tokens", value: number(sum("model_tokens_total", (l) => l.kind !== "cached")), about: asked ? `${Math.round(100 * sum("prompt_tokens_cached_total") / asked)}% of questions cached` : "asked and answered" },
    has("model_cost_total") && sum("model_cost_total") > 0 && { name: "cost", value: `${sum("model_cost_total").toLocaleString("en", { maximumSignificantDigits: 3 })} ${currency}`, about: "at LLM_PRICES" },
    has("ratings_total") && { name: "ratings", value: `${number(sum("ratings_total", (l) => l.rating === "good"))} / ${number(sum("ratings_total", (l) => l.rating === "bad"))}`, about: "good / bad" },
    { name: "Discord", value: sum("connected") ? "connected" : "away", about: `${number(sum("rest_limited_total"))} requests refused`, bad: !sum("connected") },
    { name: "model", value: sum("model_up") ? "answers" : "away", about: `${number(sum("model_failures_total"))} failures`, bad: !sum("model_up") },
    { name: "faults", value: number(faults), about: "of model and store", bad: faults > 0 },
  ].filter(Boolean);
}

function drawPulse(readings) {
  $("pulse").replaceChildren(...tiles(readings).map((t) => el("div", { className: `tile${t.bad ? " bad" : ""}` }, el("span", {}, t.name), el("b", {}, t.value), el("span", {}, t.about))));
}

function drawAnswers(answers) {
  $("none").hidden = answers.length > 0;
  const now = JSON.stringify([answers, state.chosen]);
  if (now === state.shown) return;
  state.shown = now;
  const focused = document.activeElement?.dataset?.number;
  $("answers").replaceChildren(...answers.map((a) => el("li", {}, el("button", {
    type: "button", "data-number": a.number, "aria-current": String(a.number === state.chosen), onclick: () => choose(a.number),
  }, new Date(a.at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false }),
  ` · ${counted(a.messages, "message")}`, el("small", {}, `${counted(a.turns, "turn")}, ${counted(a.tokens, "token")}, ${a.background} as background, ${a.recalled} recalled`)))));
  if (focused) document.querySelector(`[data-number="${focused}"]`)?.focus();
}

// choose draws the graph of an answer, without its texts, which are not kept.
async function choose(wanted) {
  state.chosen = wanted;
  try {
    const drawing = await ask(`/api/answers/${wanted}`);
    if (state.chosen !== wanted) return;
    const page = { jump() {} };
    drawGraph($("graph"), drawing, page);
    $("graph").append(...drawPath(drawing, page));
  } catch (error) {
    $("graph").replaceChildren(el("p", {}, error.message));
  }
  await look();
}

async function look() {
  try {
    const [answers, readings] = await Promise.all([ask("/api/answers"), counts()]);
    drawAnswers(answers);
    drawPulse(readings);
    $("link").textContent = "";
    $("link").classList.remove("lost");
  } catch {
    $("link").textContent = "heddle is not running";
    $("link").classList.add("lost");
  }
}

look();
setInterval(look, every);
