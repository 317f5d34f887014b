// What a wrong guard is tried with, all in one script: locks and simulator have to know each other's errors.
export { playGuarded as play, SUBJECTS } from '../../../packages/holdfast/src/search/index.ts';
