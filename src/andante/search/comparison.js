"use strict";
const found = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const number = (value, digits = 3) => (value === null ? "" : Number(value.toPrecision(digits)).toString());
const signed = (value) => (value > 0 ? "+" : "") + number(value);
$("title").textContent = `${found.names[1]} against ${found.names[0]}`;
$("summary").textContent = `${found.pairs} pairs of trials on the same seeds; a wrong verdict has a chance of at most ${number(100 * found.level)} %`;
$("why").textContent = found.why;
$("badge").textContent = { worse: "WORSE", better: "BETTER", undecided: "UNDECIDED" }[found.outcome] ?? "SAME";
$("badge").classList.add({ worse: "fail", better: "pass" }[found.outcome] ?? "same");
for (const row of found.rows) {
  const line = $("rows").insertRow();
  line.className = row.outcome.split(" ")[0];
  const share = row.unit === "";
  const unit = share ? "points" : row.unit;
  const scale = share ? 100 : 1;
  const value = (x) => (x === null ? "" : share ? `${number(100 * x)} %` : `${number(x)} ${unit}`);
  const name = row.group ? `${row.group}: ${row.measure}` : row.measure;
  const chance = row.chance < 1e-4 ? "< 0.0001" : number(row.chance, 2);
  const told = row.size !== null;
  const interval = told ? `${signed(scale * row.interval[0])} to ${signed(scale * row.interval[1])}` : "";
  const cells = [name, row.n, value(row.first), value(row.second), told ? `${signed(scale * row.size)} ${unit}` : "", interval, row.least ? `${number(row.least)} ${unit}` : "", chance, row.outcome];
  for (const cell of cells) line.insertCell().textContent = cell;
}
for (const picture of found.pictures) {
  const sheet = $("pictures").appendChild(document.createElement("section"));
  sheet.className = "sheet";
  const image = sheet.appendChild(document.createElement("img"));
  image.src = `data:image/svg+xml;base64,${picture}`;
  image.alt = "Differences and pairs of trials";
}
for (const [name, value] of Object.entries(found.about)) {
  const line = $("about").insertRow();
  line.insertCell().textContent = name;
  line.insertCell().textContent = value;
}
