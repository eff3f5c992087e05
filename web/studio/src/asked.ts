// What pages may ask of the server; made by scripts/protocol_types.py from src/andante/studio/messages.py,
// terrain_messages.py, classroom/class_messages.py and experiments/experiment_messages.py. Lengths, bounds and finite
// numbers are checked there.

/** Put back what the open lesson's document began with, as an edit that can be undone. */
export interface BeginAgain {
  request?: number;
  do: "begin_again";
}

/** Run an experiment in a process of its own. */
export interface BeginExperiment {
  request?: number;
  experiment: string;
  options?: Record<string, unknown>;
  values?: string[];
  seeds?: number | null;
  first_seed?: number | null;
  do: "begin_experiment";
  page?: boolean;
  minutes?: number;
}

/** A fault that begins now. */
export interface BeginFault {
  request?: number;
  do: "fault";
  fault: Fault;
}

/** End the run; what was made is kept. */
export interface CancelExperiment {
  request?: number;
  do: "cancel_experiment";
}

/** One of the controller's settings while it runs. */
export interface Change {
  request?: number;
  do: "change";
  parameter: string;
  value: number | boolean | string;
}

/** Motions, blocks and balance phases: make, rename, delete, or set fields; the engine's settings: set fields. */
export interface ChangeLibrary {
  request?: number;
  revision: number;
  group?: string;
  do: "library";
  kind: "motions" | "blocks" | "balance" | "settings";
  action: "add" | "rename" | "delete" | "set";
  name: string;
  to?: string;
  fields?: Record<string, unknown>;
}

/** Keep, rename or delete one of the user's postures, or take such a change back. */
export interface ChangePostures {
  request?: number;
  do: "keep_posture" | "rename_posture" | "delete_posture" | "undo_posture" | "redo_posture";
  name?: string;
  to?: string;
  joints?: Record<string, number>;
  overwrite?: boolean;
}

/** What would be run. */
export interface CheckExperiment {
  request?: number;
  experiment: string;
  options?: Record<string, unknown>;
  values?: string[];
  seeds?: number | null;
  first_seed?: number | null;
  do: "check_experiment";
}

/** Run the motion with several seeds: does it fall? */
export interface CheckPhysics {
  request?: number;
  do: "prove";
  motion: string;
  seeds?: number;
}

/** Something done with chosen keyframes. */
export interface ChooseKeyframes {
  request?: number;
  revision: number;
  group?: string;
  do: "duplicate" | "delete" | "mirror";
  block: string;
  keyframes: number[];
}

/** Compare two results, or two runs. */
export interface CompareResults {
  request?: number;
  do: "compare_results";
  first: string;
  second: string;
}

/** Other limits of a joint; those that are not given stay. */
export interface CorrectedJoint {
  speed?: number | null;
  effort?: number | null;
}

/** A frame to a place, by inverse kinematics: see `andante.studio.dragging.dragged`. */
export interface Drag {
  request?: number;
  do: "drag";
  joints: number[];
  base: number[];
  frame: string;
  target: number[];
  feet: string[];
  limb?: string[];
  locked?: string[];
  turn?: number[] | null;
  trunk?: number[] | null;
  com?: number[] | null;
  hold_com?: boolean;
}

/** A stroke on the board. */
export interface Draw {
  request?: number;
  do: "draw";
  tool: "raise" | "lower" | "flatten" | "box" | "gap" | "ramp";
  points: number[][];
  height: number;
  radius: number;
  more?: boolean;
}

/** Try a motion with some seeds, now and after every edit, for all pages; or no more. */
export interface Evidence {
  request?: number;
  do: "evidence";
  on: boolean;
  motion?: string;
  seeds?: number;
  allow_fall?: boolean;
  start?: string;
}

/** A fault of some joints or of the IMU; it begins at `start`, at `when`, or when it is triggered by name. A motor that moves several joints (the NAO's hip yaw pitch) is hit as one, whichever of its joints is named. */
export interface Fault {
  type: "stuck" | "sticky" | "weak" | "dead" | "offset" | "delayed" | "noisy" | "dropped" | "imu_offset" | "imu_dropped";
  name?: string;
  joints?: string[];
  start?: number | null;
  when?: When | null;
  repeat?: boolean;
  duration?: number | null;
  torque?: number | null;
  factor?: number | null;
  angle?: number | null;
  ticks?: number | null;
  reading?: "hold" | "nan" | null;
  rotation?: number[] | null;
  rate?: number[] | null;
  acceleration?: number[] | null;
  reported?: boolean;
}

/** List the workspace. */
export interface Files {
  request?: number;
  do: "files";
  part?: string;
}

/** Put a footstep somewhere else, or add one. */
export interface Foothold {
  request?: number;
  do: "foothold";
  number: number;
  foot?: string;
  x: number;
  y: number;
}

/** Keyframes put into a block. */
export interface InsertKeyframes {
  request?: number;
  revision: number;
  group?: string;
  do: "insert";
  block: string;
  at: number;
  keyframes: Record<string, unknown>[];
  mirrored?: boolean;
}

/** Keep the first footsteps only. */
export interface KeepSteps {
  request?: number;
  do: "keep";
  count: number;
}

/** Play keyframes of the lessons' leg in physics: numbers, never code. */
export interface LessonKick {
  request?: number;
  do: "lesson_kick";
  keyframes: number[][];
}

/** The leg of the lessons. */
export interface LessonScene {
  request?: number;
  do: "lesson_scene";
}

/** A level board to draw on. */
export interface LevelBoard {
  request?: number;
  do: "level_board";
  robot: string;
  length?: number;
  width?: number;
  spacing?: number;
}

/** List experiments, results and runs of the workspace. */
export interface ListExperiments {
  request?: number;
  do: "shelf";
}

/** What an experiment asks, and what it can be asked. */
export interface LookAtExperiment {
  request?: number;
  do: "look_at_experiment";
  experiment: string;
}

/** What a result says. */
export interface LookAtResult {
  request?: number;
  do: "look_at_result";
  result: string;
}

/** What a robot is, and what of it was guessed. */
export interface LookAtRobot {
  request?: number;
  do: "look_at_robot";
  robot: string;
}

/** Make a board and set the robot on its start. */
export interface MakeBoard {
  request?: number;
  do: "board";
  robot: string;
  board: string;
  difficulty?: number;
  seed?: number;
  values?: Record<string, number>;
}

/** A fault that ends now. */
export interface MendFault {
  request?: number;
  do: "mend";
  name: string;
}

/** No knob moves this parameter any more; a learning under way ends. */
export interface MidiForget {
  request?: number;
  do: "midi_forget";
  parameter: string;
}

/** The next knob that is turned moves this parameter. */
export interface MidiLearn {
  request?: number;
  do: "midi_learn";
  parameter: string;
  low: number;
  high: number;
  kind: "number" | "count" | "switch";
}

/** Hear a MIDI port; an empty name closes the one that is open. */
export interface MidiOpen {
  request?: number;
  do: "midi_open";
  port: string;
}

/** List the MIDI ports and what is bound. */
export interface MidiPorts {
  request?: number;
  do: "midi_ports";
}

/** A control change into the loopback port. */
export interface MidiSend {
  request?: number;
  do: "midi_send";
  channel?: number;
  control: number;
  value: number;
}

/** A keyframe to another place of its block. */
export interface MoveKeyframe {
  request?: number;
  revision: number;
  group?: string;
  do: "move";
  block: string;
  keyframe: number;
  to: number;
}

/** Make a new document and open it. */
export interface New {
  request?: number;
  do: "new";
  file: string;
  copy_of?: string;
  robot: string;
}

/** Open a file. */
export interface Open {
  request?: number;
  do: "open";
  file: string;
  robot?: string | "";
  anew?: boolean;
}

/** Read a terrain file of the workspace and set the robot on its start. */
export interface OpenBoard {
  request?: number;
  do: "open_board";
  robot: string;
  file: string;
}

/** Open the document of a lesson, made where it was never opened. */
export interface OpenLesson {
  request?: number;
  do: "lesson";
  lesson: string;
}

/** Show a walk that was saved, on its ground and in the lanes. */
export interface OpenWalk {
  request?: number;
  do: "open_walk";
  name: string;
}

/** What needs no more to be said. Which robots and boards there are; all files of robots; the walks that were saved; take a stroke back, or draw it again; set the robot on what was drawn; where the body is over the footsteps, as planned and as the stance generator has it; break the run off. The server asks whether a process that was begun anew is as far as the one before. */
export interface Plain {
  request?: number;
  do: "choices" | "robots" | "walks" | "undo" | "redo" | "take" | "stances" | "stop" | "again";
}

/** Plan the walk: footsteps that were clicked where there are some, else by a search. */
export interface Plan {
  request?: number;
  do: "plan";
  search?: boolean;
}

/** Run a motion in physics. */
export interface Play {
  request?: number;
  do: "play";
  motion: string;
  seed?: number;
  speed?: number;
  block?: string;
  keyframe?: number;
  occurrence?: number;
  allow_fall?: boolean;
  start?: string;
  paused?: boolean;
}

/** Which recorded variables come with the poses. */
export interface Plots {
  request?: number;
  do: "plots";
  columns: string[];
}

/** Balance of a posture. */
export interface Posture {
  request?: number;
  do: "posture";
  joints: number[];
}

/** List the postures that the user keeps for this robot. */
export interface Postures {
  request?: number;
  do: "postures";
}

/** Pull at a body as by a spring from a point of it to a place, until that is told otherwise; or let go. */
export interface Push {
  request?: number;
  do: "push";
  body: string;
  point?: number[];
  target?: number[];
}

/** Ask for the lecturer, or no more. */
export interface RaiseHand {
  request?: number;
  do: "hand";
  up: boolean;
}

/** Go on with a result that was cut off. */
export interface ResumeExperiment {
  request?: number;
  do: "resume_experiment";
  result: string;
  minutes?: number;
}

/** List the robots that can be chosen. */
export interface Robots {
  request?: number;
  do: "robots";
  part?: string;
}

/** Write what the document says into another file, in the format that its name asks for. */
export interface SaveAs {
  request?: number;
  do: "save_as";
  file: string;
  format?: string;
  motion?: string;
  overwrite?: boolean;
}

/** Write the board to a file of the workspace. */
export interface SaveBoard {
  request?: number;
  do: "save_board";
  file: string;
  overwrite?: boolean;
}

/** Keep the last walk in the folder `walks` of the workspace. */
export interface SaveWalk {
  request?: number;
  do: "save_walk";
  name: string;
  overwrite?: boolean;
}

/** What a save would change, or the save. */
export interface Saving {
  request?: number;
  do: "diff" | "save";
  overwrite?: boolean;
}

/** New values of keyframes' fields. */
export interface SetKeyframes {
  request?: number;
  revision: number;
  group?: string;
  do: "set";
  block: string;
  fields: Record<string, Record<string, unknown>>;
}

/** Write the last run into the workspace as a page that needs no server, or as a video or GIF with plots. */
export interface Share {
  request?: number;
  do: "share";
  kind: "html" | "gif" | "mp4";
}

/** Push a body at its origin with a force that stays the same for a while. */
export interface Shove {
  request?: number;
  do: "shove";
  body: string;
  force: number[];
  duration?: number;
}

/** The trajectory of a motion or a block, now and after every edit. */
export interface Show {
  request?: number;
  do: "show";
  motion?: string;
  block?: string;
}

/** What the ground is painted with. */
export interface ShowLayer {
  request?: number;
  do: "layer";
  layer: string;
}

/** The reachable volume before a footstep. */
export interface ShowReach {
  request?: number;
  do: "reach";
  what: string;
  step?: number;
}

/** Time of the run per real time. */
export interface Speed {
  request?: number;
  do: "speed";
  speed: number;
}

/** One keyframe into two that go the same way (of a linear one), at a share of its duration. */
export interface SplitKeyframe {
  request?: number;
  revision: number;
  group?: string;
  do: "split";
  block: string;
  keyframe: number;
  share: number;
  joints: Record<string, number>;
}

/** Pause a run, let it go on, do some ticks, end it. */
export interface Steer {
  request?: number;
  do: "pause" | "resume" | "stop" | "step";
  ticks?: number;
}

/** Undo or redo. */
export interface Step {
  request?: number;
  do: "undo" | "redo";
}

/** Characters in place of others. */
export interface TextEdit {
  request?: number;
  revision: number;
  group?: string;
  do: "text";
  key?: string;
  changes: [number, number, string][];
}

/** Walk in physics: the plan, or steered by hand. */
export interface Walk {
  request?: number;
  do: "walk";
  controller: "crawl" | "reactive-crawl" | "trot" | "quadruped" | "policy";
  policy?: string;
  goal?: number[] | null;
  seconds?: number;
  payload?: number;
}

/** A moment in the progress of the keyframe engine. */
export interface When {
  block: string;
  keyframe?: number;
}

/** What is asked of a robot that is steered, as shares of the largest speeds, or a place where it shall go. */
export interface Wish {
  request?: number;
  do: "wish";
  forward?: number;
  lateral?: number;
  turn?: number;
  goal?: number[] | null;
  share?: number;
  gait?: string | null;
  over?: boolean;
}

/** Write a robot as a pack into the workspace, with what was corrected. */
export interface WritePack {
  request?: number;
  do: "write_pack";
  robot: string;
  folder: string;
  name?: string;
  title?: string;
  joints?: Record<string, CorrectedJoint>;
  feet?: Record<string, number>;
}

export type Asked =
  | Files
  | Robots
  | LookAtRobot
  | WritePack
  | Open
  | New
  | Step
  | Saving
  | SaveAs
  | TextEdit
  | SetKeyframes
  | InsertKeyframes
  | ChooseKeyframes
  | MoveKeyframe
  | SplitKeyframe
  | ChangeLibrary
  | Postures
  | ChangePostures
  | Posture
  | Drag
  | Show
  | CheckPhysics
  | Evidence
  | Share
  | LessonScene
  | LessonKick
  | Play
  | Steer
  | Speed
  | Plots
  | BeginFault
  | MendFault
  | Push
  | Shove
  | Change
  | MidiPorts
  | MidiOpen
  | MidiLearn
  | MidiForget
  | MidiSend
  | OpenLesson
  | BeginAgain
  | RaiseHand;

export type AskedOfTerrain =
  | Plain
  | MakeBoard
  | OpenBoard
  | LevelBoard
  | Draw
  | SaveBoard
  | ShowLayer
  | ShowReach
  | Plan
  | Foothold
  | KeepSteps
  | Walk
  | Wish
  | SaveWalk
  | OpenWalk
  | BeginFault
  | MendFault
  | Change
  | Plots;

export type AskedOfExperiments =
  | ListExperiments
  | LookAtExperiment
  | CheckExperiment
  | BeginExperiment
  | ResumeExperiment
  | CancelExperiment
  | LookAtResult
  | CompareResults;
