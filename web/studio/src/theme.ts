// Light or dark: as the system has it, until somebody chooses.
import { recall, remember } from "./browser_storage";

const KEY = "andante-theme";

/** Take the theme that was chosen before. */
export function restoreTheme(): void {
  const theme = recall(KEY);
  if (theme) document.documentElement.dataset.theme = theme;
}

/** Take the other theme; who draws by himself hears the event "themed". */
export function otherTheme(): void {
  const { dataset } = document.documentElement;
  const dark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = dark ? "light" : "dark";
  remember(KEY, dataset.theme);
  dispatchEvent(new Event("themed"));
}
