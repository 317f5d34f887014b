export type { Target } from '@holdfast/processes';
