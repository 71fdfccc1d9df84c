// Nodes of the page. Everything is built from nodes, never from markup, so that what
// somebody wrote cannot become part of the page.

// el returns an element with properties, attributes and children, without those that
// are false or empty.
export function el(tag, properties, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key in node) node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child || child === 0));
  return node;
}

// apart returns a text that what stands around it is not mixed with, whichever way it is
// written.
export const apart = (text) => el("bdi", {}, text);

// Formats are made once, as each takes longer than all else that a message needs.
const formats = [{ hour: "numeric", minute: "2-digit" }, { dateStyle: "full" }, { dateStyle: "medium", timeStyle: "short" }, { weekday: "short", day: "numeric", month: "short", year: "numeric" }].map((form) => new Intl.DateTimeFormat(undefined, form));

// clock, day, moment and date return the time of day, the day at length, both in short, and the
// day in short.
export const [clock, day, moment, date] = formats.map((format) => (time) => format.format(time));

// counted returns a number with what it is of: 1 message, 2 messages.
export const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;

// chance returns how likely a message belongs to a conversation, in percent for those who want
// to know; nothing if that is not known.
export const chance = ({ probability }) => probability > 0 && el("small", { className: "chance" }, ` ${Math.round(probability * 100)}%`);

// face shows somebody as a letter on a colour, both drawn from the name.
export function face(node, name) {
  let hue = 0;
  for (const letter of name) hue = (hue * 31 + letter.codePointAt(0)) % 360;
  node.dataset.letter = [...name.trim()][0]?.toUpperCase() ?? "";
  node.style.setProperty("--hue", hue);
  return node;
}
