export { belief } from './belief.ts';
export { explain } from './explain.ts';
export { judge } from './judge.ts';
export { mutualExclusion } from './mutual-exclusion.ts';
export { resource } from './resource.ts';
