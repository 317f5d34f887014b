export type { Direction, Only } from '@holdfast/processes';
