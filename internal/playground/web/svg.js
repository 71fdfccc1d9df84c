// Inline SVG.
const space = "http://www.w3.org/2000/svg";

// draw returns an SVG element.
export function draw(tag, attributes) {
  const node = document.createElementNS(space, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

// thumb returns a thumb that points up.
export function thumb() {
  const svg = draw("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
  svg.append(draw("path", { d: "M3 11h4v9H3z" }), draw("path", { d: "M7 12l4-8c1.8 0 2.7 1.3 2.4 3L12.9 10H19a2 2 0 0 1 2 2.3l-1 6a2 2 0 0 1-2 1.7H7" }));
  return svg;
}

// clip returns a paper clip, that of the button beside the line that one writes in.
export function clip() {
  const svg = draw("svg", { viewBox: "0 0 24 24", class: "clip", "aria-hidden": "true" });
  svg.append(draw("use", { href: "#clip" }));
  return svg;
}

// lock returns a padlock.
export function lock() {
  const svg = draw("svg", { viewBox: "0 0 24 24", class: "clip", "aria-hidden": "true" });
  svg.append(draw("path", { d: "M6 11h12v9H6zM8.500 11V7.500a3.500 3.500 0 0 1 7 0V11" }));
  return svg;
}
