// Light or dark: as the system says, unless someone chose here. Kept in this browser.

export type Theme = "auto" | "light" | "dark";
const key = "hone-theme";

export function savedTheme(): Theme {
  try {
    const saved = localStorage.getItem(key);
    return saved === "light" || saved === "dark" ? saved : "auto";
  } catch {
    return "auto";
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  try {
    localStorage.setItem(key, theme);
  } catch {
    // A browser that keeps nothing still shows the page.
  }
  document.dispatchEvent(new Event("hone-theme"));
}
