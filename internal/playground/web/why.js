// The panel that explains what an answer was made from.
import { el, unmarked } from "./text.js";

export function drawWhy(panel, graph, messages, jump) {
  if (!graph) {
    panel.replaceChildren(el("p", {}, "Mention heddle, and this shows which messages it answers from: what belongs to the conversation, what is only background, what it passed by, and why."));
    return;
  }
  const { conversation, background, explored } = graph;
  const seen = conversation.length + background.length + explored.length;
  panel.replaceChildren(
    el("p", {}, el("b", {}, `${conversation.length} of ${seen}`), ` messages that heddle looked at belong to this conversation.`),
    el("div", {}, el("h3", {}, "The question"), list("asked", [graph.trigger], messages, jump)),
    section("The conversation", "in", conversation, messages, jump),
    section("Background, from other talks", "out", background, messages, jump),
    passed(explored, messages, jump),
    graph.seals?.length ? el("div", {}, el("h3", {}, "Where it stopped"),
      el("ul", {}, ...unique(graph.seals.map(sealed)).map((text) => el("li", { className: "seal" }, text)))) : "",
  );
}

const unique = (list) => [...new Set(list)];

function section(title, kind, nodes, messages, jump) {
  if (nodes.length === 0) return "";
  return el("div", {}, el("h3", {}, `${title} (${nodes.length})`), list(kind, nodes, messages, jump));
}

function passed(nodes, messages, jump) {
  if (nodes.length === 0) return "";
  return el("details", {}, el("summary", {}, `Passed by (${nodes.length})`), list("", nodes, messages, jump));
}

function list(kind, nodes, messages, jump) {
  return el("ul", {}, ...nodes.map((n) => el("li", { className: kind }, el("button", { type: "button", onclick: () => jump(n.id) },
    el("span", { className: "text" }, el("strong", {}, n.name), ` ${unmarked(n.text).slice(0, 120)}`),
    el("span", { className: "reason" }, reason(n, messages))))));
}

function reason(node, messages) {
  const sure = node.probability > 0 && node.probability < 1 ? `${percent(node.probability)} likely to belong` : "";
  const why = node.reasons[0];
  return [why ? because(why, node, messages) : "", sure].filter(Boolean).join(" · ");
}

const percent = (p) => `${Math.round(p * 100)}%`;

// because returns what led to a node, in words. An inferred link joins an answer with its
// question, and what somebody says in several messages.
function because(why, node, messages) {
  const other = messages.get(why.from);
  const from = other?.name ?? "another message";
  const inferred = why.reference === "inferred";
  const own = inferred && other?.author === node.author;
  switch (why.kind) {
    case "seed": return "among the newest";
    case "temporal": return `${span(why.gap_seconds)} apart from ${from}`;
    case "lineage": return "an earlier answer was made from it";
    case "answer": return inferred ? `seems to ${own ? "go on from" : "answer"} ${from}, ${percent(why.probability)}` : `replies to ${from}`;
  }
  switch (why.reference) {
    case "reply": return `${from} replies to it`;
    case "starter": return "the thread starts with it";
    case "forward": return `${from} forwards it`;
    case "inferred": return `${from} seems to ${own ? "go on from" : "answer"} it, ${percent(why.probability)}`;
    case "address": return `${from} addresses its author`;
  }
  return "";
}

function sealed(seal) {
  const side = seal.direction === "newer" ? "After" : "Before";
  switch (seal.why) {
    case "gap": return `${side}: a pause of ${span(seal.gap_seconds)}`;
    case "affinity": return `${side}: other talks`;
    case "channel": return seal.direction === "newer" ? "The channel ends" : "The channel begins";
    case "unreadable": return `${side}: not readable`;
    case "trigger": return "Nothing after the question is read";
  }
  return `${side}: no more room`;
}

// span returns a duration in words.
function span(seconds = 0) {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} days`;
}
