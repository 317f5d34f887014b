export { Breach } from './breach.ts';
export { CHECKS } from './checks.ts';
export { checkBackend, type Outcome, runCheck } from './run.ts';
export type { Stage } from './stage.ts';
export type { BackendUnderTest, Check, Faults } from './subject.ts';
