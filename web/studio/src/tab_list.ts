// A row of tabs as people know it by keys: one of them takes part in the Tab order, arrows go to the others.

/** Let arrows, Home and End choose among the tabs of a list. */
export function byArrows(list: HTMLElement): void {
  list.addEventListener("keydown", (event) => {
    const tabs = [...list.querySelectorAll<HTMLElement>("[role=tab]")];
    const at = tabs.indexOf(event.target as HTMLElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = tabs[(to + tabs.length) % tabs.length];
    next.focus();
    next.click();
  });
}

/** Mark the tab that is chosen. */
export function markTab(list: HTMLElement, chosen: (tab: HTMLElement) => boolean): void {
  for (const tab of list.querySelectorAll<HTMLElement>("[role=tab]")) {
    tab.setAttribute("aria-selected", String(chosen(tab)));
    tab.tabIndex = chosen(tab) ? 0 : -1;
  }
}
