import { byId } from "./dom";
import { recall, remember } from "./stored";

type Theme = "light" | "dark";

const kStorageKey = "symcast.theme";
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

function stored(): Theme | null {
  const value = recall(kStorageKey);
  return value === "light" || value === "dark" ? value : null;
}

function shown(): Theme {
  return stored() ?? (systemIsDark.matches ? "dark" : "light");
}

/** Follows the system's theme until the user switches; `onChange` is called after each change. */
export class ThemeButton {
  constructor(private readonly onChange: () => void) {
    byId("theme").addEventListener("click", () => this.toggle());
    systemIsDark.addEventListener("change", () => this.apply());
    this.apply();
  }

  private toggle(): void {
    const next = shown() === "dark" ? "light" : "dark";
    remember(kStorageKey, next === (systemIsDark.matches ? "dark" : "light") ? null : next);
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset["theme"] = shown();
    const other = shown() === "dark" ? "light" : "dark";
    byId("theme").setAttribute("aria-label", `Switch to ${other} theme`);
    this.onChange();
  }
}
