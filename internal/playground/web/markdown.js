// Discord's Markdown, as nodes. Links lead to http and https alone, and nothing is loaded
// for them. names has person, role and channel, which name what a mention is of.
import { el } from "./text.js";

const deepest = 8; // how deep one mark may stand in another; what is deeper stays as written

// body renders a message.
export function body(text, names) {
  const div = el("div", { className: "body" });
  const fences = text.split(/```(?:(\w{1,20})\n)?([\s\S]*?)(?:```|$)/);
  for (let i = 0; i < fences.length; i += 3) {
    // The line break beside a fence belongs to it.
    const around = fences[i].replace(i > 0 ? /^\n/ : /^$/, "").replace(i + 3 <= fences.length - 1 ? /\n$/ : /$^/, "");
    if (around) div.append(...blocks(around.split("\n"), names));
    if (i + 2 < fences.length) div.append(el("pre", { tabIndex: 0, "aria-label": "Code" }, el("code", {}, fences[i + 2].replace(/^\n|\n$/g, ""))));
  }
  return div;
}

const written = { person: (id) => id, role: (id) => id, channel: (id) => id }; // names that stand for themselves
const most = 2000; // characters that are read for one line

// unmarked returns the beginning of a message on one line, without its marks. What a spoiler
// hides stays hidden.
export function unmarked(text, names = written) {
  const shown = body(text.slice(0, most), names);
  for (const hidden of shown.querySelectorAll(".spoiler")) hidden.replaceWith("(spoiler)");
  for (const block of shown.querySelectorAll("p, li, h3, h4, h5, pre")) block.prepend(" "); // or the words of two lines join
  return shown.textContent.replace(/\s+/g, " ").trim();
}

// said returns who says something, and its beginning. Each is written in its own direction.
export const said = (name, text) => [el("b", { dir: "auto" }, name), " ", el("span", { dir: "auto" }, unmarked(text).slice(0, 200))];

const patterns = [
  { kind: "rest", is: /^>>> (.*)$/ }, { kind: "quote", is: /^> (.*)$/ }, { kind: "small", is: /^-# (.+)$/ },
  { kind: "heading", is: /^(#{1,3}) +(.+)$/ }, { kind: "item", is: /^( *)(?:[-*]|(\d{1,9})\.) +(.+)$/ },
];

function classify(line) {
  for (const { kind, is } of patterns) {
    const match = is.exec(line);
    if (match) return { kind, match };
  }
  return { kind: "text" };
}

// blocks renders lines. Neighbouring lines of one kind make one block. As on Discord, a
// quote holds no further quote: within one, the mark of another is text.
function blocks(lines, names, quoted = false) {
  const kindOf = (line) => { const found = classify(line); return quoted && /rest|quote/.test(found.kind) ? { kind: "text" } : found; };
  const nodes = [];
  for (let i = 0; i < lines.length;) {
    const { kind, match } = kindOf(lines[i]);
    if (kind === "rest") {
      nodes.push(el("blockquote", {}, ...blocks([match[1], ...lines.slice(i + 1)], names, true)));
      break;
    }
    let end = i + 1;
    const goes = (next) => next.kind === kind && !(kind === "item" && next.match[1].length <= match[1].length && !next.match[2] !== !match[2]);
    if (kind !== "small" && kind !== "heading") while (end < lines.length && goes(kindOf(lines[end]))) end++;
    const own = lines.slice(i, end);
    if (kind === "quote") nodes.push(el("blockquote", {}, ...blocks(own.map((line) => line.slice(2)), names, true)));
    else if (kind === "small") nodes.push(el("p", {}, el("small", {}, ...spans(match[1], names))));
    else if (kind === "heading") nodes.push(el(`h${match[1].length + 2}`, {}, ...spans(match[2], names)));
    else if (kind === "item") nodes.push(list(own.map((line) => classify(line).match), names));
    else nodes.push(el("p", {}, ...spans(own.join("\n"), names)));
    i = end;
  }
  return nodes;
}

// list renders items; those that are indented make lists within the item above them.
function list(items, names) {
  const root = el(items[0][2] ? "ol" : "ul", items[0][2] ? { start: Number(items[0][2]) } : {});
  const open = [{ node: root, indent: items[0][1].length }];
  for (const [, space, number, text] of items) {
    while (open.length > 1 && space.length < open.at(-1).indent) open.pop();
    const last = open.at(-1);
    if (space.length > last.indent && last.node.lastChild && open.length < deepest) {
      const inner = el(number ? "ol" : "ul", {});
      last.node.lastChild.append(inner);
      open.push({ node: inner, indent: space.length });
    }
    open.at(-1).node.append(el("li", {}, ...spans(text, names)));
  }
  return root;
}

const within = (tag) => (match, names, depth) => el(tag, {}, ...spans(match[1], names, depth + 1));

// rules are the marks within a line. Of those that begin alike the longer stands first.
const rules = [
  [/\\([^\w\s])/y, (match) => match[1]],
  [/(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/y, (match) => el("code", {}, match[2])],
  [/<(?:@!?)(\d+)>/y, (match, names) => el("span", { className: "at" }, `@${names.person(match[1])}`)],
  [/<@&(\d+)>/y, (match, names) => el("span", { className: "at" }, `@${names.role(match[1])}`)],
  [/<#(\d+)>/y, (match, names) => el("span", { className: "at" }, `#${names.channel(match[1])}`)],
  [/<\/([^:<>\n]{1,100}):\d+>/y, (match) => el("span", { className: "at" }, `/${match[1]}`)],
  [/<a?(:\w{1,32}:)\d+>/y, (match) => match[1]],
  [/<t:(-?\d{1,12})(?::([tTdDfFR]))?>/y, (match) => stamp(Number(match[1]), match[2] ?? "f")],
  [/@(?:everyone|here)(?!\w)/y, (match) => el("span", { className: "at" }, match[0])],
  [/\[([^\]\n]{1,500})\]\(<?(https?:\/\/[^\s)>]{1,1500})>?\)/y, (match, names, depth) => link(match[2], spans(match[1], names, depth + 1))],
  [/<(https?:\/\/[^\s>]{1,1500})>/y, (match) => link(match[1], [match[1]])],
  [/https?:\/\/[^\s<]{0,1500}[^\s<.,:;!?'")\]}*_~|]/y, (match) => link(match[0], [match[0]])],
  [/\*\*\*(?!\s)([\s\S]+?)\*\*\*/y, (match, names, depth) => el("em", {}, within("strong")(match, names, depth))],
  [/\*\*([\s\S]+?)\*\*(?!\*)/y, within("strong")],
  [/__([\s\S]+?)__(?!_)/y, within("u")],
  [/~~([\s\S]+?)~~/y, within("s")],
  [/\|\|([\s\S]+?)\|\|/y, (match, names, depth) => spoiler(spans(match[1], names, depth + 1))],
  [/\*(?![\s*])((?:[^*\n]|\*\*[^*\n]+\*\*)+?)\*(?!\*)/y, within("em")],
  [/_(?![\s_])([^_]+?)_(?![\w_])/y, within("em")],
];
const begins = /[\\`<@[h*_~|]/g; // with what a rule may begin

// spans renders the marks within a text.
function spans(text, names, depth = 0) {
  const nodes = [];
  let plain = 0;
  for (let at = 0; at < text.length && depth < deepest;) {
    begins.lastIndex = at;
    const found = begins.exec(text);
    if (!found) break;
    at = found.index;
    const taken = take(text, at, names, depth);
    if (!taken) { at++; continue; }
    if (at > plain) nodes.push(text.slice(plain, at));
    nodes.push(taken.node);
    plain = at += taken.length;
  }
  if (plain < text.length) nodes.push(text.slice(plain));
  return nodes;
}

function take(text, at, names, depth) {
  if (text[at] === "h" && /\w/.test(text[at - 1] ?? " ")) return null; // within a word
  for (const [rule, make] of rules) {
    rule.lastIndex = at;
    const match = rule.exec(text);
    if (!match) continue;
    return { node: make(match, names, depth), length: match[0].length };
  }
  return null;
}

function link(address, children) {
  let url = null;
  try { url = new URL(address); } catch { return children.join?.("") ?? address; }
  return el("a", { href: url.href, target: "_blank", rel: "noopener noreferrer nofollow", title: url.href }, ...children);
}

function spoiler(children) {
  const button = el("button", { type: "button", className: "spoiler", "aria-expanded": "false", "aria-label": "Spoiler, show it" }, el("span", { "aria-hidden": "true" }, ...children));
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    button.replaceWith(el("span", { className: "spoiler shown" }, ...button.firstChild.childNodes));
  });
  return button;
}

const shapes = {
  t: { timeStyle: "short" }, T: { timeStyle: "medium" }, d: { dateStyle: "short" }, D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" }, F: { dateStyle: "full", timeStyle: "short" },
};

function stamp(seconds, shape) {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return `<t:${seconds}:${shape}>`;
  const text = shape === "R" ? relative(seconds - Date.now() / 1000) : new Intl.DateTimeFormat(undefined, shapes[shape]).format(date);
  return el("time", { className: "stamp", dateTime: date.toISOString(), title: date.toLocaleString() }, text);
}

const units = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

// relative returns how far a time is off, in words.
export function relative(seconds) {
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? units.at(-1);
  return new Intl.RelativeTimeFormat(undefined, { numeric: "auto" }).format(Math.round(seconds / size), unit);
}
