// Colours of code in the editors.
import { HighlightStyle } from "@codemirror/language";
import { tags } from "@lezer/highlight";

export const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--code-key)" },
  { tag: tags.definition(tags.propertyName), color: "var(--code-key)" },
  { tag: tags.keyword, color: "var(--code-key)" },
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.number, color: "var(--code-number)" },
]);
