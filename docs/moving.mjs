// Makes the moving picture of the README from the real program: node docs/moving.mjs [FILE].
// It needs what pictures.mjs needs. The picture is an APNG, whose frames hold only what changed.
// The answer was written for it; from which messages it is made is heddle's choice.
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { browser, docs, playground } from "./chromium.mjs";

const width = 1200, height = 800;
const question = "@heddle and who changed the health check?";
const answer = "Dev did: he set `HEALTH_URL` in `/etc/default/booking-check` to 8081, and the next run was green.";

// model is an API that gives the answer to everything.
const model = createServer((request, response) => {
  request.resume().on("end", () => {
    const event = (choice) => `data: ${JSON.stringify({ object: "chat.completion.chunk", model: "a model", choices: [{ index: 0, ...choice }] })}\n\n`;
    response.setHeader("Content-Type", "text/event-stream");
    response.end(`${event({ delta: { role: "assistant", content: answer } })}${event({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`);
  });
});
await new Promise((done) => model.listen(0, "127.0.0.1", done));

// pixels returns the colours in a screenshot, three bytes for each pixel.
function pixels(png) {
  const channels = png[25] === 6 ? 4 : 3, row = width * channels, data = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const raw = inflateSync(Buffer.concat(data)), lines = Buffer.alloc(row * height), colours = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    const kind = raw[y * (row + 1)];
    for (let x = 0; x < row; x++) {
      const left = x < channels ? 0 : lines[y * row + x - channels], up = y ? lines[(y - 1) * row + x] : 0, corner = y && x >= channels ? lines[(y - 1) * row + x - channels] : 0;
      const [a, b, c] = [left, up, corner].map((one) => Math.abs(left + up - corner - one));
      const guess = [0, left, up, (left + up) >> 1, a <= b && a <= c ? left : b <= c ? up : corner][kind];
      lines[y * row + x] = raw[y * (row + 1) + 1 + x] + guess;
    }
  }
  for (let i = 0; i < width * height; i++) lines.copy(colours, i * 3, i * channels, i * channels + 3);
  return colours;
}

// changed returns the smallest part of a frame outside which it equals the one before.
function changed(before, now) {
  if (!before) return { x: 0, y: 0, width, height };
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let i = 0; i < now.length; i += 3) {
    if (now.compare(before, i, i + 3, i, i + 3) === 0) continue;
    const x = i / 3 % width, y = Math.floor(i / 3 / width);
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
  }
  return right < 0 ? { x: 0, y: 0, width: 1, height: 1 } : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

// packed returns a part of a frame as PNG packs it: each line as it is, or as the difference to
// the one above, whichever is shorter in all.
function packed(colours, part) {
  const lines = (kind) => Buffer.concat(Array.from({ length: part.height }, (_, y) => {
    const at = ((part.y + y) * width + part.x) * 3;
    const line = Buffer.from(colours.subarray(at, at + part.width * 3));
    if (kind && y) for (let x = 0; x < line.length; x++) line[x] -= colours[at - width * 3 + x];
    return Buffer.concat([Buffer.of(kind), line]);
  }));
  const [plain, above] = [0, 2].map((kind) => deflateSync(lines(kind), { level: 9 }));
  return plain.length < above.length ? plain : above;
}

function chunk(kind, ...parts) {
  const body = Buffer.concat([Buffer.from(kind, "latin1"), ...parts]);
  return Buffer.concat([numbers(body.length - 4), body, numbers(crc32(body))]);
}

const numbers = (...all) => Buffer.concat(all.map((n) => { const four = Buffer.alloc(4); four.writeUInt32BE(n); return four; }));

// moving returns an APNG of frames, each of which stands for some milliseconds.
function moving(frames) {
  let count = 0, before;
  const chunks = frames.flatMap(({ colours, stands }) => {
    const part = changed(before, colours), data = packed(colours, part);
    const head = chunk("fcTL", numbers(count++, part.width, part.height, part.x, part.y), Buffer.of(stands >> 8, stands & 255, 1000 >> 8, 1000 & 255, 0, 0));
    const body = before ? chunk("fdAT", numbers(count++), data) : chunk("IDAT", data);
    before = colours;
    return [head, body];
  });
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", numbers(width, height), Buffer.of(8, 2, 0, 0, 0)), chunk("acTL", numbers(frames.length, 0)), ...chunks, chunk("IEND")]);
}

const heddle = await playground({ OPENAI_BASE_URL: `http://127.0.0.1:${model.address().port}/v1`, OPENAI_API_KEY: "none", LLM_MODEL: "your model" });
const { call, js, open, end } = await browser();
const frames = [];
const until = async (expression) => { while (!await js(`(async () => { try { return Boolean(await ${expression}); } catch { return false; } })()`)) await js("new Promise(requestAnimationFrame)"); };
const frame = async (stands) => {
  await until("document.getAnimations().length === 0");
  frames.push({ stands, colours: pixels(Buffer.from((await call("Page.captureScreenshot")).data, "base64")) });
};
await open();
await call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
await call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "light" }, { name: "prefers-reduced-motion", value: "reduce" }] });
await call("Page.navigate", { url: heddle.address });
await until(`document.querySelectorAll("#why li.in").length > 10`);
await js(`document.getElementById("close").click()`);
await until(`!document.querySelector("#log.parted")`);
await frame(2000);
for (const typed of [8, 17, 29, question.length]) {
  await js(`import("/compose.js").then((compose) => compose.set(${JSON.stringify(question.slice(0, typed))}))`);
  await frame(400);
}
await js(`document.getElementById("form").requestSubmit()`);
await until(`document.querySelectorAll(".msg.bot").length === 2 && [...document.querySelectorAll(".msg.bot")].at(-1).innerText.includes("↻") && document.querySelectorAll("#why li.in").length > 10`);
await frame(2500);
await js(`document.getElementById("scroll").scrollTop -= 280`);
await frame(2000);
await js(`document.querySelector("#sum .last").click()`);
await until(`document.querySelector("#log .stray")`);
await js(`document.activeElement.blur()`);
await frame(4000);
await js(`document.querySelector("#sum .heddle").click()`);
await until(`!document.querySelector("#log .stray")`);
await frame(2500);
writeFileSync(process.argv[2] ?? join(docs, "moving.png"), moving(frames));
await end();
heddle.end();
model.close();
