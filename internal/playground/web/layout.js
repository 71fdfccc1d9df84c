// Where everything in the drawing of a graph stands.
import { clock, counted, date, moment } from "./text.js";

// pitch is how many pixels there are from row to row: a finger needs more than a mouse.
export const pitch = matchMedia("(pointer: coarse)").matches ? 44 : 28;
const lane = 16; // from lane to lane
export const times = 64; // how wide the times on the left are
const first = times + 14; // the x of the first lane
const most = 6; // columns with an x of their own, beside the first
const room = 22; // pixels for a break in time

const least = 3; // messages of other talks in a row that fold

// layout places rows, lanes, edges, seals and breaks in time. open holds the first message of
// each run of other talks that is not to fold.
export function layout({ graph, lanes }, open) {
  const all = placed(graph, lanes);
  paint(all);
  const rows = folded(all, open);
  const index = new Map(rows.filter((row) => row.kind !== "folded").map((row) => [row.node.id, row.index]));
  for (const row of rows) for (const part of row.node.parts ?? []) index.set(part, row.index);
  const columns = Math.min(Math.max(...rows.map((row) => row.column), 0), most);
  const loose = rows.some((row) => row.talk < 0 && row.kind !== "folded");
  for (const row of rows) row.x = first + lane * (row.kind === "folded" ? Math.min(columns, 1) : row.talk < 0 ? columns + 1 : Math.min(row.column, most));
  const { breaks, height } = down(rows, graph);
  return {
    all, rows, breaks, height, left: first + lane * (columns + (loose ? 1 : 0)) + 18,
    lanes: stretches(rows), edges: edges(graph, index), seals: seals(graph, index, rows),
    at: (y) => search(rows, y),
  };
}

const alone = { talk: -1, column: -1 }; // a message that belongs to no talk

// placed returns a row for each message, oldest first; an answer stands behind its question.
function placed(graph, lanes) {
  const nodes = [
    ...graph.conversation.map((node) => ["in", node]), ...graph.background.map((node) => ["out", node]),
    ...graph.recalled.map((node) => ["out", node]),
    ...graph.explored.map((node) => ["by", node]), ["asked", graph.trigger],
  ];
  const anchor = ([, n]) => BigInt(n.answers ?? n.id);
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  nodes.sort((a, b) => order(anchor(a), anchor(b)) || order(BigInt(a[1].id), BigInt(b[1].id)));
  return nodes.map(([kind, node]) => {
    const time = new Date(node.time);
    const rounds = (node.reasons ?? []).map((r) => r.round);
    return {
      kind, node, ...(lanes[node.id] ?? alone), round: rounds.length ? Math.min(...rounds) : 0,
      seed: (node.reasons ?? []).some((r) => r.kind === "seed"), time,
      clock: clock(time),
      when: moment(time),
    };
  });
}

// folded puts each run of messages that are not of the conversation into one row.
function folded(all, open) {
  const rows = [];
  let run = [];
  const end = () => {
    const [first] = run;
    if (run.length < least || open.has(first.node.id)) rows.push(...run);
    else rows.push({ kind: "folded", run, node: { id: first.node.id }, ...alone, colour: -1, round: Math.min(...run.map((row) => row.round)), time: first.time, clock: first.clock });
    run = [];
  };
  for (const row of all) {
    if (row.kind === "out" || row.kind === "by") {
      run.push(row);
      continue;
    }
    end();
    rows.push(row);
  }
  end();
  rows.forEach((row, index) => { row.index = index; });
  return rows;
}

// paint gives each row the number of its talk's colour: 0 for the conversation, and for the
// others 1 to 5 in turn, the longest talk first. A message that belongs to no talk has none.
function paint(rows) {
  const sizes = new Map();
  for (const { talk } of rows) if (talk > 0) sizes.set(talk, (sizes.get(talk) ?? 0) + 1);
  const ranks = new Map([...sizes].sort((a, b) => b[1] - a[1]).map(([talk], i) => [talk, 1 + i % 5]));
  for (const row of rows) row.colour = row.talk < 0 ? -1 : ranks.get(row.talk) ?? 0;
}

// down gives each row its y. Between rows that lie far apart in time it leaves room to say
// so.
function down(rows, graph) {
  const breaks = [];
  const long = Math.max(graph.threshold_seconds || 600, 600);
  let y = 8;
  rows.forEach((row, i) => {
    const before = i > 0 && (rows[i - 1].run?.at(-1) ?? rows[i - 1]).time;
    const gap = i > 0 ? (row.time - before) / 1000 : 0;
    const day = i === 0 || row.time.toDateString() !== before.toDateString();
    if (day || gap > long) {
      const text = [i > 0 && gap > long && `${span(gap)} later`, day && date(row.time)].filter(Boolean).join(" · ");
      breaks.push({ row: i, y, text });
      y += room;
    }
    row.y = y + pitch / 2;
    y += pitch;
  });
  return { breaks, height: y + 8 };
}

// span returns a time in seconds in words.
export function span(seconds) {
  for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    const n = Math.round(seconds / size);
    if (seconds >= size) return counted(n, unit);
  }
  return `${Math.round(seconds)} s`;
}

// stretches returns for each talk a line from its first row to its last.
function stretches(rows) {
  const open = new Map();
  const all = [];
  for (const row of rows) {
    if (row.talk < 0) continue;
    const line = open.get(row.talk);
    if (line) line.to = row.index;
    else { const begun = { colour: row.colour, x: row.x, from: row.index, to: row.index }; open.set(row.talk, begun); all.push(begun); }
  }
  return all;
}

function edges(graph, index) {
  const all = [];
  for (const e of graph.edges) {
    const from = index.get(e.from), to = index.get(e.to);
    if (from === undefined || to === undefined || from === to || e.kind === "version" || e.reference === "address") continue;
    const kind = e.kind === "temporal" ? "temporal" : e.reference === "inferred" ? "inferred" : "reference";
    all.push({ upper: Math.min(from, to), lower: Math.max(from, to), kind, probability: e.probability });
  }
  return all.sort((a, b) => (a.kind === "temporal" ? -1 : 0) - (b.kind === "temporal" ? -1 : 0));
}

function seals(graph, index, rows) {
  const all = [];
  for (const s of graph.seals) {
    const row = index.get(s.at);
    if (row === undefined || s.why === "trigger") continue;
    const side = s.direction === "newer" ? 1 : -1;
    all.push({ row, side, why: s.why, text: s.text, x: rows[row].x, y: rows[row].y + side * (pitch / 2 - 3) });
  }
  return all;
}

// search returns the row at or above a height.
function search(rows, y) {
  let from = 0, to = rows.length - 1;
  while (from < to) {
    const middle = (from + to + 1) >> 1;
    if (rows[middle].y <= y) from = middle;
    else to = middle - 1;
  }
  return from;
}

// curve returns a path from a row to an older one: bent to the left within a lane, the more
// the farther they are apart.
export function curve(from, to) {
  if (from.x === to.x) {
    const bend = Math.min(6 + Math.abs(from.index - to.index) * 1.6, 16);
    const x = from.x - bend;
    return `M${from.x} ${from.y}C${x} ${from.y - 8} ${x} ${to.y + 8} ${to.x} ${to.y}`;
  }
  const half = Math.min(pitch, (from.y - to.y) / 2);
  return `M${from.x} ${from.y}C${from.x} ${from.y - half} ${to.x} ${to.y + half} ${to.x} ${to.y}`;
}
