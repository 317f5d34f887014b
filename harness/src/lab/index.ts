export { type LabRequest, runLab } from './command/run-lab.ts';
export type { Simulator } from './command/simulated.ts';
export type * from './evaluation/both.ts';
export type { ExpectationOf } from './evaluation/judge-cell.ts';
export type * from './evaluation/report.ts';
export { pageOf } from './report/page.ts';
export type * from './servers/own.ts';
