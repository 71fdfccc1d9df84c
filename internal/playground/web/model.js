// The model that answers, and how a real one takes the demo's place.
import { $ } from "./state.js";
import { ask, fault } from "./server.js";
import { openForm } from "./menu.js";
import { el } from "./text.js";

// drawModel says what answers.
export async function drawModel(world) {
  if (!world.offline) return $("model").replaceChildren("answers by ", el("b", {}, world.model));
  if ($("model").querySelector("button")) return;
  const button = el("button", { type: "button", onclick: () => connect().catch((error) => fault(error.message)) }, el("span", { className: "more" }, "Connect a real model"), el("span", { className: "less" }, "Demo"));
  $("model").replaceChildren(el("span", { className: "more" }, el("b", {}, "A demo answers here. ")), button);
  const { model } = await ask("/api/model");
  if (model) button.firstChild.textContent = `Ollama is here: use ${model}`;
}

const set = "OPENAI_API_KEY=…\nOPENAI_BASE_URL=…\nLLM_MODEL=…";

async function connect() {
  const { model } = await ask("/api/model");
  const given = await openForm("Connect a real model", model ? `Use ${model}` : "Look again",
    el("p", {}, "A demo answers here: it shows what a model would read, and thinks nothing of its own."),
    el("p", {}, ...(model ? ["Ollama runs on this machine with ", el("b", {}, model), ". It needs no key, and nothing leaves this machine."]
      : ["An Ollama on this machine is found by itself once it runs: get it from ollama.com, then ", el("code", {}, "ollama pull llama3.2"), "."])),
    el("p", {}, "For any other API that speaks OpenAI's chat completions, set these, or write them into a file .env, and start heddle again:"),
    el("pre", {}, set));
  if (given && model) await ask("/api/model", {});
  else if (given) await connect();
}
