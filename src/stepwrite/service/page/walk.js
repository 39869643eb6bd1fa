// The attention moving over a word: one frame per action, to play, scrub or step through.
const PAUSE = 420; // milliseconds per frame

const $ = (id) => document.getElementById(id);

// How a symbol is shown: something visible for spaces and for combining marks.
export function visible(symbol) {
  if (/^\p{M}/u.test(symbol)) return "◌" + symbol;
  return /^\s$/u.test(symbol) ? "␣" : symbol;
}

export class Walk {
  constructor() {
    this.frame = 0;
    this.steps = [];
    $("back").addEventListener("click", () => this.go(this.frame - 1));
    $("on").addEventListener("click", () => this.go(this.frame + 1));
    $("play").addEventListener("click", () => this.toggle());
    $("scrub").addEventListener("input", (event) => this.go(Number(event.target.value)));
    $("stage").addEventListener("keydown", (event) => this.key(event));
  }

  // Show the last frame of a prediction; nothing moves until the user plays it.
  show(prediction) {
    this.stop();
    const { symbols, direction, steps } = prediction.explanation;
    this.steps = steps;
    this.backward = direction === "backward";
    $("walk").hidden = steps.length === 0;
    if (steps.length === 0) return;
    const soft = steps[0].attention !== null;
    this.separator = "";
    if (this.written(steps) !== prediction.form) this.separator = " ";
    $("stage").className = soft ? "soft" : "hard";
    $("stage").classList.toggle("long", symbols.length > 20);
    this.prediction = prediction;
    $("tiles").replaceChildren(...symbols.map((symbol, place) => tile(symbol, place, symbols.length)));
    $("scrub").max = steps.length - 1;
    this.draw(steps.length - 1);
  }

  get rightToLeft() {
    return getComputedStyle($("tiles")).direction === "rtl";
  }

  go(frame) {
    this.stop();
    this.draw(Math.max(0, Math.min(frame, this.steps.length - 1)));
  }

  draw(frame) {
    this.frame = frame;
    const done = this.steps.slice(0, frame + 1);
    const { action, position, attended, symbol, attention } = this.steps[frame];
    [...$("tiles").children].forEach((item, place) => {
      if (place === position) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
      item.firstChild.style.setProperty("--heat", attention ? attention[place] : 0);
      item.lastChild.textContent = this.written(done.filter((step) => step.position === place));
    });
    const text = this.written(done);
    const where = attended ? visible(attended) : position === 0 ? "the start" : "the end";
    $("action").replaceChildren(...told(action, symbol, where));
    const last = symbol === null ? "" : symbol;
    const marked = document.createElement("span");
    marked.className = "last";
    marked.textContent = last;
    const rest = this.backward ? text.slice(last.length) : text.slice(0, text.length - last.length);
    $("written").replaceChildren(...(this.backward ? [marked, rest] : [rest, marked]));
    $("scrub").value = frame;
    $("scrub").setAttribute("aria-valuetext", `${$("action").textContent} Written: ${text}`);
    $("count").textContent = `${frame + 1} / ${this.steps.length}`;
    $("back").disabled = frame === 0;
    $("on").disabled = frame === this.steps.length - 1;
  }

  written(steps) {
    const symbols = steps.map((step) => step.symbol).filter((symbol) => symbol !== null);
    return (this.backward ? symbols.reverse() : symbols).join(this.separator);
  }

  toggle() {
    if (this.timer) return this.stop();
    if (this.frame === this.steps.length - 1) this.draw(0);
    this.timer = setInterval(() => {
      this.draw(this.frame + 1);
      if (this.frame === this.steps.length - 1) this.stop();
    }, PAUSE);
    this.playing(true);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.playing(false);
  }

  playing(yes) {
    $("play").classList.toggle("playing", yes);
    $("play").setAttribute("aria-label", yes ? "Pause" : "Play");
  }

  key(event) {
    const onwards = this.rightToLeft ? "ArrowLeft" : "ArrowRight";
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      this.go(this.frame + (event.key === onwards ? 1 : -1));
    } else if (event.key === "Home") this.go(0);
    else if (event.key === "End") this.go(this.steps.length - 1);
    else if (event.key === " ") this.toggle();
    else return;
    event.preventDefault();
  }
}

function tile(symbol, place, size) {
  const item = document.createElement("li");
  const face = document.createElement("span");
  const output = document.createElement("span");
  const edge = place === 0 || place === size - 1;
  face.className = "tile";
  face.textContent = edge ? "·" : visible(symbol);
  if (edge) {
    item.className = "edge";
    face.setAttribute("aria-label", place === 0 ? "start" : "end");
    face.setAttribute("role", "img");
  }
  output.className = "output";
  item.append(face, output);
  return item;
}

// A sentence about an action; parts in the script of the word are bidi-isolated.
function told(action, symbol, where) {
  const word = (text) => {
    const isolated = document.createElement("bdi");
    isolated.textContent = text;
    return isolated;
  };
  if (symbol !== null) return ["At ", word(where), `: ${action} `, word(visible(symbol)), "."];
  const said = { step: "step to the next symbol", delete: "leave it out", end: "the form is complete" }[action] ?? action;
  return ["At ", word(where), `: ${said}.`];
}
