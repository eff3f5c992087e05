// The playhead over a view of the time axis, a layer of its own: what lies under it is not drawn anew when it moves.
import { NAMES, type TimeAxis } from "./axis";
import { element } from "./dom";

/** What a playhead follows: the store of the motions page, or what stands for it on another page. */
export interface Moments {
  readonly playhead: number;
  on(topic: ("playhead" | "pose")[], moved: () => void): void;
}

export class Playhead {
  private line = element("div", { class: "playhead" });
  readonly node = element("div", { class: "playhead-room", "aria-hidden": "true" }, this.line);

  constructor(private store: Moments, private axis: TimeAxis) {
    store.on(["playhead", "pose"], () => this.place());
    axis.on(() => this.place());
  }

  place(): void {
    this.line.style.transform = `translateX(${Math.round(this.axis.x(this.store.playhead) - NAMES)}px)`;
  }
}
