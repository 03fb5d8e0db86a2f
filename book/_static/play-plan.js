/* The page "Plan a release": three sheets, one seen at a time, in one link. */
play.register("plan", (stage, data) => {
  const { settings } = stage.closest(".sf-play");
  const SHEETS = { counts: "Counts by group", few: "Few people", training: "A training" };
  const choice = play.make("fieldset", { className: "asking-sheets" }, stage);
  play.make("legend", { textContent: "What do you plan?" }, choice);
  const [sheets, panels, radios] = [{}, {}, {}];
  for (const [name, title] of Object.entries(SHEETS)) {
    const label = play.make("label", {}, choice);
    radios[name] = play.make("input", { type: "radio", name: "plan-sheet", value: name, autocomplete: "off" }, label);
    label.append(title);
    radios[name].addEventListener("change", () => turn(name));
    panels[name] = play.make("div", { hidden: name !== "counts" }, stage);
    sheets[name] = planSheets[name](panels[name], data, settings);
  }
  let seen = "";
  function turn(name) {
    if (!(name in SHEETS) || name === seen) return;
    seen = name;
    radios[name].checked = true;
    for (const [other, panel] of Object.entries(panels)) panel.hidden = other !== name;
    sheets[name].show();
  }
  settings.set("sheet", { read: () => seen, put: turn });
  turn("counts");
  return { ...planning, ...sheets, now: () => sheets.counts.now(), training, trained: () => sheets.training.now(), turn, code: planCode };
});
