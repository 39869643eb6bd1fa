// The paradigm as grammars print it: one section per reading of the word, one table per group.
import { isolated } from "./search.js";

const ROWS = 14; // that are open at first; the groups after them are collapsed

export const percent = (probability) =>
  probability > 0.995 ? "over 99 %" : `${Math.round(100 * probability)} %`;

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function element(name, children = [], attributes = {}) {
  const made = document.createElement(name);
  made.append(...children);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// A name in English with the one of the language itself below it.
function labelled({ name, native }, language) {
  const parts = [element("span", [name])];
  if (native && native !== name) {
    const own = element("bdi", [native], language ? { lang: language } : {});
    parts.push(" ", element("small", [own]));
  }
  return parts;
}

// All readings of a word: [paradigm, ...its others].
export const readingsOf = (paradigm) => [paradigm, ...paradigm.also];

export function drawReadings(container, paradigm, language, choose) {
  const readings = readingsOf(paradigm);
  container.replaceChildren(...readings.map((reading, place) =>
    section(reading, place, readings.length, language, choose)));
}

function section(reading, place, count, language, choose) {
  const { lemma, cells, grids, guessed } = reading;
  const known = cells.filter((cell) => cell.attested).length;
  const title = element("h2", [isolated(lemma)], { id: `reading-${place}` });
  const kind = element("p", [capital(reading.reading)], { class: "kind" });
  if (guessed.length) kind.append(element("small", [` (${guessed.join(" and ")} guessed)`]));
  const parts = [title, kind];
  if (known === 0 && cells.some((cell) => cell.attested === false)) {
    parts.push(element("p", ["Not in the dictionary: all forms are guesses."], { class: "hint" }));
  }
  let rows = 0;
  for (const grid of grids) {
    const table = drawTable(grid, reading, language, choose);
    const open = rows < ROWS;
    rows += grid.rows.length;
    if (grid.title.name || (grids.length > 1 && !open)) {
      const heading = grid.title.name ? grid.title : { name: "more forms", native: "" };
      const summary = element("summary", labelled({ ...heading, name: capital(heading.name) }, language));
      const group = element("details", [summary, table], { class: "group" });
      group.open = open;
      parts.push(group);
    } else parts.push(element("div", [table], { class: "group" }));
  }
  return element("section", parts, { class: "reading", "aria-labelledby": `reading-${place}` });
}

// Roles are given, since on a narrow screen rows are no table rows for the style sheet.
function drawTable(grid, reading, language, choose) {
  const { columns, rows } = grid;
  const rowsNamed = rows.some(({ label }) => label.name);
  const columnsNamed = columns.some(({ name }) => name);
  const parts = [];
  if (columnsNamed) {
    const corner = rowsNamed ? [element("td", [], { role: "cell" })] : [];
    const names = columns.map((column) =>
      element("th", labelled(column, language), { scope: "col", role: "columnheader" }));
    parts.push(element("thead", [element("tr", [...corner, ...names], { role: "row" })], { role: "rowgroup" }));
  }
  parts.push(element("tbody", rows.map(({ label, cells }) => {
    const named = rowsNamed
      ? [element("th", labelled(label, language), { scope: "row", role: "rowheader" })] : [];
    const forms = cells.map((places, number) => {
      const where = place(grid.title, label, columns[number]);
      const found = places.map((index) => button(reading.cells[index], where, choose));
      const attributes = { role: "cell", "data-label": columns[number].name };
      if (columns[number].native) attributes["data-native"] = columns[number].native;
      return element("td", found, found.length ? attributes : { ...attributes, class: "gap" });
    });
    return element("tr", [...named, ...forms], { role: "row" });
  }), { role: "rowgroup" }));
  const longest = Math.max(...rows.flatMap(({ cells }) => cells.flat()).map((index) =>
    [reading.cells[index].form, ...reading.cells[index].others].join(" / ").length));
  const shape = columns.length > 3
    ? `wide columns-${columns.length}${longest < 10 ? " short" : ""}` : `narrow columns-${columns.length}`;
  const made = element("table", parts, { role: "table", class: shape });
  return element("div", [made], { class: "scroll", tabindex: "0", role: "group",
    "aria-label": capital(grid.title.name || reading.reading || "forms") });
}

function button(cell, where, choose) {
  const made = element("button", [], { type: "button", "data-features": cell.features });
  const forms = [cell.form || "–", ...cell.others];
  made.append(...forms.flatMap((form, place) => (place ? [" / ", isolated(form)] : [isolated(form)])));
  made.className = cell.attested ? "form known" : "form guess";
  if (cell.attested === null) made.className = "form";
  if (cell.doubts.length) made.classList.add("doubt");
  if (!cell.attested) {
    const sure = `${percent(cell.probability)} sure`;
    const said = cell.doubts.length ? `doubtful guess, ${sure}` : `guess, ${sure}`;
    made.title = capital(said);
    made.append(element("span", [` (${said})`], { class: "unseen" }));
  } else made.title = "In the dictionary";
  made.addEventListener("click", () => choose(cell, where));
  return made;
}

// The words of a table, a row and a column; "infinitive" needs no table to be understood.
function place(...labels) {
  return labels.map(({ name }) => name).filter((name) => name && name !== "non-finite forms");
}

// What a grammar calls a cell.
export function whereIs(reading, features) {
  for (const { title, columns, rows } of reading.grids) {
    for (const { label, cells } of rows) {
      const column = cells.findIndex((places) =>
        places.some((index) => reading.cells[index].features === features));
      if (column >= 0) return place(title, label, columns[column]);
    }
  }
  return [];
}

export function markChosen(container, features) {
  for (const made of container.querySelectorAll("button.form")) {
    made.setAttribute("aria-pressed", made.dataset.features === features);
    if (made.dataset.features === features) {
      const group = made.closest("details");
      if (group) group.open = true;
    }
  }
}
