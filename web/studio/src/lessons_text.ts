// What the lessons say, what their editors begin with.
export interface Lesson {
  name: string;
  title: string;
  task: "keyframes" | "forward" | "inverse";
  /** Distance below which the lesson is solved [m]. */
  goal: number;
  text: string;
  hints: string[];
  start: string;
}

export const LESSONS: Lesson[] = [
  {
    name: "lesson1",
    title: "1 Keyframes by hand",
    task: "keyframes",
    goal: 0.5,
    text: `
<p>A leg hangs from a fixed hip. A ball falls beside it, and a green target waits to the right. Kick the ball so that it passes the target as near as possible.</p>
<p>A <b>keyframe</b> says where the joints shall be and how long they may take to get there. A motion is a list of keyframes, played one after the other.</p>
<table>
<tr><th>joint</th><th>moves</th><th>range</th></tr>
<tr><td>hip_angle</td><td>the thigh</td><td>−90° to 45°</td></tr>
<tr><td>knee_angle</td><td>the tibia</td><td>−45° to 90°</td></tr>
<tr><td>ankle_angle</td><td>the foot</td><td>−135° to 0°</td></tr>
</table>
<p>Positive angles turn counter-clockwise. With all three at 0 the thigh points 45° down to the right. Angles are in radians, so <code>math.radians</code> is your friend; durations are in seconds. A joint turns by at most 180° in a second and is not infinitely strong.</p>
<p><b>Your task:</b> change the list <code>keyframes</code> until the ball passes within <b>0.50 m</b> of the target. <i>Run</i> plays it in physics; the number in the picture is the distance now, the verdict the smallest one.</p>`,
    hints: [
      "The ball starts at x 0.8 m, 1 m high, and needs about 0.4 s to reach the ground. It bounces several times: you need not hit it on its first fall.",
      "Wind up first: take the leg far back (hip −80°), wait there, then swing forward within 0.3 s.",
    ],
    start: `import math

# Where the joints shall be [rad], and the time to get there [s].
keyframes = [
    dict(
        hip_angle=math.radians(-80),
        knee_angle=math.radians(0),
        ankle_angle=math.radians(-60),
        duration=0.9,
    ),
]
`,
  },
  {
    name: "lesson2",
    title: "2 Forward kinematics",
    task: "forward",
    goal: 1e-6,
    text: `
<p>Given the joint angles, where is the toe? That is <b>forward kinematics</b>: follow the leg from the hip, segment by segment.</p>
<p>Each joint angle counts from a neutral direction. Its segment points, seen from the one before it, to</p>
<ul><li>thigh: hip angle − 45° (seen from x)</li><li>tibia: knee angle − 90°</li><li>foot: ankle angle + 111.61°</li></ul>
<p>so the directions in the world add up: the tibia points to the thigh's direction plus its own angle, and the foot to the tibia's plus its own. A segment of length <i>l</i> that points to <i>u</i> leads from (x, z) to (x + <i>l</i> cos <i>u</i>, z + <i>l</i> sin <i>u</i>).</p>
<p>The module <code>leg</code> has what you need: <code>HIP</code> (x, z), the lengths <code>THIGH</code>, <code>TIBIA</code>, <code>FOOT</code>, and <code>ZERO</code>, the three neutral angles in radians.</p>
<p><b>Your task:</b> complete <code>forward</code>. It takes the three joint angles [rad] and returns the places of knee, ankle and toe and the direction of the foot. The broad leg is the true one, the thin one is yours; the distance is between the toes.</p>`,
    hints: [
      "The first direction is u1 = hip + leg.ZERO[0]; the second is u1 + knee + leg.ZERO[1].",
      "The direction of the foot is the sum of all three angles and all three neutral ones.",
    ],
    start: `import math

import leg


def forward(hip, knee, ankle):
    """Places of knee, ankle and toe, (x, z) each [m], and the direction of the foot [rad]."""
    u1 = hip + leg.ZERO[0]
    knee_at = (leg.HIP[0] + leg.THIGH * math.cos(u1), leg.HIP[1] + leg.THIGH * math.sin(u1))
    # Go on from here: the ankle, the toe, the direction of the foot.
    ankle_at = knee_at
    toe_at = knee_at
    rotation = u1
    return knee_at, ankle_at, toe_at, rotation
`,
  },
  {
    name: "lesson3",
    title: "3 Inverse kinematics",
    task: "inverse",
    goal: 1e-6,
    text: `
<p>Now the other way round: the toe shall be at (x, z) and the foot point to a direction. Which joint angles do that? This is <b>inverse kinematics</b>.</p>
<p><b>The ankle first.</b> The foot's direction is known, so the ankle is one foot length behind the toe.</p>
<p><b>Then a triangle.</b> Hip, knee and ankle: two sides are thigh and tibia, the third is the distance <i>d</i> from hip to ankle. The law of cosines gives its angles. With <i>φ</i> the direction from hip to ankle,</p>
<ul><li>the knee bends by κ = π − acos((a² + b² − d²) / (2ab)), of a thigh of length a and a shank of length b</li><li>the thigh is off that direction by α = atan2(b sin κ, a + b cos κ)</li><li>one solution: u1 = φ − α, u2 = κ; the other: u1 = φ + α, u2 = −κ</li></ul>
<p>The foot takes the rest: u3 = rotation − u1 − u2. Take <code>leg.ZERO</code> off each to have joint angles.</p>
<p>There are <b>two</b> solutions where the knee can bend both ways, and <b>none</b> where the ankle is too far from the hip. Three traps: use <code>atan2</code>, not <code>atan</code>; keep the argument of <code>acos</code> within −1 and 1; and angles that differ by whole turns are the same, so turn each into its range <code>leg.LOWER</code> to <code>leg.UPPER</code> where that is possible.</p>
<p><b>Your task:</b> complete <code>inverse</code>: a list of all solutions (hip, knee, ankle), which is empty where there is none. Every solution must reach its pose, and where one lies inside the limits it must be in the list with those very angles.</p>`,
    hints: [
      "d = math.hypot(ax - leg.HIP[0], az - leg.HIP[1]); there is no solution where d > leg.THIGH + leg.TIBIA.",
      "A whole turn: while angle < lower: angle += 2π; while angle > upper: angle −= 2π. If that leaves the range on the other side, it is just not feasible.",
    ],
    start: `import math

import leg


def inverse(x, z, rotation):
    """All joint angles [(hip, knee, ankle), ...] that bring the toe to (x, z) with the foot pointing to rotation."""
    ankle_x = x - leg.FOOT * math.cos(rotation)
    ankle_z = z - leg.FOOT * math.sin(rotation)
    d = math.hypot(ankle_x - leg.HIP[0], ankle_z - leg.HIP[1])
    solutions = []
    # The triangle of hip, knee and ankle gives two of them.
    return solutions
`,
  },
  {
    name: "lesson4",
    title: "4 Keyframes with inverse kinematics",
    task: "keyframes",
    goal: 0.45,
    text: `
<p>It is easier to say where the foot shall be than which angles that takes. Bring the lessons together: write the kick as <b>poses of the foot</b> and let your own inverse kinematics turn them into keyframes.</p>
<p><code>from lesson3 import inverse</code> takes what stands in the editor of lesson 3, so that one has to be solved first.</p>
<p>For every pose: ask for all solutions, leave out those beyond the limits (print which joint it was: that saves hours), and take the first that is left. Where none is left, raise an error that names the pose: the kick cannot be played, and you want to know why.</p>
<p><b>Your task:</b> let the ball pass within <b>0.45 m</b> of the target. Change poses and durations as you like.</p>`,
    hints: [
      "A solution is feasible where leg.LOWER[i] - 1e-6 <= angle <= leg.UPPER[i] + 1e-6 for all three joints.",
      "If the ball is hit too late, make the first pose shorter; if it rolls only, strike it from further below.",
    ],
    start: `import math

import leg
from lesson3 import inverse

# Toe (x, z) [m], direction of the foot [rad], time [s].
poses = [
    ((0.34, 0.25), -1.5, 1.05),
    ((0.73, 0.20), -0.4, 0.30),
    ((1.00, 0.37), -0.3, 0.30),
]

keyframes = []
for number, ((x, z), rotation, duration) in enumerate(poses):
    solutions = inverse(x, z, rotation)
    for solution in solutions:
        print(number, [round(math.degrees(angle), 1) for angle in solution])
    # Choose a solution inside leg.LOWER to leg.UPPER, and append
    # dict(hip_angle=..., knee_angle=..., ankle_angle=..., duration=...).
`,
  },
];
