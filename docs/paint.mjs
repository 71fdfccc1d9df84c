// Measures when the page of heddle try is painted first, and when it shows its messages: node docs/paint.mjs [ROUNDS].
// It opens the page in a Chromium that has just started and, without a cache, in one that runs.
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
await opened(one);
for (let round = 0; round < Number(process.argv[2] ?? 10); round++) {
  const begun = await browser();
  fresh.push(await opened(begun));
  await begun.end();
  running.push(await opened(one));
}
const figures = (all, at) => { const sorted = all.map((times) => Math.round(times[at])).sort((a, b) => a - b); return `${sorted[0]} to ${sorted.at(-1)} ms, median ${sorted[Math.floor(sorted.length / 2)]}`; };
console.log(`load ${loadavg()[0]}`);
for (const [name, all] of [["just started", fresh], ["running", running]]) console.log(`${name}: first paint ${figures(all, 0)}; messages ${figures(all, 1)}`);
await one.end();
heddle.end();
