import { byId } from "./dom";
import { recall, remember } from "./stored";

type Theme = "light" | "dark";

const kKey = "symcast.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

function stored(): Theme | null {
  const value = recall(kKey);
  return value === "light" || value === "dark" ? value : null;
}

function shown(): Theme {
  return stored() ?? (dark.matches ? "dark" : "light");
}

/** The system's theme, until the button chooses the other one. `changed`: colours are new. */
export class ThemeButton {
  constructor(private readonly changed: () => void) {
    byId("theme").addEventListener("click", () => this.toggle());
    dark.addEventListener("change", () => this.apply());
    this.apply();
  }

  private toggle(): void {
    const next = shown() === "dark" ? "light" : "dark";
    remember(kKey, next === (dark.matches ? "dark" : "light") ? null : next);
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset["theme"] = shown();
    const other = shown() === "dark" ? "light" : "dark";
    byId("theme").setAttribute("aria-label", `Use the ${other} theme`);
    this.changed();
  }
}
