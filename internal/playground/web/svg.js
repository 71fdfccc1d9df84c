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

// drawSticker returns one of the server's stickers.
export function drawSticker(name) {
  const shapes = {
    spool: ["M14 10h20v5H14zM14 33h20v5H14z", "M17 15h14v18H17z", "M17 20l14-3M17 25l14-3M17 30l14-3"],
    knot: ["M8 30c6-20 14-20 16-6s10 14 16-6", "M8 18c6 20 14 20 16 6s10-14 16 6"],
    bravo: ["M24 6l5 12 13 1-10 8 3 13-11-7-11 7 3-13-10-8 13-1z"],
  };
  const own = Object.hasOwn(shapes, name); // and not one that came with an export
  const svg = draw("svg", { viewBox: "0 0 48 48", class: `sticker-${own ? name : "other"}`, role: "img", "aria-label": `Sticker: ${name}` });
  for (const d of own ? shapes[name] : ["M8 12a4 4 0 0 1 4-4h24a4 4 0 0 1 4 4v16L28 40H12a4 4 0 0 1-4-4zM28 40v-8a4 4 0 0 1 4-4h8"]) svg.append(draw("path", { d }));
  return svg;
}
