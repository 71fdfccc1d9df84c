// Makes the pictures of the README and of docs/admin.md from the real program: node docs/pictures.mjs [FOLDER].
// It needs chromium, Go, and the packages of lab/clients (.ci/run install).
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { browser, docs, playground } from "./chromium.mjs";

const folder = process.argv[2] ?? docs;
const heddle = await playground();
const { call, js, open, end } = await browser();
const until = async (expression) => { while (!await js(`(async () => { try { return Boolean(await ${expression}); } catch { return false; } })()`)) await js("new Promise(requestAnimationFrame)"); };
const still = "document.getAnimations().length === 0";

async function picture(name, { width, height, dark, phone }, steps) {
  await open();
  await call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: Boolean(phone) });
  await call("Emulation.setTouchEmulationEnabled", { enabled: Boolean(phone) });
  await call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }, { name: "prefers-reduced-motion", value: "reduce" }] });
  await call("Page.navigate", { url: heddle.address });
  await until(`document.querySelectorAll("#log .msg").length >= 14`);
  for (const step of steps) await until(step);
  await until(still);
  writeFileSync(join(folder, `${name}.png`), Buffer.from((await call("Page.captureScreenshot")).data, "base64"));
}

const opened = [`document.querySelectorAll("#why li.in").length > 10 && document.querySelectorAll("#log .msg.in").length > 10`];
await picture("playground-phone", { width: 390, height: 844, dark: true, phone: true }, [...opened, `document.querySelector(".msg.bot .because").click() ?? true`]);
await picture("playground-graph", { width: 1280, height: 900, dark: true }, [...opened, `document.getElementById("tab-graph").click() ?? true`, `document.querySelectorAll("#graph .row").length > 10`]);
const answered = `[...document.querySelectorAll(".msg.private")].at(-1)?.querySelector(".buttons")`;
await picture("admin-why", { width: 1000, height: 900 }, [
  `[...document.querySelectorAll(".msg:not(.private)")].find((m) => m.textContent.includes("what was wrong")).querySelector(".more").click() ?? true`,
  `[...document.querySelectorAll(".menu [role=menuitem]")].find((i) => i.textContent === "Show context").click() ?? true`, answered,
]);
await end();
heddle.end();
