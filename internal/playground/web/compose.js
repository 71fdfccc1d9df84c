// The line that one writes in: messages, replies, edits, files and commands.
import { ask, fault } from "./server.js";
import { blank, stow, stowed } from "./drafts.js";
import { fillIn } from "./forms.js";
import { $, channel, gist, inChannel, plain, state, writers } from "./state.js";
import { clip } from "./svg.js";
import { apart, el } from "./text.js";
import { come, reached, toEnd } from "./log.js";

const draft = blank(); // its text is that of the field
const offers = { list: [], chosen: 0 }; // to complete what is typed
let commands = []; // that can be typed here
const mostBytes = 10_000_000; // of files on a message

export function openCompose() {
  $("form").addEventListener("submit", send);
  $("write").addEventListener("keydown", keys);
  $("write").addEventListener("input", () => { grow(); keep(); offer(); });
  $("write").addEventListener("blur", hideOffers);
  $("write").addEventListener("paste", (event) => { if (event.clipboardData.files.length) { event.preventDefault(); attach([...event.clipboardData.files]); } });
  addEventListener("resize", grow);
  $("stop").addEventListener("click", retreat);
  $("mention").addEventListener("click", () => {
    const text = $("write").value;
    set(/@heddle\b/i.test(text) ? text : `@heddle ${text}`);
  });
  $("fold").addEventListener("click", () => fold(!$("form").classList.contains("open")));
  $("attach").addEventListener("click", () => $("attached").click());
  $("attached").addEventListener("change", () => { attach([...$("attached").files]); $("attached").value = ""; });
}

// fold shows or hides, on a small screen, people, ideas and what else one can add.
export function fold(open) {
  $("form").classList.toggle("open", open);
  $("fold").setAttribute("aria-expanded", String(open));
}

// wire turns @names into mentions.
export function wire(text) {
  const { bot, channels } = state.world;
  const all = [...[...writers(), bot].map((p) => ["@", p.name, `<@${p.id}>`]),
    ...channels.filter((c) => c.only === "0").map((c) => ["#", c.name, `<#${c.id}>`])].sort((a, b) => b[1].length - a[1].length);
  const known = new Map(all.map(([sign, name, mention]) => [(sign + name).toLowerCase(), mention]));
  const pattern = all.map(([sign, name]) => sign + name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return text.replace(new RegExp(`(?:${pattern})(?![\\w])`, "gi"), (found) => known.get(found.toLowerCase()) ?? found);
}

async function send(event) {
  event.preventDefault();
  const typed = $("write").value;
  const unsent = { ...draft, text: typed };
  const { replyTo, editing, files } = unsent;
  if (!typed.trim() && !files.length) return;
  const { author } = state;
  const where = state.channel;
  const after = channel().imported ? reached() : "0";
  fold(false);
  cancel(); // at once: what is typed from here on is the next message
  try {
    const command = !editing && !files.length && /^\/([\w-]+)/.exec(typed)?.[1];
    if (command && (commands = await ask("/api/commands")).some((c) => c.type === 1 && c.name.split(" ")[0] === command)) await invoke(typed, where, author);
    else if (editing) await ask("/api/edit", { channel: where, author, message: editing, content: wire(typed) });
    else return come((await ask("/api/post", { channel: where, author, content: wire(typed), replyTo: replyTo || "0", after, files })).id, after);
    toEnd();
  } catch (error) {
    if (where === state.channel) {
      take(joined(unsent, { ...draft, text: $("write").value }));
      $("write").focus();
    } else stow(joined(unsent, stowed(where)), where);
    fault(error.message);
  }
}

// invoke uses a command as it was typed: /name option:value.
async function invoke(typed, where, author) {
  const words = typed.trim().slice(1).split(/\s+/);
  const command = commands.filter((c) => c.type === 1).sort((a, b) => b.name.length - a.name.length)
    .find((c) => words.slice(0, c.name.split(" ").length).join(" ") === c.name);
  if (!command) {
    const known = commands.filter((c) => c.type === 1 && c.name.startsWith(words[0])).map((c) => `/${c.name}`).join(", ");
    throw new Error(`${words[1] ? `There is no command /${words[0]} ${words[1]}.` : `/${words[0]} needs one more word.`} These are: ${known}.`);
  }
  const options = {};
  let last = command.options?.[0]?.name;
  for (const word of words.slice(command.name.split(" ").length)) {
    const [, key, value] = /^([\w-]+):(.*)$/.exec(word) ?? [];
    const known = command.options?.find((o) => o.name === key);
    if (known) options[last = key] = value;
    else if (last) options[last] = [options[last], word].filter(Boolean).join(" ");
    else throw new Error(`/${command.name} takes nothing more.`);
  }
  const used = await ask("/api/invoke", { channel: where, author, command: command.name, options, target: "0" });
  fillIn(used).catch((error) => fault(error.message));
}

// joined puts what could not be sent before what was typed since.
const joined = (unsent, since) => ({
  text: [unsent.text, since.text].filter(Boolean).join("\n"), replyTo: since.replyTo || unsent.replyTo, editing: since.editing || unsent.editing,
  files: [...unsent.files, ...since.files],
});

const keep = () => stow({ ...draft, text: $("write").value });

// take goes on with a draft.
function take({ text, replyTo, editing, files }) {
  Object.assign(draft, { replyTo, editing, files });
  $("write").value = text;
  grow();
  drawDraft();
}

// resume goes on with what was typed in the channel that one is in by now.
export function resume() {
  fault("");
  hideOffers();
  take(stowed());
}

export function set(text) {
  $("write").value = text;
  grow();
  keep();
  $("write").focus();
}

export function cancel() {
  Object.assign(draft, blank());
  drawDraft();
  fault("");
  hideOffers();
  set("");
}

// retreat gives up a reply or an edit, and reports whether there was one. What is typed for
// a reply stays.
export function retreat() {
  if (!draft.editing && !draft.replyTo) return false;
  if (draft.editing) cancel();
  else reply({ id: "" });
  return true;
}

// drawDraft says what is being done, and shows the files that go with the message.
function drawDraft() {
  keep();
  const target = state.messages.get(draft.replyTo);
  $("doing-text").replaceChildren(...(draft.editing ? ["Editing your message"]
    : target ? ["Replying to ", apart(target.name), ": ", apart(gist(target))] : []));
  $("doing").hidden = !draft.editing && !target;
  $("files-chosen").replaceChildren(...draft.files.map((file) => el("li", {}, clip(), apart(file.name), remover(`Remove ${file.name}`, () => { draft.files = draft.files.filter((f) => f !== file); }))));
}

const remover = (label, remove) => el("button", { type: "button", "aria-label": label, onclick: () => { remove(); drawDraft(); $("write").focus(); } }, "✕");

export function reply(m) {
  Object.assign(draft, { replyTo: m.id, editing: "" });
  drawDraft();
  $("write").focus();
}

export function edit(m) {
  if (m.author !== state.author) return;
  Object.assign(draft, { replyTo: "", editing: m.id });
  set(plain(m.content));
  drawDraft();
}

// attach puts files on the message that is written.
export async function attach(files) {
  fault("");
  for (const file of files) {
    if (draft.files.length >= 10) return fault("Discord takes ten files on a message.");
    if (draft.files.reduce((sum, f) => sum + f.data.length * 0.75, file.size) > mostBytes) return fault(`${file.name} is too large: Discord takes 10 MB on a message.`);
    draft.files.push({ name: file.name, data: await encoded(file) });
  }
  drawDraft();
  $("write").focus();
}

const encoded = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
  reader.onerror = () => reject(new Error(`${file.name} cannot be read.`));
  reader.readAsDataURL(file);
});

function grow() {
  const write = $("write");
  write.style.height = "auto";
  write.style.height = `${write.scrollHeight}px`;
}

// Completions of names after "@" and "#", and of commands.

async function offer() {
  const write = $("write");
  const before = write.value.slice(0, write.selectionStart);
  const [, sign, typed] = /(?:^|\s)([@#])([\w-]*)$/.exec(before) ?? /^(\/)([\w -]*)$/.exec(before) ?? [];
  if (!sign) return hideOffers();
  if (sign === "/") {
    commands = await ask("/api/commands").catch(() => []);
    if (write.value.slice(0, write.selectionStart) !== before) return;
    const fitting = commands.filter((c) => c.type === 1 && c.name.startsWith(typed.trim()) && c.name !== typed);
    return show(fitting.map((c) => ({ label: `/${c.name}`, about: c.description, take: () => insert("/", `/${c.name} ${(c.options ?? []).filter((o) => o.required).map((o) => `${o.name}:`).join(" ")}`) })));
  }
  const { world } = state;
  const all = sign === "#" ? world.channels.filter((c) => c.only === "0") : [world.bot, ...writers()];
  const fitting = all.filter((one) => one.name.toLowerCase().startsWith(typed.toLowerCase()) && one.name.toLowerCase() !== typed.toLowerCase()).slice(0, 12);
  show(fitting.map((one) => ({ label: one.name, take: () => insert(sign, `${sign}${one.name} `) })));
}

function insert(sign, text) {
  const write = $("write");
  const end = write.selectionStart;
  write.setRangeText(text.trimEnd() + " ".repeat(text.endsWith(":") ? 0 : 1), write.value.slice(0, end).lastIndexOf(sign), end, "end");
  hideOffers();
  write.focus();
}

function show(list) {
  Object.assign(offers, { list, chosen: 0 });
  drawOffers();
}

function drawOffers() {
  const { list, chosen } = offers;
  $("names").hidden = list.length === 0;
  $("write").setAttribute("aria-expanded", String(list.length > 0));
  $("names").replaceChildren(...list.map((one, i) => el("li", {
    id: `name-${i}`, role: "option", "aria-selected": String(i === chosen), onmousedown: (event) => { event.preventDefault(); one.take(); $("write").focus(); },
  }, one.picture, el("span", {}, one.label), one.about && el("small", {}, ` ${one.about}`))));
  if (list.length) $("write").setAttribute("aria-activedescendant", `name-${chosen}`);
  else $("write").removeAttribute("aria-activedescendant");
  if (list.length) $("write").focus();
}

function hideOffers() {
  if (offers.list.length || !$("names").hidden) show([]);
}

function keys(event) {
  const { list } = offers;
  if (list.length) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { offers.chosen = (offers.chosen + step + list.length) % list.length; drawOffers(); event.preventDefault(); return; }
    if (event.key === "Tab" || event.key === "Enter") { list[offers.chosen].take(); event.preventDefault(); return; }
    if (event.key === "Escape") { hideOffers(); event.stopPropagation(); return; }
  }
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); $("form").requestSubmit(); }
  if (event.key === "ArrowUp" && $("write").value === "") {
    const own = inChannel().filter((m) => m.author === state.author).at(-1);
    if (own) { event.preventDefault(); edit(own); }
  }
}

// place says where one writes.
export function place() {
  const c = channel();
  const closed = c.kind === "forum";
  $("write").placeholder = closed ? "Write in a post, or make a new one" : `Message ${c.only !== "0" ? "@" : c.parent !== "0" ? "" : "#"}${c.name}`;
  $("write").disabled = closed;
}
