// The graph of a context: time runs down, each talk has a lane of its own. Only what is in
// view is drawn, so that thousands of messages stay fluid.
import { draw } from "./svg.js";
import { apart, chance, counted, el } from "./text.js";
import { said, unmarked } from "./markdown.js";
import { curve, layout, pitch, times } from "./layout.js";

const beyond = 8; // rows drawn above and below what is in view

const kinds = { in: "conversation", out: "background, from other talks or recalled", by: "read and passed by", asked: "the question" };

// drawGraph fills a panel with the graph of a drawing.
export function drawGraph(panel, drawing, page) {
  const { graph } = drawing;
  const open = new Set();
  const plan = layout(drawing, open);
  const rounds = Math.max(...plan.all.map((row) => row.round));
  const view = {
    plan, drawing, open, graph, page, rounds, round: rounds, current: plan.rows.length - 1, drawn: [-1, -1],
    edges: draw("svg", { class: "edges", "aria-hidden": "true" }),
    rows: el("div", { className: "rows", role: "listbox", "aria-label": "Messages, oldest first" }),
    breaks: el("div", { className: "breaks" }),
    detail: el("div", { className: "detail", role: "status" }),
  };
  view.space = el("div", { className: "space" }, view.edges, view.breaks, view.rows);
  view.space.style.height = `${plan.height}px`;
  view.scroll = el("div", { className: "strands", tabIndex: 0, role: "group", "aria-label": "Graph" }, view.space);
  view.scroll.addEventListener("scroll", () => paint(view), { passive: true });
  view.rows.addEventListener("keydown", (event) => keys(view, event));
  view.rows.addEventListener("focusin", (event) => tell(view, event.target));
  view.rows.addEventListener("mouseover", (event) => tell(view, event.target));
  panel.replaceChildren(steps(view), view.scroll, view.detail, legend());
  describe(view, plan.rows[view.current]);
  let placed = false; // and drawn, once it is known how much is in view
  new ResizeObserver(() => {
    if (!placed) view.scroll.scrollTop = plan.height; // the question stands last
    placed = true;
    paint(view, true);
  }).observe(view.scroll);
}

// steps lets one follow how the graph grew, round by round.
function steps(view) {
  const { rounds } = view;
  const chosen = view.plan.all.filter((row) => row.kind !== "by");
  const shown = el("output", {});
  const slider = el("input", { type: "range", min: 0, max: rounds, value: rounds, "aria-label": "Round" });
  const tell = () => {
    const count = chosen.filter((row) => row.round <= view.round).length - 1;
    shown.textContent = view.round === 0 ? `the newest: ${count}` : `round ${view.round} of ${rounds}: ${counted(count, "message")}`;
    slider.setAttribute("aria-valuetext", shown.textContent);
  };
  const go = (round) => {
    view.round = Math.max(0, Math.min(rounds, round));
    slider.value = view.round;
    tell();
    paint(view, true);
  };
  slider.addEventListener("input", () => go(Number(slider.value)));
  const bar = el("div", { className: "steps" },
    el("button", { type: "button", "aria-label": "One round back", onclick: () => go(view.round - 1) }, "‹"), slider,
    el("button", { type: "button", "aria-label": "One round on", onclick: () => go(view.round + 1) }, "›"), shown);
  tell();
  return bar;
}

// paint draws the rows in view and the edges between any of them.
function paint(view, anew = false) {
  const { plan, scroll } = view;
  const from = Math.max(0, plan.at(scroll.scrollTop) - beyond);
  const to = Math.min(plan.rows.length - 1, plan.at(scroll.scrollTop + scroll.clientHeight) + beyond);
  if (!anew && from === view.drawn[0] && to === view.drawn[1]) return;
  view.drawn = [from, to];
  const focused = view.rows.contains(document.activeElement) ? document.activeElement.dataset.at : null;
  view.breaks.replaceChildren(...plan.breaks.filter((b) => b.row >= from && b.row <= to).map((b) => drawBreak(b, plan.left)));
  view.rows.replaceChildren(...plan.rows.slice(from, to + 1).map((row) => drawRow(view, row)));
  if (focused !== null) view.rows.querySelector(`[data-at="${focused}"]`)?.focus({ preventScroll: true });
  view.edges.setAttribute("width", plan.left);
  view.edges.setAttribute("height", plan.height);
  view.edges.replaceChildren(
    ...plan.lanes.filter((l) => l.from <= to && l.to >= from).map((l) => draw("line", { class: `lane ${painted(l)}`, x1: l.x, x2: l.x, y1: plan.rows[l.from].y, y2: plan.rows[l.to].y })),
    ...plan.edges.filter((e) => e.upper <= to && e.lower >= from).map((e) => drawEdge(view, e)),
    ...plan.seals.filter((s) => s.row >= from && s.row <= to).map((s) => drawSeal(s)),
    ...plan.rows.slice(from, to + 1).map((row) => drawNode(view, row)),
  );
}

const hidden = (view, row) => row.kind !== "asked" && row.round > view.round;

// act follows a row: to its message or, where messages are folded, to all of them.
function act(view, row) {
  if (row.kind !== "folded") return view.page.jump(row.node.id);
  view.open.add(row.node.id);
  view.plan = layout(view.drawing, view.open);
  view.space.style.height = `${view.plan.height}px`;
  move(view, row.index);
  view.rows.querySelector(`[data-at="${row.index}"]`)?.focus({ preventScroll: true });
}

// others and sent say what is folded, and how much of it was sent.
const others = ({ run }) => `${counted(run.length, "message")} of other talks`;
const sentAs = (row) => `${sent(row) || "none"} of them sent as background`;
const sent = ({ run }) => run.filter((row) => row.kind === "out").length;

function drawRow(view, row) {
  const words = el("span", { className: "text saying" }, ...(row.kind === "folded" ? [el("span", {}, others(row))] : said(row.node.name, row.node.text)));
  const node = el("div", {
    className: `row ${row.kind}${hidden(view, row) ? " later" : ""}`, role: "option", "data-at": row.index,
    tabIndex: row.index === view.current ? 0 : -1, "aria-selected": String(row.index === view.current),
    "aria-label": [words.textContent, kinds[row.kind], row.kind === "folded" ? sentAs(row) : why(row)].filter(Boolean).join(", "),
    onclick: () => { move(view, row.index); act(view, row); },
  }, el("time", { dateTime: row.node.time }, row.clock), words,
  el("span", { className: "sure" }, ...(row.kind === "folded" ? [sent(row) > 0 && `${sent(row)} sent`] : [row.node.sure, row.kind !== "asked" && chance(row.node)])));
  node.style.top = `${row.y - pitch / 2}px`;
  node.style.height = `${pitch}px`;
  words.style.marginLeft = `${view.plan.left - times}px`;
  return node;
}

function drawBreak(b, left) {
  const node = el("p", { className: "break" }, b.text);
  node.style.left = `${left}px`; // beside the lanes, as the messages
  node.style.top = `${b.y}px`;
  return node;
}

// painted returns the class that colours a message or a talk.
const painted = ({ colour }) => (colour < 0 ? "loose" : `lane${colour}`);

// drawNode draws a message: the question as a ring, a seed as a square.
function drawNode(view, row) {
  if (row.kind === "folded") return draw("path", { class: "folds", d: `M${row.x - 4} ${row.y - 4}l4 4l4 -4M${row.x - 4} ${row.y + 1}l4 4l4 -4` });
  const cls = `node ${row.kind} ${painted(row)}${hidden(view, row) ? " later" : ""}`;
  if (row.seed) return draw("rect", { class: cls, x: row.x - 4.5, y: row.y - 4.5, width: 9, height: 9, rx: 2 });
  return draw("circle", { class: cls, cx: row.x, cy: row.y, r: row.kind === "asked" ? 7 : row.kind === "by" ? 3 : 5 });
}

function drawEdge(view, e) {
  const later = hidden(view, view.plan.rows[e.upper]) || hidden(view, view.plan.rows[e.lower]);
  const edge = draw("path", { class: `edge ${e.kind}${later ? " later" : ""}`, d: curve(view.plan.rows[e.lower], view.plan.rows[e.upper]) });
  if (e.kind === "inferred") edge.setAttribute("stroke-opacity", String(0.3 + 0.7 * e.probability));
  return edge;
}

function drawSeal(s) {
  return draw("path", { class: `seal ${s.why}`, d: `M${s.x - 7} ${s.y}h14M${s.x - 4} ${s.y + s.side * 3}h8` });
}

// Focus and pointer.

function keys(view, event) {
  const last = view.plan.rows.length - 1;
  const to = { ArrowDown: view.current + 1, ArrowUp: view.current - 1, Home: 0, End: last, PageDown: view.current + 10, PageUp: view.current - 10 }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    move(view, Math.max(0, Math.min(last, to)));
    view.rows.querySelector(`[data-at="${view.current}"]`)?.focus({ preventScroll: true });
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    act(view, view.plan.rows[view.current]);
  }
}

function move(view, index) {
  view.current = index;
  const { y } = view.plan.rows[index];
  const { scroll } = view;
  if (y < scroll.scrollTop + pitch || y > scroll.scrollTop + scroll.clientHeight - pitch) scroll.scrollTop = y - scroll.clientHeight / 2;
  paint(view, true);
  describe(view, view.plan.rows[index]);
}

function tell(view, target) {
  const at = target.closest?.("[data-at]")?.dataset.at;
  if (at !== undefined) describe(view, view.plan.rows[Number(at)]);
}

const why = (row) => row.node.reasons?.[0]?.text ?? "";

// describe says of a message why it is there, and why reading ended beside it.
function describe(view, row) {
  if (!row || view.described === row) return;
  view.described = row;
  if (row.kind === "folded") {
    view.detail.replaceChildren(el("p", {}, el("b", {}, others(row)), `, ${sentAs(row)}. Choose the line to see them.`));
    return;
  }
  const seals = view.plan.seals.filter((s) => s.row === row.index && s.text);
  const told = (row.node.reasons ?? []).map((r) => r.text);
  view.detail.replaceChildren(...[
    el("p", {}, el("b", {}, apart(row.node.name)), ` · ${row.when} · ${kinds[row.kind]}`, row.node.sure && `: ${row.node.sure} belongs`, row.kind !== "asked" && chance(row.node)),
    el("p", { className: "said", dir: "auto" }, unmarked(row.node.text).slice(0, 300)),
    told.length > 0 && el("ul", {}, ...[...new Set(told)].slice(0, 4).map((text) => el("li", {}, text))),
    ...seals.map((s) => el("p", { className: "stop" }, `${s.side < 0 ? "Before" : "After"}: ${s.text}`)),
  ].filter(Boolean));
}

function legend() {
  const sample = (cls, paint) => { const svg = draw("svg", { width: 26, height: 14, "aria-hidden": "true", class: "edges key" }); svg.append(paint(cls)); return svg; };
  const line = (cls) => draw("path", { class: `edge ${cls}`, d: "M1 7h24" });
  const dot = (cls) => draw("circle", { class: `node ${cls}`, cx: 13, cy: 7, r: cls.startsWith("by") ? 3 : cls === "asked" ? 5.5 : 5 });
  const entry = (picture, text) => el("span", {}, picture, text);
  return el("p", { className: "legend" },
    entry(sample("asked", dot), "question"), entry(sample("in lane0", dot), "conversation"), entry(sample("in lane0", (c) => draw("rect", { class: `node ${c}`, x: 8.5, y: 2.5, width: 9, height: 9, rx: 2 })), "among the newest"),
    entry(sample("out lane1", dot), "background"), entry(sample("by lane1", dot), "passed by"),
    entry(sample("reference", line), "reply"), entry(sample("inferred", line), "may answer"), entry(sample("temporal", line), "neighbour"),
    entry(sample("seal", () => draw("path", { class: "seal gap", d: "M6 6h14M9 9h8" })), "reading ended"));
}
