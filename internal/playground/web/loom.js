// The threads beside the messages: one thread, or the thread of the conversation parted
// from the others while an answer is explained.
import { draw } from "./svg.js";

// curve returns a path through points: straight within a lane, bent between lanes.
function curve(points) {
  return points.map(([x, y], i) => {
    if (i === 0) return `M${x} ${y}`;
    const [px, py] = points[i - 1];
    const half = (py + y) / 2;
    return px === x ? `L${x} ${y}` : `C${px} ${half} ${x} ${half} ${x} ${y}`;
  }).join("");
}

// drawLoom draws beside the messages of log. Marked messages have the classes
// in, asked or answer.
export function drawLoom(log, parted) {
  log.querySelector(".loom")?.remove();
  const rows = [...log.querySelectorAll(".msg")].map((node) => ({
    y: node.offsetTop + 16,
    lane: !parted ? "idle" : node.matches(".in, .asked, .answer") ? "in" : "out",
  }));
  if (rows.length === 0) return;
  const svg = draw("svg", { class: "loom", height: log.scrollHeight, "aria-hidden": "true" });
  const x = { idle: 30, in: 20, out: 40 };
  for (const lane of parted ? ["out", "in"] : ["idle"]) {
    const own = rows.filter((row) => row.lane === lane);
    if (own.length === 0) continue;
    const start = [30, Math.max(0, own[0].y - 26)];
    svg.append(draw("path", { class: lane, d: curve([start, ...own.map((row) => [x[lane], row.y])]) }));
    for (const row of own) svg.append(draw("circle", { class: lane, cx: x[lane], cy: row.y, r: 5 }));
  }
  log.prepend(svg);
}
