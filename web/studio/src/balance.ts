// Balance of a posture as the server tells it, standing on its lowest feet on level ground.

export interface Balance {
  /** Feet that carry. */
  feet?: string[];
  /** Distance of the centre of mass to the edge of the support polygon, below 0 outside [m]. */
  margin?: number;
  /** Centre of mass on the ground, x forward, y left of the base [m]. */
  com?: number[];
  polygon?: number[][];
  height?: number;
  /** Each sole that stands, and the margin that it would have alone [m]. */
  soles?: Record<string, { polygon: number[][]; margin: number }>;
  torque?: number[];
}

/** Where the centre of mass is: over one sole that stands, or how far inside all of them. */
export function balanceText({ margin, soles }: Balance): string {
  if (margin === undefined) return "";
  const millimetres = (value: number) => `${(value * 1000).toFixed(0)} mm`;
  const over = Object.entries(soles ?? {}).find(([, sole]) => sole.margin >= 0);
  if (over) return `CoM ${millimetres(over[1].margin)} inside the ${over[0]} sole`;
  return margin >= 0 ? `margin ${millimetres(margin)}` : `CoM ${millimetres(-margin)} outside the feet`;
}
