export type { Setup } from './arbitraries.ts';
export { BATCH, batchOf } from './arbitraries.ts';
export { type FaultRegistry, type FaultUnderTest, NONE } from './fault.ts';
export { isWholeUs } from './fields.ts';
export type { Injection } from './injections.ts';
export type { KeyFreed } from './key-freed.ts';
export {
  DEFAULT_LIVENESS_BOUNDS,
  type LivenessBounds,
  type LivenessConditions,
} from './liveness-bounds.ts';
export type { Minimised, StillFails } from './minimise.ts';
export type { PlayOptions, PlayResult } from './play.ts';
export { ScheduleError } from './reader.ts';
export {
  type Choreography,
  type ClientTarget,
  type Data,
  type Deployment,
  type RealLock,
  type ServerTarget,
  type Step,
  stepsOf,
  type Unplayable,
  type Verb,
  verbOf,
} from './real.ts';
export {
  type Aftermath,
  type ClientId,
  clientsOf,
  type Fault,
  nodeName,
  nodesIn,
  type Op,
  type Repointing,
  type Schedule,
  type When,
} from './schedule.ts';
export { SOMETIMES, type Sometimes } from './sometimes.ts';
export {
  type Expect,
  type Story,
  type StoryProperty,
  storyToString,
} from './story.ts';
export type { Subject, SubjectCore, SubjectEnv } from './subject.ts';
