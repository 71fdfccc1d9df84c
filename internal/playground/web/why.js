// The panel that explains what an answer was made from.
import { chance, counted, el } from "./text.js";
import { said } from "./markdown.js";

// drawSum says how much heddle sends of a graph, and how much of its conversation the last 30
// messages hold. Which messages those others belong to is only heddle's opinion, so they are
// counted and not judged (finding 6.2). Either can be chosen, to be shown among the messages.
export function drawSum(panel, graph, last, { view, choose }) {
  panel.hidden = !graph;
  if (!graph) return;
  const read = new Set(graph.conversation.map((n) => n.id));
  const others = [...last].filter((id) => !read.has(id)).length;
  const held = last.size - others;
  const hold = [held > 0 && (held < read.size ? `${held} of the ${read.size}` : read.size === 1 ? "it" : `all ${read.size}`), others > 0 && counted(others, "other")].filter(Boolean).join(", and ");
  const way = (name, ...text) => el("button", { type: "button", className: name, "aria-pressed": String(view === name), onclick: () => choose(name) }, ...text);
  panel.replaceChildren(
    way("heddle", "heddle read ", el("b", {}, read.size ? counted(read.size, "message") : "the question alone"), read.size > 0 && " as the conversation", graph.background.length > 0 && `, and ${graph.background.length} as background`, "."),
    way("last", "A bot that reads the last ", el("b", {}, String(last.size)), ` gets ${hold || "nothing"}.`),
  );
}

export function drawWhy(panel, graph, jump) {
  if (!graph) {
    panel.replaceChildren(el("p", {}, "Mention heddle, and this shows which messages it answers from: what belongs to the conversation, what is only background, what it passed by, and why."));
    return;
  }
  const { conversation, background, recalled, explored } = graph;
  panel.replaceChildren(
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
  return el("div", { className: kind }, el("h3", {}, `${title} (${nodes.length})`), list(kind, nodes, jump));
}

function passed(nodes, jump) {
  if (nodes.length === 0) return "";
  return el("details", {}, el("summary", {}, `Passed by (${nodes.length})`), list("", nodes, jump));
}

function list(kind, nodes, jump) {
  return el("ul", {}, ...nodes.map((n) => el("li", { className: kind }, el("button", { type: "button", onclick: () => jump(n.id) },
    el("span", { className: "text" }, ...said(n.name, n.text)),
    kind !== "asked" && reason(n)))));
}

// reason returns how surely a message belongs, as far as that is said, and the deciding reason
// for it.
const reason = (node) => el("span", { className: "reason" }, [node.sure, node.reasons[0]?.text].filter(Boolean).join(" · "), chance(node));

// sealed returns where and why reading ended.
function sealed(seal) {
  if (seal.why === "channel") return seal.text;
  return `${seal.direction === "newer" ? "After" : "Before"}: ${seal.text}`;
}
