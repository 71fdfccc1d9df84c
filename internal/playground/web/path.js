// What a conversation became on its way to the model: what each step left out, and the turns
// as they are sent.
import { apart, el } from "./text.js";
import { said, unmarked } from "./markdown.js";

// did says what each step does, and because why it left messages out.
const did = { filter: "filtered", retain: "not retained", truncate: "truncated" };
const because = {
  filter: "the files made for them are there",
  retain: "they are old, and the model was unsure of the answers",
  truncate: "they did not fit into the token budget",
};

export function drawPath({ graph, path }, page) {
  const names = new Map([...graph.conversation, graph.trigger].map((n) => [n.id, n]));
  const left = path.steps.reduce((sum, step) => sum + step.left.length, 0);
  return [
    el("h3", {}, path.recorded ? "What was sent" : "What would be sent"),
    el("ol", { className: "way" },
      el("li", {}, el("b", {}, String(graph.conversation.length + 1)), `${graph.conversation.length ? " messages" : " message"} of the conversation, with the question`),
      ...path.steps.map((step) => el("li", { className: step.left.length ? "" : "none" },
        el("b", {}, step.left.length ? `−${step.left.length}` : "0"), ` ${did[step.name]}${step.left.length ? `: ${because[step.name]}` : ""}`,
        step.left.length > 0 && gone(step.left.slice(0, 12).map((id) => names.get(id)).filter(Boolean)))),
      el("li", {}, el("b", {}, String(path.turns.length)), ` ${path.turns.length === 1 ? "turn" : "turns"}${left ? "" : ", nothing left out"}, ${number(path.tokens)} tokens${path.budget ? ` of ${number(path.budget)}` : ""}`)),
    el("table", { className: "turns" },
      el("thead", {}, el("tr", {}, ...["role", "turn", "tokens", "hash"].map((t) => el("th", { scope: "col" }, t)))),
      el("tbody", {}, ...path.turns.slice(-200, -1).map((t) => drawTurn(t, page)), path.tail && drawTail(path.tail), ...path.turns.slice(-1).map((t) => drawTurn(t, page)))),
    path.tail && el("details", { className: "tail" }, el("summary", {}, "The tail: the background, the day, and what else differs from question to question"), el("pre", { tabIndex: 0, "aria-label": "The tail as it was sent" }, path.tail.text)),
  ].filter(Boolean);
}

// gone names messages that were left out.
const gone = (nodes) => el("span", { className: "gone" }, ...nodes.flatMap((n, i) => [i > 0 && " · ", apart(n.name), ": ", apart(unmarked(n.text).slice(0, 40))]));

const number = (n) => n.toLocaleString("en");

function drawTurn(t, page) {
  return el("tr", { className: t.role },
    el("td", {}, t.role),
    el("td", { className: "turn" }, t.message === "0" ? el("span", { dir: "auto" }, unmarked(t.text).slice(0, 200))
      : el("button", { type: "button", className: "saying", title: "Go to the message", onclick: () => page.jump(t.message) }, ...said(t.speaker ?? "heddle", t.text))),
    el("td", { className: "count" }, number(t.tokens)),
    el("td", {}, el("code", { title: t.hash }, t.hash.slice(0, 8))));
}

// drawTail draws the turn before the question, which is no part of the path and has no hash in it.
const drawTail = ({ role, text, tokens }) => el("tr", { className: "tail" },
  el("td", {}, role), el("td", { className: "turn" }, el("span", { dir: "auto" }, unmarked(text).slice(0, 200))),
  el("td", { className: "count" }, number(tokens)), el("td", {}, "the tail"));
