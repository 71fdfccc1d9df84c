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

// clock returns the time of day.
export const clock = (date) => date.toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" });

// belonging returns a sentence's beginning: how many of the messages read belong somewhere.
export const belonging = (n, read, which = "") => [el("b", {}, `${n} of ${read.toLocaleString("en")}`), ` message${read === 1 ? "" : "s"}${which} ${n === 1 ? "belongs" : "belong"}`];

// counted returns a number with what it is of: 1 message, 2 messages.
export const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;

// chance returns how likely a message belongs to a conversation; "" if that is certain or
// not known.
export const chance = ({ probability }) => (probability > 0 && probability < 1 ? `${Math.round(probability * 100)} %` : "");
