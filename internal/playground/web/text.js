// Messages as people see them. Everything is built from nodes, never from markup, so
// that what somebody wrote cannot become part of the page.

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

// unmarked returns a message on one line, without Markdown.
export function unmarked(text) {
  return text.replace(/```\w*\n?|`|\*\*|^(?:> |-# )/gm, "").replace(/\s+/g, " ").trim();
}

// body renders the part of Discord's Markdown that answers use.
export function body(text, name) {
  const div = el("div", { className: "body" });
  const fences = text.split(/```(\w*)\n?([\s\S]*?)(?:```|$)/);
  for (let i = 0; i < fences.length; i += 3) {
    if (fences[i]) div.append(...lines(fences[i], name));
    if (i + 2 < fences.length) div.append(el("pre", {}, el("code", {}, fences[i + 2])));
  }
  return div;
}

function lines(text, name) {
  const nodes = [];
  let quote = null;
  text.split("\n").forEach((line, i, all) => {
    if (line.startsWith("> ")) {
      if (!quote) nodes.push(quote = el("blockquote", {}));
      else quote.append("\n");
      quote.append(...spans(line.slice(2), name));
      return;
    }
    const follows = quote !== null;
    quote = null;
    if (line.startsWith("-# ")) nodes.push(el("small", {}, ...spans(line.slice(3), name)));
    else nodes.push(...spans(line, name));
    if (i < all.length - 1 && !(follows && line === "") && !all[i + 1].startsWith("> ")) nodes.push("\n");
  });
  return nodes;
}

function spans(line, name) {
  return line.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*|<@!?\d+>)/).map((piece) => {
    const mention = /^<@!?(\d+)>$/.exec(piece);
    if (mention) return el("span", { className: "at" }, `@${name(mention[1])}`);
    if (/^`.+`$/.test(piece)) return el("code", {}, piece.slice(1, -1));
    if (/^\*\*.+\*\*$/.test(piece)) return el("strong", {}, piece.slice(2, -2));
    if (/^\*.+\*$/.test(piece)) return el("em", {}, piece.slice(1, -1));
    return piece;
  }).filter(Boolean);
}
