// The search box: words over all languages, languages by any of their names, and examples.

const $ = (id) => document.getElementById(id);

// Model, lemma, features and form; tests/service/test_samples.py checks each with its model.
export const EXAMPLES = [
  ["english", "go", "V;PST", "went"],
  ["german", "gut", "ADJ;CMPR", "besser"],
  ["spanish", "ser", "V;IND;PST;PFV;3;SG", "fue"],
  ["russian", "дом", "N;MASC;INAN;GEN;PL", "домов"],
  ["finnish", "nainen", "N;PRT;SG", "naista"],
  ["arabic", "يوم", "N;INDF;NOM;SG", "يَوْمٌ"],
  ["georgian", "სახლი", "N;DAT;PL", "სახლებს"],
  ["french", "aller", "V;IND;FUT;1;SG", "irai"],
  ["turkish", "ev", "N;LOC;PL", "evlerde"],
  ["polish", "człowiek", "N;MASC;HUM;NOM;PL", "ludzie"],
  ["greek", "αγαπώ", "V;PRS;IPFV;2;SG", "αγαπάς"],
  ["hindi", "जाना", "V;PRS;HAB;MASC;3;SG", "जाता है"],
];
// The word that the box suggests for each model.
export const SAMPLES = {
  arabic: "يوم", bangla: "করা", czech: "žena", dutch: "huis", english: "go", finnish: "nainen",
  french: "aller", georgian: "სახლი", german: "gut", "german-nouns": "Haus", greek: "αγαπώ",
  hindi: "जाना", hungarian: "kártya", indonesian: "tulis", italian: "andare", persian: "نوشتن",
  polish: "człowiek", portuguese: "ser", romanian: "casă", russian: "дом", spanish: "hablar",
  swedish: "stor", turkish: "ev", ukrainian: "дім",
};

const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

// The models whose language is called so, or begins so if that is long enough to mean it.
export function languagesNamed(text, models) {
  const wanted = plain(text.trim());
  if (!wanted) return [];
  const names = (model) => [model.title, model.name, model.language ?? "", ...model.names].map(plain);
  return models.filter((model) => names(model).some((name) =>
    name === wanted || (wanted.length > 2 && name.startsWith(wanted))));
}

// "german gut" -> the model german and the word gut
export function withLanguage(text, models) {
  const [first, ...rest] = text.trim().split(/\s+/);
  if (!rest.length) return null;
  const model = models.find(({ title, name }) => [title, name].map(plain).includes(plain(first)));
  return model ? { model: model.name, lemma: rest.join(" ") } : null;
}

function chip(texts, choose) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "chip";
  button.append(...texts);
  button.addEventListener("click", choose);
  return button;
}

export function isolated(text) {
  const element = document.createElement("bdi");
  element.textContent = text;
  return element;
}

function small(text) {
  const element = document.createElement("small");
  element.textContent = text;
  return element;
}

// Chips under the box. said: what they have in common.
export function drawHits(said, hits) {
  const words = document.createElement("span");
  words.textContent = said;
  $("hits").replaceChildren(words, ...hits.map(({ title, detail, choose }) =>
    chip([title, ...(detail ? [" ", small(detail)] : [])], choose)));
  $("hits").hidden = hits.length === 0;
}

export function drawExamples(models, choose) {
  const served = new Map(models.map((model) => [model.name, model]));
  const items = EXAMPLES.filter(([model]) => served.has(model)).map(([model, lemma, features, form]) => {
    const item = document.createElement("li");
    const arrow = document.createElement("span");
    arrow.textContent = "→";
    arrow.setAttribute("aria-label", "becomes");
    arrow.setAttribute("role", "img");
    const after = isolated(form);
    after.className = "after";
    const title = small(served.get(model).title);
    const line = document.createElement("span");
    line.append(isolated(lemma), " ", arrow, " ", after);
    const link = document.createElement("a");
    link.href = `?${new URLSearchParams({ model, lemma, features })}`;
    link.append(title, line);
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      choose({ model, lemma, features });
    });
    item.append(link);
    return item;
  });
  $("examples").querySelector("ul").replaceChildren(...items);
  return items.length > 0;
}
