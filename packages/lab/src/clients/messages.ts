export type { Opening, Sample } from '@holdfast/processes';
