// The panel that explains what an answer was made from.
import { belonging, chance, el } from "./text.js";
import { said } from "./markdown.js";

export function drawWhy(panel, graph, jump) {
  if (!graph) {
    panel.replaceChildren(el("p", {}, "Mention heddle, and this shows which messages it answers from: what belongs to the conversation, what is only background, what it passed by, and why."));
    return;
  }
  const { conversation, background, recalled, explored } = graph;
  const seen = conversation.length + background.length + recalled.length + explored.length;
  panel.replaceChildren(
    el("p", {}, ...(seen ? [...belonging(conversation.length, seen, " that heddle looked at"), " to this conversation."] : ["There was nothing before the question."])),
    el("div", {}, el("h3", {}, "The question"), list("asked", [graph.trigger], jump)),
    section("The conversation", "in", conversation, jump),
    section("Background, from other talks", "out", background, jump),
    section("Recalled, older messages of this channel", "out", recalled, jump),
    passed(explored, jump),
    graph.seals?.some((s) => s.text) ? el("div", {}, el("h3", {}, "Where it stopped"),
      el("ul", {}, ...unique(graph.seals.filter((s) => s.text).map(sealed)).map((text) => el("li", { className: "seal" }, text)))) : "",
  );
}

const unique = (list) => [...new Set(list)];

function section(title, kind, nodes, jump) {
  if (nodes.length === 0) return "";
  return el("div", {}, el("h3", {}, `${title} (${nodes.length})`), list(kind, nodes, jump));
}

function passed(nodes, jump) {
  if (nodes.length === 0) return "";
  return el("details", {}, el("summary", {}, `Passed by (${nodes.length})`), list("", nodes, jump));
}

function list(kind, nodes, jump) {
  return el("ul", {}, ...nodes.map((n) => el("li", { className: kind }, el("button", { type: "button", onclick: () => jump(n.id) },
    el("span", { className: "text" }, ...said(n.name, n.text)),
    reason(n)))));
}

// reason returns the deciding reason for a message and how likely it belongs, or nothing
// where neither is known.
function reason(node) {
  const text = [node.reasons[0]?.text, chance(node) && `${chance(node)} likely to belong`].filter(Boolean).join(" · ").replaceAll(" %", "\u00a0%");
  return text && el("span", { className: "reason" }, text);
}

// sealed returns where and why reading ended.
function sealed(seal) {
  if (seal.why === "channel") return seal.text;
  return `${seal.direction === "newer" ? "After" : "Before"}: ${seal.text}`;
}
