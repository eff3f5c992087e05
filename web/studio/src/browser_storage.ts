// What a browser keeps of a person's choices. Private windows, a full disk or a user's settings may keep nothing: the page
// works all the same, and remembers until it is closed.

const here = new Map<string, string>();

/** What was remembered under a name; null: nothing. */
export function recall(name: string): string | null {
  try {
    return here.get(name) ?? localStorage.getItem(name);
  } catch {
    return here.get(name) ?? null;
  }
}

/** Remember a text; tells why only until the page is closed, empty: longer. */
export function remember(name: string, text: string): string {
  try {
    localStorage.setItem(name, text);
    here.delete(name);
    return "";
  } catch (error) {
    here.set(name, text);
    return (error as Error).message;
  }
}
