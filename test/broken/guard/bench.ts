// What a wrong guard is tried with, all in one script: locks and simulator have to know each other's errors.
export { subjectOf } from '../../../packages/holdfast/src/locks/index.ts';
export { playGuarded as play } from '../../../packages/holdfast/src/search/index.ts';
