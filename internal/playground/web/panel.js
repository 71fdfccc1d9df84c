// The panel beside the messages: why, graph and tune, all of one drawing. A drawing is what
// an answer was made from or, for any other message, what it would be answered from.
import { drawGraph } from "./graph.js";
import { drawPath } from "./path.js";
import { drawTune, query } from "./tune.js";
import { el } from "./text.js";

const $ = (id) => document.getElementById(id);
const tabs = ["why", "graph", "tune"];

// painted waits until a frame was drawn.
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

// newPanel returns the panel. page has ask, which asks the server; world, which returns the
// world; jump, which leads to a message; show, which shows a graph everywhere else; and
// fault, which tells what went wrong.
export function newPanel(page) {
  const aside = document.querySelector(".why");
  // target is what is explained, drawn what the drawing is of, and question whose thresholds
  // are moved. settings are null until one of them is. asking counts drawings that were asked
  // for, and heard how often messages showed another answer.
  const state = { tab: "why", target: null, drawing: null, drawn: null, question: null, settings: null, asking: 0, heard: 0 };

  // wanted returns of what the drawing should be: what an answer was made from or, where
  // thresholds are moved, what its question would be answered from.
  const wanted = () => (state.question && (state.tab === "tune" || state.settings) ? state.question : state.target);

  function choose(tab) {
    state.tab = tab;
    for (const name of tabs) {
      $(`tab-${name}`).setAttribute("aria-selected", String(name === tab));
      $(`tab-${name}`).tabIndex = name === tab ? 0 : -1;
      $(name).hidden = name !== tab;
    }
    const stale = state.drawing ? state.drawn.id !== wanted().id : state.target && tab !== "why";
    if (stale) load().catch((error) => page.fault(error.message));
    else {
      draw();
      refresh().catch(() => {}); // the next one comes
    }
    aside.scrollTop = 0;
  }

  function draw() {
    if (state.tab === "graph") {
      if (!state.drawing) return $("graph").replaceChildren(hint());
      drawGraph($("graph"), state.drawing, page);
      $("graph").append(el("section", { className: "sent" }));
      drawSent();
    }
    if (state.tab === "tune") drawTune($("tune"), { drawing: state.drawing, defaults: page.world().settings, settings: state.settings ?? {}, tune, page });
  }

  // drawSent draws what was sent.
  function drawSent() {
    $("graph").querySelector(".sent").replaceChildren(...drawPath(state.drawing, page));
  }

  const hint = () => el("p", {}, "Ask heddle something, or choose “From what?” on any message: this draws what it is answered from.");

  const get = ({ channel, id }) => page.ask(`/api/graph/${channel}/${id}?${query(state.settings)}`);

  // load asks for the drawing that is wanted.
  async function load() {
    const drawn = wanted();
    const { heard } = state;
    const asking = ++state.asking;
    const drawing = await get(drawn);
    if (asking !== state.asking) return; // something else is shown by now
    const { channel, id } = drawing.graph.trigger;
    Object.assign(state, { drawing, drawn, question: { channel, id } });
    if (drawn.id !== wanted().id) {
      await load();
      return;
    }
    page.show(drawing, drawn.id);
    await painted(); // marks among many messages and a graph take long enough for a frame each
    if (asking !== state.asking) return;
    draw();
    if (heard !== state.heard) await refresh();
  }

  // refresh draws what was sent anew. What was drawn of the graph stays
  // as it is.
  async function refresh() {
    const heard = ++state.heard;
    if (state.tab !== "graph" || !state.drawing) return;
    const { asking } = state;
    const { path } = await get(state.drawn);
    if (asking !== state.asking || heard !== state.heard || !state.drawing) return; // something else is shown by now, or soon
    Object.assign(state.drawing, { path });
    drawSent();
  }

  // tune previews the question with other settings.
  async function tune(settings) {
    state.settings = settings;
    if (!state.question) return draw();
    page.fault("");
    try {
      await load();
    } catch (error) {
      page.fault(error.message);
    }
  }

  const aim = ({ channel, id }) => Object.assign(state, { target: { channel, id }, drawing: null, drawn: null, question: null });

  // explain shows what an answer was made from. Why has it already.
  async function explain(answer) {
    aim(answer);
    state.settings = null;
    if (state.tab !== "why") await load();
  }

  // preview shows what a message would be answered from.
  async function preview(message) {
    aim(message);
    if (state.tab === "why") choose("graph");
    else await load();
  }

  function clear() {
    Object.assign(state, { target: null, drawing: null, drawn: null, question: null, settings: null, asking: state.asking + 1 });
    for (const name of ["graph", "tune"]) $(name).replaceChildren();
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
  $("exact").addEventListener("click", () => $("exact").setAttribute("aria-pressed", String(aside.classList.toggle("exact"))));
  drag(aside);
  return { explain, preview, refresh, clear };
}

// lift opens the panel where it is a sheet, of which otherwise only a sentence is in view.
export function lift(open) {
  document.querySelector(".why").classList.toggle("open", open);
  $("grip").setAttribute("aria-expanded", String(open));
}

const least = 200; // pixels of a sheet that is open

// drag lets one draw the sheet up and down. A press without a move opens or closes it.
function drag(aside) {
  const grip = $("grip");
  let from = null, moved = false;
  grip.addEventListener("pointerdown", (event) => {
    from = event.clientY + aside.offsetHeight;
    moved = false;
    grip.setPointerCapture(event.pointerId);
  });
  grip.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const height = from - event.clientY;
    if (!moved && Math.abs(height - aside.offsetHeight) < 5) return;
    moved = true;
    aside.style.setProperty("--sheet", `${Math.max(height, least)}px`);
    lift(height >= least);
  });
  grip.addEventListener("pointerup", () => { from = null; });
  grip.addEventListener("click", () => { if (!moved) lift(!aside.classList.contains("open")); moved = false; });
}
