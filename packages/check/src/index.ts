export { answers } from './answers.ts';
export { belief } from './belief.ts';
export { captionOf } from './draw/caption.ts';
export { type Headline, headlineOf } from './draw/headline.ts';
export { type Ink, plainInk } from './draw/ink.ts';
export { isPicture } from './draw/is-picture.ts';
export { meaningOf } from './draw/meaning.ts';
export { drawMultiples } from './draw/multiples.ts';
export {
  type Colour,
  type Column,
  FAULT_GLYPH,
  mark,
  OUTCOMES,
  type Outcome,
  type OutcomeId,
  RING,
  type Sign,
  type Style,
  signOf,
} from './draw/notation.ts';
export type {
  Actor,
  ClockPoint,
  Message,
  Scene,
  SceneFault,
  ServerHold,
} from './draw/scene.ts';
export { drawSvg, type SvgOptions } from './draw/svg.ts';
export { drawText, type TextOptions } from './draw/text.ts';
export { explain } from './explain.ts';
export { fifo, type Place } from './fifo.ts';
export { type Freed, type Gap, gapsOf, honesty } from './gap.ts';
export type { HoldRecord, Standing } from './hold-record.ts';
export { Judge, judge } from './judge.ts';
export { lateLoss } from './late-loss.ts';
export { mutualExclusion } from './mutual-exclusion.ts';
export { overlapMs } from './overlap.ts';
export { ownership, type Touch } from './ownership.ts';
export type { RefusalRecord, Stay, Tried } from './refusal-record.ts';
export { refusals } from './refusals.ts';
export { resource } from './resource.ts';
export { median, percentile } from './statistics.ts';
