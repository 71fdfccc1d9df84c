// What the page knows, and what follows from it. The other modules draw it and change it.
import { unmarked } from "./markdown.js";

export const state = {
  world: null, messages: new Map(), channel: "", author: "", explained: "", context: null, unread: new Set(),
  last: new Set(), // what a bot would read that takes the last 30 messages, instead of the context
  view: "heddle", // or "last": which of the two is marked
  settled: new Set(), // the answers that no longer grow
  overviews: new Map(), // of channels from exports, by channel; null while one is asked for
};

export const $ = (id) => document.getElementById(id);

const find = (all, id) => all?.find((one) => one.id === id);

// name returns what somebody is called.
export function name(id) {
  const { world } = state;
  return id === world.bot.id ? world.bot.name : find(world.people, id)?.name ?? world.guests?.[id] ?? "someone";
}

// names names what mentions are of.
export const names = {
  person: name,
  role: () => "a role",
  channel: (id) => find(state.world.channels, id)?.name ?? "a channel",
};

// plain writes mentions as names.
export const plain = (text) => text.replace(/<@!?(\d+)>/g, (_, id) => `@${name(id)}`)
  .replace(/<@&(\d+)>/g, (_, id) => `@${names.role(id)}`).replace(/<#(\d+)>/g, (_, id) => `#${names.channel(id)}`);

// gist returns a message on one line: its words or, without any, what else it shows.
export function gist(m) {
  return unmarked(m.content || m.added || m.files?.[0]?.name || "a message without words", names);
}

// writers returns as whom one can write in the channel: those of an export, or of this world,
// and who writes.
export function writers() {
  const own = state.overviews.get(state.channel)?.people ?? state.world.people;
  return find(own, state.author) ? own : [{ id: state.author, name: name(state.author) }, ...own];
}

// visible returns the channels that the person who writes can see.
export const visible = () => state.world.channels.filter((c) => c.only === "0" ? !c.readers || c.readers.includes(state.author) : c.only === state.author);
export const channel = (id = state.channel) => find(state.world?.channels, id);

const signs = { forum: "▤", thread: "↳", post: "↳" };
export const sign = (c) => c.only !== "0" ? "@" : signs[c.kind] ?? (c.parent !== "0" ? "↳" : "#");
export const title = (c) => `${sign(c)} ${c.name}`;

// older reports whether an id is older than another. Ids do not fit into numbers.
export const older = (a, b) => a.length < b.length || a.length === b.length && a < b;

// inChannel returns the messages that the person who writes sees in a channel.
export function inChannel(id = state.channel) {
  const all = [];
  for (const m of state.messages.values()) {
    if (m.channel === id && !m.hidden && (m.only === "0" || m.only === state.author)) all.push(m);
  }
  return all.sort((a, b) => (older(a.id, b.id) ? -1 : 1));
}

// first returns the first part of an answer. Each further part replies to the one before.
export function first(message) {
  const before = state.messages.get(message.replyTo);
  return before?.author === state.world.bot.id ? first(before) : message;
}

export const byBot = (m) => m.author === state.world.bot.id;
export const isAnswer = (m) => byBot(m) && m.replyTo !== "0";
