export { type Setup, schedulesFor } from './arbitraries.ts';
export { isWholeUs, needsServers } from './fields.ts';
export type { Freed } from './frees.ts';
export { type Fails, type Minimised, minimise } from './minimise.ts';
export { parseSchedule } from './parse.ts';
export { GENERAL_PATIENCE, type Patience, type Situation } from './patience.ts';
export { type Played, type PlayOptions, play } from './play.ts';
export type { QueueHead } from './queues.ts';
export {
  type Aftermath,
  type ClientId,
  clientsOf,
  type Fault,
  type FaultKind,
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
  parseStory,
  parseStoryText,
  type Story,
  type StoryProperty,
  storyFromString,
  storyToString,
} from './story.ts';
export { BATCH, batchOf } from './stream.ts';
export type { Strike } from './strikes.ts';
export type { Subject, SubjectCore, SubjectEnv } from './subject.ts';
