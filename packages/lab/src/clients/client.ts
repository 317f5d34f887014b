export type { Client } from '@holdfast/processes';
