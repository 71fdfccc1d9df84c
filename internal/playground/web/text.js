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

// unmarked returns a message on one line, without Markdown.
export function unmarked(text) {
  return text.replace(/```\w*\n?|`|\*\*|\|\||~~|^(?:> |>>> |-# |#{1,3} )/gm, "").replace(/\s+/g, " ").trim();
}
