export { answer, type Edit, type RequestName, type Requests } from './answer.ts';
export type { Catalogue, PlayableFault, PlayableLock } from './catalogue.ts';
export { type Choice, CLIENTS_MAX } from './deal.ts';
export type { FaultMark, Film } from './film.ts';
export { COMPARED_MAX } from './on-locks.ts';
export type { PlaceableFault, Placement } from './place.ts';
export { SEEK_BUDGET, type Seeking, type SeekProgress } from './seek.ts';
