// The page: the user's choices are in the URL, the responses of the service on the screen.
import { posName, slotName, valueName } from "./names.js";
import { Walk } from "./walk.js";

const $ = (id) => document.getElementById(id);
const SAMPLES = {
  arabic: "يوم", bangla: "করা", czech: "žena", dutch: "huis", english: "go", finnish: "nainen",
  french: "aller", georgian: "სახლი", german: "gut", "german-nouns": "Haus", greek: "κάνω",
  hindi: "जाना", hungarian: "kártya", indonesian: "tulis", italian: "andare", persian: "نوشتن",
  polish: "człowiek", portuguese: "ser", romanian: "om", russian: "дом", spanish: "ser",
  swedish: "hus", turkish: "ev", ukrainian: "дім",
};
const WAIT = 150; // milliseconds without a key press before a word is looked up

const walk = new Walk();
let models = [];
let paradigm = null; // the response for the current word; null if the model has no cells
let awaited = true; // whether that response is still pending
let wanted = {}; // slot -> value of the form shown last, also requested for a new word
let state = { model: "", lemma: "", pos: "", fixed: {}, features: null };

const model = () => models.find((entry) => entry.name === state.model);

// The URL uses the parameter names of the API.

function readUrl() {
  const query = new URLSearchParams(location.search);
  const known = models.some((entry) => entry.name === query.get("model"));
  const name = known ? query.get("model") : models[0].name;
  state = {
    model: name,
    lemma: query.get("lemma") ?? SAMPLES[name] ?? "",
    pos: query.get("pos") ?? "",
    fixed: Object.fromEntries(query.getAll("feature").map(named)),
    features: query.get("features"),
  };
}

function named(text) {
  const [name, ...value] = text.split("=");
  return [name, value.join("=")];
}

function wordQuery() {
  const query = new URLSearchParams({ model: state.model, lemma: state.lemma });
  if (state.pos) query.set("pos", state.pos);
  for (const [slot, value] of Object.entries(state.fixed)) query.append("feature", `${slot}=${value}`);
  return query;
}

function writeUrl() {
  const query = wordQuery();
  if (state.features !== null) query.set("features", state.features);
  history.replaceState(null, "", `?${query}`);
}

// Requests to the service. Only the response to the latest one counts.

let asked = new AbortController();

function newQuestion() {
  asked.abort();
  asked = new AbortController();
  return asked.signal;
}

async function ask(path, signal, body) {
  const options = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(path, { ...options, signal });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error.message);
  return answer;
}

function say(text, isError = false) {
  $("message").textContent = text;
  $("message").className = isError ? "error" : "";
  $("message").hidden = !text;
}

async function attempt(work) {
  try {
    await work(newQuestion());
  } catch (error) {
    if (error.name === "AbortError") return;
    clear();
    say(error instanceof TypeError ? "The service does not respond." : error.message, true);
  }
}

function clear() {
  for (const id of ["answer", "walk", "paradigm"]) $(id).hidden = true;
}

// A word: first its paradigm and the menus, then its form.

const showWord = () => attempt(async (signal) => {
  awaited = true;
  writeUrl();
  if (!state.lemma.trim()) {
    clear();
    $("word").hidden = $("wanted").hidden = true;
    return say("Type a word to see its forms.");
  }
  const cellsKnown = model().parts_of_speech.length > 0;
  paradigm = cellsKnown ? await ask(`v1/paradigm?${wordQuery()}`, signal) : null;
  awaited = false;
  if (paradigm) {
    const exact = paradigm.cells.find((cell) => cell.features === state.features);
    select(exact ?? nearest(paradigm.cells, wanted));
    drawWord();
    drawParadigm();
  } else {
    state.features ??= "";
    $("word").hidden = $("paradigm").hidden = true;
  }
  drawWanted();
  await showForm(signal);
});

async function showForm(signal) {
  writeUrl();
  const answer = await ask("v1/inflect", signal, {
    model: state.model,
    words: [{ lemma: state.lemma, features: state.features }],
    n_best: 3,
    explain: true,
    unknown_features: "ignore",
  });
  const [prediction] = answer.predictions;
  say(prediction.warnings.join(" "));
  drawForm(prediction, answer.members);
  walk.show(prediction);
}

// A change of the form must not cancel a pending request for the word.
const changeForm = () => awaited ? showWord() : attempt(async (signal) => {
  if (paradigm) drawChosen();
  drawWanted();
  await showForm(signal);
});

function select(cell) {
  state.features = cell.features;
  wanted = { ...wanted, ...cell.values };
}

// The first of the cells that agree with most of the wishes.
function nearest(cells, wishes) {
  const agreement = (cell) =>
    Object.entries(wishes).filter(([slot, value]) => (cell.values[slot] ?? "") === value).length;
  return cells.reduce((best, cell) => (agreement(cell) > agreement(best) ? cell : best));
}

// Menus

function menu(slot, options, chosen, onchange) {
  const field = document.createElement("div");
  const label = document.createElement("label");
  const box = document.createElement("select");
  field.className = "field";
  box.id = `menu-${slot.replace(/\W+/g, "-")}`;
  box.dataset.slot = slot;
  label.htmlFor = box.id;
  label.textContent = slotName(slot);
  box.append(...options.map(([value, text]) => new Option(text, value, false, value === chosen)));
  box.addEventListener("change", () => onchange(box.value));
  field.append(label, box);
  return field;
}

// Menus are redrawn when one changes; the focus should stay on the same menu.
function drawMenus(id, fields) {
  const slot = document.activeElement?.dataset?.slot;
  const within = $(id).contains(document.activeElement);
  $(id).querySelector(".menus").replaceChildren(...fields);
  $(id).hidden = fields.length === 0;
  if (within) [...$(id).querySelectorAll("select")].find((box) => box.dataset.slot === slot)?.focus();
}

function drawWord() {
  const { parts_of_speech: parts, lexical } = model();
  const fields = [];
  if (parts.length > 1) {
    const options = parts.map((pos) => [pos, posName(pos)]);
    const guess = ["", `guess: ${posName(paradigm.pos)}`];
    fields.push(menu("part of speech", state.pos ? [["", "guess"], ...options] : [guess, ...options],
      state.pos, (pos) => {
        state = { ...state, pos, fixed: {}, features: null };
        showWord();
      }));
  }
  for (const [slot, values] of Object.entries(lexical[paradigm.pos])) {
    const options = values.map((value) => [value, valueName(value)]);
    const fixed = state.fixed[slot] ?? "";
    const guess = fixed ? "guess" : `guess: ${valueName(paradigm.values[slot])}`;
    fields.push(menu(slot, [["", guess], ...options], fixed, (value) => {
      const { [slot]: _, ...others } = state.fixed;
      state = { ...state, fixed: value ? { ...others, [slot]: value } : others, features: null };
      showWord();
    }));
  }
  drawMenus("word", fields);
}

function drawWanted() {
  drawMenus("wanted", paradigm ? cellMenus() : slotMenus());
}

// A menu for each slot in which cells differ. If no cell has the chosen combination, the other
// menus follow, so that the bundle shown always occurs in the training data.
function cellMenus() {
  const { cells, table } = paradigm;
  const here = cells.find((cell) => cell.features === state.features);
  const slots = [...table.slots, ...(table.column_slot ? [table.column_slot] : [])];
  const order = (slot) => (slot === table.column_slot ? table.columns
    : [...new Set(table.rows.map((row) => row.values[table.slots.indexOf(slot)]))]);
  return slots.map((slot) =>
    menu(slot, order(slot).map((value) => [value, valueName(value)]), here.values[slot] ?? "",
      (value) => {
        const able = cells.filter((cell) => (cell.values[slot] ?? "") === value);
        select(nearest(able, here.values));
        changeForm();
      }));
}

// For a model without cells: any value of any slot.
function slotMenus() {
  const { slots, notation } = model();
  const separator = notation === "key-value" ? "," : ";";
  const tag = (slot, value) => (notation === "key-value" ? `${slot}=${value}` : value);
  const chosen = new Set(state.features.split(separator));
  const values = Object.fromEntries(slots.map(({ name, values }) =>
    [name, values.find((value) => chosen.has(tag(name, value))) ?? ""]));
  return slots.map(({ name, values: options }) =>
    menu(name, ["", ...options].map((value) => [value, valueName(value)]), values[name], (value) => {
      values[name] = value;
      const filled = Object.entries(values).filter(([, known]) => known);
      state.features = filled.map(([slot, known]) => tag(slot, known)).join(separator);
      changeForm();
    }));
}

// Answers

const percent = (probability) =>
  probability > 0.995 ? "over 99 %" : `${Math.round(100 * probability)} %`;

function isolated(text) {
  const element = document.createElement("bdi");
  element.textContent = text;
  return element;
}

function drawForm(prediction, members) {
  $("answer").hidden = false;
  $("form").textContent = prediction.form || "(nothing)";
  $("probability").value = prediction.probability;
  const votes = members > 1 ? `, ${prediction.votes} of ${members} networks agree` : "";
  $("confidence").textContent = `${percent(prediction.probability)} probability${votes}`;
  $("known").hidden = prediction.attested === null;
  $("known").textContent = prediction.attested ? "seen in training" : "a guess";
  $("known").className = prediction.attested ? "badge attested" : "badge";
  const others = prediction.alternatives.filter((other) => other.probability >= 0.005);
  $("others").hidden = others.length === 0;
  $("others").replaceChildren("or ", ...others.flatMap((other, place) =>
    [place ? ", " : "", isolated(other.form), ` (${percent(other.probability)})`]));
  document.title = `${prediction.form} – stepwrite`;
}

function drawParadigm() {
  const { table, cells, lemma, values, guessed, pos } = paradigm;
  $("paradigm").hidden = false;
  const said = [["part of speech", posName(pos)],
    ...Object.entries(values).map(([slot, value]) => [slot, valueName(value)])]
    .filter(([, name]) => name)
    .map(([slot, name]) => name + (guessed.includes(slot) ? " (guessed)" : ""));
  $("paradigm-note").replaceChildren(isolated(lemma), said.length ? `: ${said.join(", ")}` : "");
  // A column for each of many slots would push the forms off the screen.
  const joined = (names) => (names.length > 2
    ? [names.filter((name) => name !== "–").join(" · ") || "–"] : names);
  const head = element("tr", [...joined(table.slots.map(slotName)).map((name) => heading(name)),
    ...table.columns.map((value) => heading(table.column_slot ? valueName(value) : "form"))]);
  const rows = table.rows.map((row) => element("tr", [
    ...joined(row.values.map(valueName)).map((name) => heading(name, "row")),
    ...row.cells.map((place) => element("td", place === null ? [] : [cellButton(cells[place])])),
  ]));
  $("table").replaceChildren(element("thead", [head]), element("tbody", rows));
  drawChosen();
}

function element(name, children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

function heading(text, scope = "col") {
  const made = element("th", [text]);
  made.scope = scope;
  return made;
}

function cellButton(cell) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.features = cell.features;
  button.className = cell.probability < 0.5 ? "unsure" : "";
  const sure = document.createElement("small");
  sure.textContent = cell.attested ? "seen" : percent(cell.probability).replace("over ", "");
  button.append(isolated(cell.form || "–"), sure);
  button.title = `${cell.features}: ${percent(cell.probability)} probability`;
  button.addEventListener("click", () => {
    select(cell);
    changeForm();
  });
  return button;
}

function drawChosen() {
  for (const button of $("table").querySelectorAll("button")) {
    button.setAttribute("aria-pressed", button.dataset.features === state.features);
  }
}

function drawModel() {
  const { title, accuracy, source, licence } = model();
  const known = [accuracy && `${(100 * accuracy).toFixed(1)} % accuracy on its test set`,
    source && `from ${source}`, licence].filter(Boolean);
  $("about").textContent = known.length ? `${title}: ${known.join(", ")}.` : "";
}

// Start

function restore() {
  readUrl();
  $("model").value = state.model;
  $("lemma").value = state.lemma;
  drawModel();
  showWord();
}

let typing;
$("lemma").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    state = { ...state, lemma: $("lemma").value.trim(), fixed: {}, features: paradigm ? null : state.features };
    showWord();
  }, WAIT);
});
$("model").addEventListener("change", () => {
  const name = $("model").value;
  const untouched = !state.lemma || state.lemma === SAMPLES[state.model];
  const lemma = untouched ? SAMPLES[name] ?? "" : state.lemma;
  state = { model: name, lemma, pos: "", fixed: {}, features: null };
  wanted = {};
  $("lemma").value = lemma;
  drawModel();
  showWord();
});
$("ask").addEventListener("submit", (event) => event.preventDefault());
$("share").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    $("share").textContent = "Copied";
  } catch {
    $("share").textContent = "Copy it from the address bar";
  }
  setTimeout(() => ($("share").textContent = "Copy link"), 1500);
});
window.addEventListener("popstate", restore);

attempt(async (signal) => {
  ({ models } = await ask("v1/models", signal));
  $("model").append(...models.map(({ name, title }) => new Option(title, name)));
  restore();
});
