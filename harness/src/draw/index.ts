export { captionOf } from './caption.ts';
export { type Headline, headlineOf } from './headline.ts';
export { isPicture } from './is-picture.ts';
export { withoutUnused } from './markup.ts';
export { meaningOf } from './meaning.ts';
export { drawMultiples } from './multiples.ts';
export {
  type Colour,
  type Column,
  FAULT_GLYPH,
  mark,
  OUTCOMES,
  type Outcome,
  type OutcomeId,
  plainStyle,
  RING,
  type Sign,
  type Style,
  signOfStyle,
  type TextStyle,
} from './notation.ts';
export type {
  Actor,
  ClockPoint,
  Message,
  Scene,
  SceneFault,
  StoredHolder,
} from './scene.ts';
export {
  type MessageOnWay,
  type Stage,
  type StageLane,
  type Step,
  stageOf,
  type Track,
  trackOf,
} from './stage.ts';
export { drawSvg, type SvgOptions, styleRules } from './svg.ts';
export { drawText, type TextOptions } from './text.ts';
