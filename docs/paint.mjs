// Measures how long the page of heddle try takes: node docs/paint.mjs [ROUNDS].
// It opens the page in a Chromium that has just started and, without a cache, in one that runs,
// for when it is painted first and when it shows its messages. Then it enters a channel of 600
// messages, for how long the page takes over a frame there: the longest task of its main thread,
// by the clock, and by the processor's time, which other programs do not lengthen.
import { loadavg } from "node:os";
import { browser, playground } from "./chromium.mjs";

const heddle = await playground();

// opened returns when the page was painted and when it showed its messages, in milliseconds.
async function opened({ call, js, open }) {
  await open();
  await call("Network.enable");
  await call("Network.setCacheDisabled", { cacheDisabled: true });
  await call("Page.navigate", { url: heddle.address });
  for (;;) {
    const painted = await js(`performance.getEntriesByName("first-contentful-paint")[0]?.startTime`);
    const shown = await js(`document.querySelectorAll("#log .msg").length >= 14 && performance.now()`);
    if (painted && shown) return [painted, shown];
    await js("new Promise(requestAnimationFrame)");
  }
}

const fresh = [], running = [], one = await browser();
const rounds = Number(process.argv[2] ?? 10);
await opened(one);
for (let round = 0; round < rounds; round++) {
  const begun = await browser();
  fresh.push(await opened(begun));
  await begun.end();
  running.push(await opened(one));
}

// The channel that frames are measured in: as many messages as the page holds of 600.
const ask = async (path, change) => (await fetch(heddle.address + path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(change) })).json();
const world = await (await fetch(`${heddle.address}/api/world`)).json();
const { id: channel } = await ask("/api/channels", { name: "long", forum: false, private: false, heddle: true, people: [] });
const words = "the warp on loom seven slipped again after lunch, **could somebody** look at `the left beam` before we go on with the blue one".split(" ");
let newest = "0";
const post = async (i) => {
  const author = world.people[i * 7 % world.people.length].id;
  const content = Array.from({ length: 3 + i * 31 % 40 }, (_, at) => words[(i + at * 5) % words.length]).join(" ");
  newest = (await ask("/api/post", { channel, author, content, replyTo: i % 3 ? "0" : newest })).id;
};
for (let i = 0; i < 510; i++) await post(i);

// longest returns how long the longest task took of the main thread while something was done: by
// the clock, and by the processor's time.
async function longest({ call, on }, act) {
  const tasks = [], main = new Set();
  on("Tracing.dataCollected", ({ value }) => {
    for (const { name, pid, tid, args, dur, tdur } of value) {
      if (name === "thread_name" && args.name === "CrRendererMain") main.add(`${pid} ${tid}`);
      if (name.endsWith("RunTask") && tdur) tasks.push({ thread: `${pid} ${tid}`, times: [dur / 1000, tdur / 1000] });
    }
  });
  const complete = new Promise((done) => { on("Tracing.tracingComplete", done); });
  await call("Tracing.start", { categories: "__metadata,toplevel,disabled-by-default-devtools.timeline" });
  await act();
  await call("Tracing.end");
  await complete;
  const own = tasks.filter(({ thread }) => main.has(thread)).map(({ times }) => times);
  return [0, 1].map((at) => Math.max(...own.map((times) => times[at])));
}

const drawn = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))";
const { js, call } = one;
const until = async (expression) => { while (!await js(expression)) await js(drawn); };
const shown = (count) => until(`document.querySelectorAll("#log .msg").length === ${count}`);
const size = (width) => call("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: false });

// settled waits until the page has found the heights of all messages.
const settled = async () => { for (let frame = 0; frame < 30; frame++) await js(drawn); };

// What is measured, in this order.
const acts = {
  "entering": async () => {
    await js(`[...document.querySelectorAll("#channels .name")].find((name) => name.innerText === "long").closest("button").click()`);
    await shown(100);
  },
  "earlier messages": async () => {
    await js(`document.querySelector("#log .earlier").click()`);
    await shown(200);
  },
  "a new message": async () => {
    await post(600);
    await shown(291);
  },
  "From what?": async () => {
    await js(`one.querySelector("[data-key=preview]").click()`);
    await until(`document.querySelector("#graph .row") && one.matches(".asked")`);
  },
  "closing": async () => {
    await js(`document.getElementById("close").click()`);
    await until(`!document.querySelector("#log.parted")`);
  },
  "wider": () => size(1400),
  "narrower": () => size(1280),
  "scrolling": async () => {
    for (let turn = 0; turn < 40; turn++) {
      await call("Input.dispatchMouseEvent", { type: "mouseWheel", x: 500, y: 400, deltaX: 0, deltaY: -300 });
      await js(drawn);
    }
  },
};

// What comes before some of them, unmeasured.
const before = {
  "a new message": async () => {
    await js(`import("/log.js").then((log) => log.toEnd())`);
    for (let i = 510; i < 600; i++) await post(i);
    await shown(290);
  },
  "From what?": () => js(`(window.one = [...document.querySelectorAll("#log .msg")].at(-40)).scrollIntoView()`),
};

const frames = Object.entries(acts).map(([name, act]) => [name, act, []]);
for (let round = 0; round < rounds; round++) {
  await opened(one);
  await size(1280);
  for (const [name, act, times] of frames) {
    await before[name]?.();
    await settled();
    times.push(await longest(one, async () => { await act(); await js(drawn); }));
  }
}

// figures returns the bounds and the median of some times.
function figures(times) {
  const sorted = times.map(Math.round).sort((a, b) => a - b);
  return `${sorted[0]} to ${sorted.at(-1)} ms, median ${sorted[Math.floor(sorted.length / 2)]}`;
}
const at = (all, which) => figures(all.map((times) => times[which]));
console.log(`load ${loadavg()[0]}`);
for (const [name, all] of [["just started", fresh], ["running", running]]) console.log(`${name}: first paint ${at(all, 0)}; messages ${at(all, 1)}`);
for (const [name, , all] of frames) console.log(`longest task, ${name}: ${at(all, 0)}; of the processor ${at(all, 1)}`);
await one.end();
heddle.end();
