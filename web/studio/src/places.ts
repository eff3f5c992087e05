// Where keyframes are: in a block, and in time.

/** A keyframe of a block. */
export interface KeyRef {
  block: string;
  index: number;
}

/** A keyframe that is played, with its begin and end [s]. */
export interface Place {
  ref: KeyRef;
  /** Which of the blocks of the motion it is in, from 0. */
  occurrence: number;
  begin: number;
  end: number;
}
