// Makes the pictures of the README and of docs/admin.md from the real program: node docs/pictures.mjs [FOLDER].
// It needs chromium, Go, and the packages of internal/discordtest/clients (.ci/run install).
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const docs = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? docs;
const WebSocket = createRequire(join(docs, "../internal/discordtest/clients/"))("ws");

// begins starts a program and returns it with the first match of what it prints.
function begins(program, args, pattern, options) {
  const child = spawn(program, args, options);
  return new Promise((resolve, reject) => {
    let text = "";
    const look = (data) => { const found = pattern.exec(text += data); if (found) resolve([child, found[0]]); };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.on("exit", () => reject(new Error(`${program}: ${text}`)));
  });
}

const home = mkdtempSync(join(tmpdir(), "heddle-pictures-"));
const [heddle, address] = await begins("go", ["run", ".", "try", "--address", "127.0.0.1:0"], /http:\/\/\S+/, { cwd: join(docs, ".."), detached: true });
const [chromium, debugging] = await begins("chromium", ["--headless=new", "--remote-debugging-port=0", `--user-data-dir=${home}`, "--no-sandbox", "--disable-gpu", "--hide-scrollbars"], /ws:\/\/\S+/, { env: { ...process.env, HOME: home } });
const socket = new WebSocket(debugging);
await new Promise((done) => socket.on("open", done));
let id = 0, session;
const waiting = new Map();
socket.on("message", (data) => { const { id, result } = JSON.parse(data); waiting.get(id)?.(result); waiting.delete(id); });
const call = (method, params = {}) => new Promise((done) => { waiting.set(++id, done); socket.send(JSON.stringify({ id, method, params, sessionId: session })); });
const js = async (expression) => (await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })).result.value;
const until = async (expression) => { while (!await js(`(async () => { try { return Boolean(await ${expression}); } catch { return false; } })()`)) await js("new Promise(requestAnimationFrame)"); };
const still = "document.getAnimations().length === 0";

async function picture(name, { width, height, dark, phone }, steps) {
  session = undefined;
  const { targetId } = await call("Target.createTarget", { url: "about:blank" });
  session = (await call("Target.attachToTarget", { targetId, flatten: true })).sessionId;
  await call("Page.enable");
  await call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: Boolean(phone) });
  await call("Emulation.setTouchEmulationEnabled", { enabled: Boolean(phone) });
  await call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }, { name: "prefers-reduced-motion", value: "reduce" }] });
  await call("Page.navigate", { url: address });
  await until(`document.querySelectorAll("#log .msg").length >= 14`);
  for (const step of steps) await until(step);
  await until(still);
  writeFileSync(join(folder, `${name}.png`), Buffer.from((await call("Page.captureScreenshot")).data, "base64"));
}

const asked = [
  `document.querySelector("#ideas button").click() ?? true`, `document.querySelector(".send[type=submit]").click() ?? true`,
  `[...document.querySelectorAll(".msg.bot")].at(-1).querySelector(".buttons")?.innerText.includes("Why?") && document.querySelectorAll("#why li.in").length === 6`,
]; // the answer is whole: while it grows, it has no such button
await picture("playground", { width: 1280, height: 900 }, asked);
const again = [`[...document.querySelectorAll(".msg.bot .because")].at(-1).click() ?? true`, `document.querySelectorAll("#why li.in").length === 6`];
await picture("playground-phone", { width: 390, height: 844, dark: true, phone: true }, again);
await picture("playground-graph", { width: 1280, height: 900, dark: true }, [...again, `document.getElementById("tab-graph").click() ?? true`, `document.querySelectorAll("#graph .row").length > 10`]);
const typed = (command) => `import("/compose.js").then((c) => { c.set(${JSON.stringify(command)}); document.getElementById("form").requestSubmit(); return true; })`;
const answered = `[...document.querySelectorAll(".msg.private")].at(-1)?.querySelector(".buttons")`;
await picture("admin-context", { width: 1000, height: 900 }, [typed("/heddle context newest:1 most:3"), answered]);
await picture("admin-why", { width: 1000, height: 900 }, [
  `[...document.querySelectorAll(".msg:not(.private)")].findLast((m) => m.innerText.includes("what was wrong")).querySelector(".more").click() ?? true`,
  `[...document.querySelectorAll(".menu [role=menuitem]")].find((i) => i.textContent === "Show context").click() ?? true`, answered,
]);
socket.close();
chromium.kill("SIGKILL");
process.kill(-heddle.pid, "SIGINT");
chromium.once("exit", () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
