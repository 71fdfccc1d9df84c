// The panel beside the messages: why, graph and tune, all of one drawing. A drawing is what
// an answer was made from or, for any other message, what it would be answered from.
import { drawAlternatives } from "./alternatives.js";
import { drawGraph } from "./graph.js";
import { drawPath } from "./path.js";
import { drawTune, query } from "./tune.js";
import { el } from "./text.js";

const $ = (id) => document.getElementById(id);
const tabs = ["why", "graph", "tune"];

// newPanel returns the panel. page has ask, which asks the server; world, which returns the
// world; jump, which leads to a message; show, which shows a graph everywhere else; and
// fault, which tells what went wrong.
export function newPanel(page) {
  const state = { tab: "why", target: null, drawing: null, settings: null, asking: 0, round: null };

  function choose(tab) {
    state.tab = tab;
    document.body.classList.toggle("wide", tab !== "why");
    for (const name of tabs) {
      $(`tab-${name}`).setAttribute("aria-selected", String(name === tab));
      $(`tab-${name}`).tabIndex = name === tab ? 0 : -1;
      $(name).hidden = name !== tab;
    }
    if (tab === "tune" && state.drawing?.path.recorded) tune(state.settings ?? {});
    else if (tab !== "why" && state.target && !state.drawing) load().catch((error) => page.fault(error.message));
    else draw();
  }

  function draw() {
    if (state.tab === "graph") {
      if (!state.drawing) return $("graph").replaceChildren(hint());
      drawGraph($("graph"), state.drawing, page);
      $("graph").append(...drawPath(state.drawing, page), el("section", { className: "answered" }, ...drawAlternatives(state.drawing, page)));
    }
    if (state.tab === "tune") drawTune($("tune"), { drawing: state.drawing, defaults: page.world().settings, settings: state.settings ?? {}, tune, page });
  }

  const hint = () => el("p", {}, "Ask heddle something, or choose “From what?” on any message: this draws what it is answered from.");

  // load asks for the drawing of the target.
  async function load() {
    const { channel, id } = state.target;
    const asking = ++state.asking;
    const drawing = await page.ask(`/api/graph/${channel}/${id}?${query(state.settings)}`);
    if (asking !== state.asking) return; // something else is shown by now
    state.drawing = drawing;
    if (!drawing.path.recorded) page.show(drawing.graph);
    draw();
  }

  // refresh lists the stored answers anew. What was drawn of the graph stays as it is.
  async function refresh() {
    if (state.tab !== "graph" || !state.drawing) return;
    const { channel, id } = state.target;
    const asking = state.asking;
    const { alternatives } = await page.ask(`/api/graph/${channel}/${id}?${query(state.settings)}`);
    if (asking !== state.asking || !state.drawing) return; // something else is shown by now
    state.drawing.alternatives = alternatives;
    $("graph").querySelector(".answered").replaceChildren(...drawAlternatives(state.drawing, page));
  }

  // tune previews the question with other settings.
  async function tune(settings) {
    state.settings = settings;
    const question = state.drawing?.graph.trigger;
    if (!question) return draw();
    state.target = { channel: question.channel, id: question.id };
    page.fault("");
    try {
      await load();
    } catch (error) {
      page.fault(error.message);
    }
  }

  // explain shows what an answer was made from. Why has it already.
  async function explain(answer) {
    Object.assign(state, { target: { channel: answer.channel, id: answer.id }, drawing: null, settings: null });
    if (state.tab !== "why") await load();
  }

  // preview shows what a message would be answered from.
  async function preview(message) {
    Object.assign(state, { target: { channel: message.channel, id: message.id }, drawing: null });
    if (state.tab === "why") {
      state.tab = "graph";
      choose("graph");
      return;
    }
    await load();
  }

  function clear() {
    Object.assign(state, { target: null, drawing: null, settings: null, asking: state.asking + 1 });
    draw();
  }

  for (const name of tabs) {
    $(`tab-${name}`).addEventListener("click", () => choose(name));
    $(`tab-${name}`).addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(tabs.indexOf(name) + step + tabs.length) % tabs.length];
      choose(next);
      $(`tab-${next}`).focus();
    });
  }
  return { explain, preview, refresh, clear };
}
