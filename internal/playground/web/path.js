// What a conversation became on its way to the model: what each step left out, and the turns
// as they are sent.
import { apart, el, said, unmarked } from "./text.js";

const did = {
  filter: "left because the file they asked for is there",
  retain: "left as old and not certain enough",
  truncate: "left to keep the token budget",
};

export function drawPath({ graph, path }, page) {
  const names = new Map([...graph.conversation, graph.trigger].map((n) => [n.id, n]));
  const left = path.steps.reduce((sum, step) => sum + step.left.length, 0);
  return [
    el("h3", {}, path.recorded ? "What was sent" : "What would be sent"),
    el("ol", { className: "way" },
      el("li", {}, el("b", {}, String(graph.conversation.length + 1)), " messages of the conversation, with the question"),
      ...path.steps.map((step) => el("li", { className: step.left.length ? "" : "none" },
        el("b", {}, step.left.length ? `−${step.left.length}` : "0"), ` ${did[step.name]}`,
        step.left.length > 0 && gone(step.left.slice(0, 12).map((id) => names.get(id)).filter(Boolean)))),
      el("li", {}, el("b", {}, String(path.turns.length)), ` turns${left ? "" : ", nothing left out"}, ${number(path.tokens)} tokens${path.budget ? ` of ${number(path.budget)}` : ""}`)),
    el("table", { className: "turns" },
      el("thead", {}, el("tr", {}, ...["role", "turn", "tokens", "hash"].map((t) => el("th", { scope: "col" }, t)))),
      el("tbody", {}, ...path.turns.slice(-200).map((t) => drawTurn(t, page)))),
    !path.recorded && el("p", { className: "note" }, "A preview: without the background and what else stands in the tail, and with rough token counts."),
  ].filter(Boolean);
}

// gone names messages that were left out.
const gone = (nodes) => el("span", { className: "gone" }, ...nodes.flatMap((n, i) => [i > 0 && " · ", apart(n.name), ": ", apart(unmarked(n.text).slice(0, 40))]));

const number = (n) => n.toLocaleString("en");

function drawTurn(t, page) {
  const text = t.text.slice(0, 200);
  return el("tr", { className: t.role },
    el("td", {}, t.role),
    el("td", { className: "turn" }, t.message === "0" ? el("span", { dir: "auto" }, unmarked(text))
      : el("button", { type: "button", className: "saying", title: "Go to the message", onclick: () => page.jump(t.message) }, ...said(t.speaker ?? "heddle", text))),
    el("td", { className: "count" }, number(t.tokens)),
    el("td", {}, el("code", { title: t.hash }, t.hash.slice(0, 8))));
}
