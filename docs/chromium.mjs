// What the scripts beside this one share: heddle try and Chromium, as programs.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const docs = dirname(fileURLToPath(import.meta.url));
const WebSocket = createRequire(join(docs, "../lab/clients/"))("ws");

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

// playground starts heddle try, with settings beside those of the environment.
export async function playground(settings = {}) {
  const [heddle, address] = await begins("go", ["run", ".", "try", "--address", "127.0.0.1:0"], /http:\/\/\S+/, { cwd: join(docs, ".."), detached: true, env: { ...process.env, ...settings } });
  return { address, end: () => process.kill(-heddle.pid, "SIGINT") };
}

// browser starts a Chromium without a past. open opens an empty page in place of the one
// before, to which call then speaks, and in which js evaluates. on calls back with each event of
// a name.
export async function browser() {
  const home = mkdtempSync(join(tmpdir(), "heddle-docs-"));
  const [chromium, debugging] = await begins("chromium", ["--headless=new", "--remote-debugging-port=0", `--user-data-dir=${home}`, "--no-sandbox", "--disable-gpu", "--hide-scrollbars"], /ws:\/\/\S+/, { env: { ...process.env, HOME: home } });
  const socket = new WebSocket(debugging);
  await new Promise((done) => socket.on("open", done));
  let id = 0, session, page;
  const waiting = new Map(), heard = new Map();
  socket.on("message", (data) => {
    const { id, result, method, params } = JSON.parse(data);
    heard.get(method)?.(params);
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  const on = (method, act) => heard.set(method, act);
  const call = (method, params = {}) => new Promise((done) => { waiting.set(++id, done); socket.send(JSON.stringify({ id, method, params, sessionId: session })); });
  const js = async (expression) => (await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })).result.value;
  const open = async () => {
    session = undefined;
    const { targetId } = await call("Target.createTarget", { url: "about:blank" });
    if (page) await call("Target.closeTarget", { targetId: page });
    page = targetId;
    session = (await call("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    await call("Page.enable");
  };
  const end = async () => {
    socket.close();
    chromium.kill("SIGKILL");
    await new Promise((done) => chromium.once("exit", done));
    try { rmSync(home, { recursive: true, force: true, maxRetries: 5 }); } catch { /* its helpers still write */ }
  };
  return { call, js, on, open, end };
}
