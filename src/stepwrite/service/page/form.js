// A form: how sure it is, how it is written, and what can be done with it.
import { save, walkPicture } from "./picture.js";
import { isolated } from "./search.js";
import { capital, percent } from "./table.js";
import { Walk } from "./walk.js";

const $ = (id) => document.getElementById(id);
const walk = new Walk();
let language = "";

// where: what a grammar calls the form.
export function drawForm(prediction, members, where, title) {
  language = title;
  $("answer").hidden = false;
  $("cell").textContent = capital(where.join(" · ")) || title;
  $("form").textContent = prediction.form || "(nothing)";
  const known = prediction.attested === true;
  $("known").textContent = known ? "In the dictionary" : "Guess";
  $("known").className = known ? "badge known" : "badge guess";
  $("probability").hidden = $("confidence").hidden = known;
  $("probability").value = prediction.probability;
  const votes = members > 1 ? `, ${prediction.votes} of ${members} networks agree` : "";
  $("confidence").textContent = `${percent(prediction.probability)} sure${votes}`;
  drawNotes([...prediction.doubts.map((doubt) => `doubtful: ${doubt}`), ...prediction.warnings,
    ...prediction.notes]);
  drawOthers(prediction.alternatives, known);
  const written = prediction.explanation.by === "network";
  $("walk-title").textContent = written ? "How the network writes it" : "The shortest way to it";
  $("save").hidden = prediction.explanation.steps.length === 0;
  walk.show(prediction);
}

export function closeForm() {
  walk.stop();
  $("answer").hidden = true;
}

export const shownFeatures = () => walk.prediction.features;

function drawNotes(notes) {
  $("notes").hidden = notes.length === 0;
  $("notes").replaceChildren(...notes.map((note) => {
    const item = document.createElement("li");
    item.textContent = capital(note);
    return item;
  }));
}

// Beside a known form only others that are known; the network's guesses would confuse.
function drawOthers(alternatives, known) {
  const others = alternatives.filter(({ probability }) => (known ? probability === 1 : probability >= 0.005));
  const listed = others.flatMap(({ form, probability }, place) =>
    [place ? ", " : "", isolated(form), known ? "" : ` (${percent(probability)})`]);
  $("others").hidden = others.length === 0;
  $("others").replaceChildren(known ? "also " : "or ", ...listed);
}

$("save").addEventListener("click", () => {
  const { prediction } = walk;
  save(`${prediction.lemma}-${prediction.form}.svg`.replace(/[/\\\s]+/g, "-"),
    walkPicture(prediction, `${language}, ${$("cell").textContent.toLowerCase()}`, walk.rightToLeft));
});
