import { make, setText } from "./dom";

export interface Choice {
  value: string;
  text: string;
  title?: string;
}

/** Radio buttons in a <fieldset>; the browser handles arrow keys, focus and names. */
export class Radios {
  private shownValues = "";

  constructor(
    private readonly fieldset: HTMLElement,
    private readonly onChange: (value: string) => void,
  ) {}

  show(choices: Choice[], value: string): void {
    const values = JSON.stringify(choices.map((choice) => choice.value));
    if (values !== this.shownValues) {
      this.shownValues = values;
      this.fieldset.querySelectorAll("label").forEach((label) => label.remove());
      this.fieldset.append(...choices.map((choice) => this.label(choice)));
    }
    const labels = this.fieldset.querySelectorAll("label");
    choices.forEach(({ text }, i) => {
      const label = labels[i];
      const input = label?.querySelector("input");
      if (input) input.checked = input.value === value;
      if (label?.lastElementChild) setText(label.lastElementChild, text);
    });
  }

  private label({ value, text, title }: Choice): HTMLLabelElement {
    const input = make("input", { type: "radio", name: this.fieldset.id, value });
    input.addEventListener("change", () => this.onChange(value));
    return make("label", title ? { title } : {}, input, make("span", {}, text));
  }
}
