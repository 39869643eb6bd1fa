// The page: what the user asks for is in the URL, the answers of the service are on the screen.
import { closeForm, drawForm, shownFeatures } from "./form.js";
import { drawMenus, menu } from "./menus.js";
import { drawExamples, drawHits, languagesNamed, SAMPLES, withLanguage } from "./search.js";
import { ask, newQuestion } from "./service.js";
import { capital, drawReadings, markChosen, readingsOf, whereIs } from "./table.js";

const $ = (id) => document.getElementById(id);
const WAIT = 150; // milliseconds without a key press before a word is looked up
const WIDE = matchMedia("(min-width: 62rem)"); // where a form has room beside the tables

let models = [];
let names = {}; // of tags, in English
let paradigm = null; // of the current word; null if the model has no cells
let state = { model: "", lemma: "", pos: "", fixed: {}, features: null };

const model = () => models.find((entry) => entry.name === state.model);
const nameOf = (tag) => names[tag] || tag || "–";

// The URL uses the parameter names of the API.

function readUrl() {
  const query = new URLSearchParams(location.search);
  const known = models.some((entry) => entry.name === query.get("model"));
  state = {
    model: known ? query.get("model") : ownLanguage(),
    lemma: query.get("lemma") ?? "",
    pos: query.get("pos") ?? "",
    fixed: Object.fromEntries(query.getAll("feature").map(named)),
    features: query.get("features"),
  };
}

// The language of the browser, if it is served.
function ownLanguage() {
  const wanted = new Intl.DisplayNames("en", { type: "language" }).of(navigator.language.split("-")[0]);
  return (models.find(({ title }) => title === wanted) ?? models[0]).name;
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
  history.replaceState(null, "", state.lemma ? `?${query}` : location.pathname);
}

// What is said above the tables.

function say(text, isError = false) {
  $("message").textContent = text;
  $("message").className = isError ? "error" : "";
  $("message").hidden = !text;
}

// What went wrong, to a person.
function explained(error) {
  const { title } = model() ?? { title: "This language" };
  if (error instanceof TypeError) return "The service does not respond. Try again in a moment.";
  switch (error.code) {
    case "unknown_script": {
      const script = error.message.match(/ is in (\w+) script/)?.[1] ?? "other";
      return `“${state.lemma}” is written in ${script} letters, and ${title} is not.`;
    }
    case "busy": case "timeout": return "The service is busy. Try again in a moment.";
    case "word_too_long": return "This is too long for a word.";
    default: return capital(error.message);
  }
}

async function attempt(work) {
  try {
    await work(newQuestion());
  } catch (error) {
    if (error.name === "AbortError") return;
    clear();
    say(explained(error), true);
  }
}

function clear() {
  for (const id of ["legend", "words", "word", "wanted"]) $(id).hidden = true;
  hideForm();
}

function hideForm() {
  closeForm();
  document.body.classList.remove("sheet");
  markChosen($("readings"), null);
}

// A word: its paradigm first, then the form that was chosen.

const showWord = () => attempt(async (signal) => {
  writeUrl();
  say("");
  $("examples").hidden = Boolean(state.lemma) || !$("examples").querySelector("li");
  const hits = showHits(signal).catch(() => drawHits("", [])); // the word matters more
  if (!state.lemma) {
    clear();
    document.title = "stepwrite";
    return;
  }
  const cellsKnown = model().parts_of_speech.length > 0;
  try {
    paradigm = cellsKnown ? await ask(`v1/paradigm?${wordQuery()}`, signal) : null;
  } finally {
    await hits;
  }
  document.title = `${state.lemma} – stepwrite`;
  if (paradigm === null) {
    $("legend").hidden = $("words").hidden = $("word").hidden = true;
    state.features ??= "";
    drawSlotMenus();
    return showForm(signal, []);
  }
  $("wanted").hidden = true;
  drawReadings($("readings"), paradigm, model().language, (cell, where) => chooseForm(cell.features, where));
  const guesses = readingsOf(paradigm).some(({ cells }) => cells.some((cell) => cell.attested === false));
  $("legend").hidden = !guesses;
  drawWordMenus();
  $("words").hidden = false;
  await showChosen(signal);
});

// The form in the URL or, where there is room, one that differs from the word.
async function showChosen(signal) {
  const all = readingsOf(paradigm);
  if (state.features !== null) {
    const reading = all.find(({ cells }) => cells.some((cell) => cell.features === state.features));
    return showForm(signal, reading ? whereIs(reading, state.features) : []);
  }
  hideForm();
  if (!WIDE.matches) return;
  const cells = all[0].grids.flatMap(({ rows }) => rows.flatMap((row) => row.cells.flat()))
    .map((place) => all[0].cells[place]);
  const others = cells.filter((cell) => cell.form !== all[0].lemma);
  const telling = others.find((cell) => cell.attested) ?? others[0] ?? cells[0];
  if (telling) await showForm(signal, whereIs(all[0], telling.features), telling.features);
}

async function showForm(signal, where, features = state.features) {
  writeUrl();
  let answer;
  try {
    answer = await ask("v1/inflect", signal, {
      model: state.model,
      words: [{ lemma: state.lemma, features }],
      n_best: 3,
      explain: true,
      unknown_features: paradigm === null ? "ignore" : "refuse",
    });
  } catch (error) {
    if (error.code !== "unknown_features") throw error;
    hideForm();
    return say(`${model().title} has no form “${features}” of this word. These are the forms it has.`, true);
  }
  const [prediction] = answer.predictions;
  if (paradigm) markChosen($("readings"), prediction.features);
  drawForm(prediction, answer.members, where, model().title);
  document.body.classList.toggle("sheet", paradigm !== null);
  if (!WIDE.matches) $("readings").querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest" });
}

const chooseForm = (features, where) => attempt((signal) => {
  state.features = features;
  return showForm(signal, where);
});

// The lemmas that an unknown word is a form of; else languages that know it or are called like it.
async function showHits(signal) {
  const text = state.lemma;
  if (!text) return drawHits("", []);
  const both = withLanguage(text, models);
  if (both) {
    const { title } = models.find(({ name }) => name === both.model);
    return drawHits("Do you mean", [{ title: both.lemma, detail: title, choose: () => open(both) }]);
  }
  const languages = languagesNamed(text, models).map(({ name, title }) => (
    { title, detail: "language", choose: () => open({ model: name, lemma: "" }) }));
  const asked = new URLSearchParams({ word: text, model: state.model });
  const { words, forms_of: lemmas } = await ask(`v1/search?${asked}`, signal);
  const languageOf = (name) => models.find((entry) => entry.name === name).language ?? name;
  const here = words.some((found) => languageOf(found.model) === languageOf(state.model));
  const others = words.filter((found) => languageOf(found.model) !== languageOf(state.model)).map((found) => ({
    title: found.title,
    detail: found.readings.join(", "),
    choose: () => open({ model: found.model, lemma: found.lemma }),
  }));
  if (lemmas.length && !here) {
    return drawHits("A form of", lemmas.map(({ lemma }) => (
      { title: lemma, choose: () => open({ model: state.model, lemma }) })));
  }
  drawHits(here ? "Also a word in" : "Known in", [...others, ...languages]);
}

// Menus: what was guessed of a word can be put right.

function drawWordMenus() {
  const { parts_of_speech: parts, lexical } = model();
  const either = ["", "any"];
  const fields = [];
  if (parts.length > 1) {
    fields.push(menu("part of speech", [either, ...parts.map((pos) => [pos, nameOf(pos)])], state.pos,
      (pos) => change({ pos, fixed: {} })));
  }
  for (const [slot, values] of Object.entries(lexical[paradigm.pos] ?? {})) {
    fields.push(menu(slot, [either, ...values.map((value) => [value, nameOf(value)])],
      state.fixed[slot] ?? "", (value) => {
        const { [slot]: _, ...others } = state.fixed;
        change({ fixed: value ? { ...others, [slot]: value } : others });
      }));
  }
  drawMenus("word", fields);
}

function change(values) {
  state = { ...state, features: null, ...values };
  showWord();
}

// For a model without cells: any value of any slot.
function drawSlotMenus() {
  const { slots, notation } = model();
  const separator = notation === "key-value" ? "," : ";";
  const tag = (slot, value) => (notation === "key-value" ? `${slot}=${value}` : value);
  const chosen = new Set(state.features.split(separator));
  const values = Object.fromEntries(slots.map(({ name, values: known }) =>
    [name, known.find((value) => chosen.has(tag(name, value))) ?? ""]));
  drawMenus("wanted", slots.map(({ name, values: options }) =>
    menu(name, ["", ...options].map((value) => [value, nameOf(value)]), values[name], (value) => {
      values[name] = value;
      const filled = Object.entries(values).filter(([, known]) => known);
      change({ features: filled.map(([slot, known]) => tag(slot, known)).join(separator) });
    })));
}

function drawModel() {
  const { name, title, accuracy, source, licence } = model();
  const known = [accuracy && `${(100 * accuracy).toFixed(1)} % accuracy on its test set`,
    source && `from ${source}`, licence].filter(Boolean);
  $("about").textContent = known.length ? `${title}: ${known.join(", ")}.` : "";
  $("model").value = name;
  $("lemma").placeholder = SAMPLES[name] ? `Type a word: ${SAMPLES[name]}` : "Type a word";
}

// Start

function open(values) {
  state = { ...state, pos: "", fixed: {}, features: null, ...values };
  history.pushState(null, "", location.href);
  draw();
  if (!state.lemma) $("lemma").focus();
}

function draw() {
  $("lemma").value = state.lemma;
  drawModel();
  showWord();
}

function restore() {
  readUrl();
  draw();
}

let typing;
$("lemma").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    const keep = paradigm === null && state.lemma ? state.features : null;
    state = { ...state, lemma: $("lemma").value.trim(), pos: "", fixed: {}, features: keep };
    showWord();
  }, WAIT);
});
$("model").addEventListener("change", () => {
  state = { ...state, model: $("model").value, pos: "", fixed: {}, features: null };
  drawModel();
  showWord();
});
$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const both = withLanguage($("lemma").value, models);
  if (both) open(both);
});
$("close").addEventListener("click", () => {
  const from = $("readings").querySelector("[aria-pressed=true]");
  state.features = null;
  writeUrl();
  hideForm();
  from?.focus();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !$("answer").hidden && !WIDE.matches) $("close").click();
});
$("share").addEventListener("click", async () => {
  const link = new URL(location.href);
  link.searchParams.set("features", shownFeatures());
  try {
    await navigator.clipboard.writeText(link.href);
    $("share").textContent = "Copied";
  } catch {
    history.replaceState(null, "", link);
    $("share").textContent = "Copy it from the address bar";
  }
  setTimeout(() => ($("share").textContent = "Copy link"), 1500);
});
window.addEventListener("popstate", restore);

attempt(async (signal) => {
  ({ models, names } = await ask("v1/models", signal));
  models.sort((one, other) => one.title.localeCompare(other.title));
  $("model").append(...models.map(({ name, title }) => new Option(title, name)));
  const languages = new Set(models.map(({ name, language }) => language ?? name)).size;
  if (languages > 1) $("tagline").textContent = `Every form of a word, in ${languages} languages.`;
  drawExamples(models, open);
  restore();
});
