// Menus, which label themselves.
import { capital } from "./table.js";

const $ = (id) => document.getElementById(id);

export function menu(slot, options, chosen, onchange) {
  const field = document.createElement("div");
  const label = document.createElement("label");
  const box = document.createElement("select");
  field.className = "field";
  box.id = `menu-${slot.replace(/\W+/g, "-")}`;
  label.htmlFor = box.id;
  label.textContent = capital(slot);
  box.append(...options.map(([value, text]) => new Option(text, value, false, value === chosen)));
  box.addEventListener("change", () => onchange(box.value));
  field.append(label, box);
  return field;
}

// Menus are redrawn when one changes; the focus should stay on the same menu.
export function drawMenus(id, fields) {
  const focused = $(id).contains(document.activeElement) ? document.activeElement.id : null;
  $(id).querySelector(".menus").replaceChildren(...fields);
  $(id).hidden = fields.length === 0;
  if (focused) $(focused)?.focus();
}
