export type { Setup } from './arbitraries.ts';
export { type FaultBook, type FaultUnderTest, NONE } from './fault.ts';
export { isWholeUs } from './fields.ts';
export type { Freed } from './frees.ts';
export type { Fails, Minimised } from './minimise.ts';
export { GENERAL_PATIENCE, type Patience, type Situation } from './patience.ts';
export type { Played, PlayOptions } from './play.ts';
export {
  type Choreography,
  type Data,
  type Deployment,
  type RealLock,
  type Step,
  stepsOf,
  type Unplayable,
  type Verb,
  verbOf,
  type Which,
  type Who,
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
export { ScheduleError } from './schedule-error.ts';
export { SOMETIMES, type Sometimes } from './sometimes.ts';
export {
  type Expect,
  type Story,
  type StoryProperty,
  storyToString,
} from './story.ts';
export { BATCH, batchOf } from './stream.ts';
export type { Strike } from './strikes.ts';
export type { Subject, SubjectCore, SubjectEnv } from './subject.ts';
