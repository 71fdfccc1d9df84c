// Channels, threads, posts and people: what there is, and what one can add.
import { ask, fault } from "./server.js";
import { $, channel, gist, inChannel, sign, state, title, visible, writers } from "./state.js";
import { check, field, openForm } from "./menu.js";
import { lock } from "./svg.js";
import { apart, counted, el, face } from "./text.js";

let enter, refresh; // given by openPlaces
let shown = ""; // the channel that was brought into view

// openPlaces prepares the list of channels. leads enters a channel; renews gets anew what
// there is.
export function openPlaces(leads, renews) {
  enter = leads;
  refresh = renews;
  $("new-channel").addEventListener("click", addChannel);
}

// drawChannels lists the channels that the person who writes sees, threads below theirs.
export function drawChannels() {
  const all = visible();
  const below = (c) => all.filter((t) => t.parent === c.id && (c.kind !== "forum" || t.id === state.channel));
  const roots = all.filter((c) => c.parent === "0" || !all.some((p) => p.id === c.parent));
  const held = document.activeElement?.closest?.("#channels li")?.dataset.id;
  $("channels").replaceChildren(...roots.flatMap((c) => [item(c), ...below(c).map(item)]));
  if (held) [...$("channels").children].find((li) => li.dataset.id === held)?.firstChild.focus({ preventScroll: true });
  if (shown === state.channel) return;
  shown = state.channel; // on a phone the list is wider than the screen
  $("channels").querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

const item = (c) => el("li", { className: c.parent !== "0" ? "below" : "", "data-id": c.id }, el("button", {
  type: "button", "aria-current": String(c.id === state.channel), className: state.unread.has(c.id) ? "new" : "", title: c.name.length > 12 ? c.name : "", onclick: () => enter(c),
}, el("span", { className: "sign", "aria-hidden": "true" }, sign(c)), " ", el("span", { className: "name", dir: "auto" }, c.name), c.private && el("span", { className: "lock", title: "private" }, lock(), el("span", { className: "unseen" }, ", private")), state.unread.has(c.id) && el("span", { className: "unseen" }, ", new messages")));

// drawAbout heads the channel: where one is, and in a forum its posts.
export function drawAbout(more) {
  const c = channel();
  $("channel").textContent = title(c);
  const parent = c.parent !== "0" && channel(c.parent);
  $("topic").replaceChildren(...[parent && el("button", { type: "button", className: "up", onclick: () => enter(parent) }, `in ${title(parent)}`), more, c.topic].filter(Boolean));
  $("posts").hidden = c.kind !== "forum";
  if (c.kind === "forum") drawPosts(c);
}

function drawPosts(c) {
  const posts = state.world.channels.filter((t) => t.parent === c.id);
  $("posts").replaceChildren(el("button", { type: "button", className: "send", onclick: () => addPost(c) }, "New post"),
    posts.length ? "" : el("p", { className: "day" }, "There are no posts yet."),
    el("ul", {}, ...posts.map((t) => {
      const said = inChannel(t.id);
      return el("li", {}, el("button", { type: "button", onclick: () => enter(t) }, el("b", {}, t.name),
        el("span", {}, ...(said.length ? [apart(said[0].name), ": ", apart(gist(said[0]).slice(0, 120))] : ["empty"])),
        el("small", {}, counted(said.length, "message"))));
    })));
}

async function addPost(c) {
  const given = await openForm(`New post in ${c.name}`, "Post", field("Title", { name: "name", required: true, maxLength: 100 }),
    el("label", { className: "field" }, el("span", {}, "Message"), el("textarea", { name: "content", required: true, maxLength: 2000, rows: 4 })));
  if (given) await make("/api/threads", { channel: c.id, author: state.author, message: "0", name: given.get("name"), content: given.get("content") });
}

// addThread starts a thread from a message.
export async function addThread(m) {
  const given = await openForm("Start a thread", "Start", field("Name", { name: "name", required: true, maxLength: 100, value: m.content.slice(0, 40) }));
  if (given) await make("/api/threads", { channel: m.channel, author: state.author, message: m.id, name: given.get("name"), content: "" });
}

async function addChannel() {
  const { people } = state.world;
  const given = await openForm("New channel", "Create", field("Name", { name: "name", required: true, maxLength: 100, pattern: ".*\\S.*" }),
    check("A forum, in which every post is a thread", { name: "forum" }),
    check("Private: only those below see it", { name: "private" }),
    el("fieldset", {}, el("legend", {}, "Who sees it"), check("heddle", { name: "heddle", checked: true }),
      ...people.map((p) => check(p.name, { name: "people", value: p.id, checked: p.id === state.author }))),
    el("p", { className: "note" }, `${people[0].name} owns this server and sees every channel.`));
  if (!given) return;
  await make("/api/channels", {
    name: given.get("name"), forum: given.has("forum"), private: given.has("private"), heddle: given.has("heddle"),
    people: given.getAll("people"),
  });
}

// make has the server make a channel or a thread, and leads there.
async function make(path, what) {
  try {
    const made = await ask(path, what);
    await refresh();
    enter(channel(made.id));
  } catch (error) {
    fault(error.message);
  }
}

const most = 8; // people who stand beside the line that one writes in

// drawPeople shows as whom one can write.
export function drawPeople(as) {
  const people = writers();
  const shown = people.filter((p, i) => i < most || p.id === state.author);
  const held = document.activeElement?.name === "author";
  const mine = people.find((p) => p.id === state.author);
  face($("fold"), mine.name).setAttribute("aria-label", `Writing as ${mine.name}: people and ideas`);
  $("people").replaceChildren(...[$("people").firstElementChild, ...shown.map((p, i) => el("label", { title: `Alt+${i + 1}` },
    el("input", { type: "radio", name: "author", value: p.id, checked: p.id === state.author, onchange: () => as(p.id) }), el("span", {}, p.name))),
  people.length > shown.length && el("button", { type: "button", className: "everybody", onclick: () => choosePerson(people, as) }, `All ${people.length}…`),
  el("button", { type: "button", className: "everybody", onclick: () => addPerson(as) }, "New…")].filter(Boolean));
  if (held) $("people").querySelector("input:checked")?.focus({ preventScroll: true });
}

// choosePerson lets one write as anybody who wrote in a channel.
async function choosePerson(people, as) {
  const given = await openForm("Write as", "Write", el("label", { className: "field" }, el("span", {}, "Who"),
    el("select", { name: "who" }, ...people.map((p) => el("option", { value: p.id, selected: p.id === state.author }, p.name)))));
  if (given) as(given.get("who"));
}

// addPerson adds somebody, as whom one writes from then on.
async function addPerson(as) {
  const given = await openForm("New person", "Add", field("Name", { name: "person", required: true, maxLength: 32 }));
  if (!given) return;
  try {
    const added = await ask("/api/people", { name: given.get("person") });
    await refresh();
    as(added.id);
  } catch (error) {
    fault(error.message);
  }
}
