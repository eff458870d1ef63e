import { make, setText } from "./dom";

export interface Choice {
  value: string;
  text: string;
  title?: string;
}

/** A group of radio buttons in a <fieldset>: arrow keys, focus and names are the browser's. */
export class Radios {
  private shown = "";

  constructor(
    private readonly fieldset: HTMLElement,
    private readonly chosen: (value: string) => void,
  ) {}

  show(choices: Choice[], value: string): void {
    const wanted = JSON.stringify(choices.map((choice) => choice.value));
    if (wanted !== this.shown) {
      this.shown = wanted;
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
    input.addEventListener("change", () => this.chosen(value));
    return make("label", title ? { title } : {}, input, make("span", {}, text));
  }
}
