// The lanes of the time axis: a group of joints that opens and closes, below it its joints; filtered by name.
import type { Robot } from "./protocol";

export interface Lane {
  name: string;
  /** Places of its joints among the robot's. */
  joints: number[];
  /** Whether it stands for a group. */
  group: boolean;
  closed: boolean;
}

/** Every joint's smallest group. */
export function groupsOf(robot: Robot): Map<string, number[]> {
  const owner = new Map<string, string>();
  const bySize = Object.entries(robot.groups).sort(([, a], [, b]) => a.length - b.length);
  for (const [name, joints] of bySize) for (const joint of joints) if (!owner.has(joint)) owner.set(joint, name);
  const found = new Map<string, number[]>();
  robot.joints.forEach(({ name }, index) => {
    const group = owner.get(name) ?? "joints";
    found.set(group, [...(found.get(group) ?? []), index]);
  });
  return found;
}

export function lanesOf(robot: Robot, filter: string, closed: Set<string>): Lane[] {
  const wanted = filter.trim().toLowerCase();
  const lanes: Lane[] = [];
  for (const [group, joints] of groupsOf(robot)) {
    const whole = group.replace(/_/g, " ").toLowerCase().includes(wanted);
    const shown = joints.filter((joint) => whole || robot.joints[joint].name.toLowerCase().includes(wanted));
    if (!shown.length) continue;
    const shut = closed.has(group) && !wanted;
    lanes.push({ name: group, joints: shown, group: true, closed: shut });
    if (!shut) lanes.push(...shown.map((joint) => ({ name: robot.joints[joint].name, joints: [joint], group: false, closed: false })));
  }
  return lanes;
}
