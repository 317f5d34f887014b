export { type LabRequest, runLab } from './command/run-lab.ts';
export type { Simulator } from './command/simulated.ts';
export type * from './deployments/own-servers.ts';
export type * from './evaluation/cross-check.ts';
export type { ExpectationOf } from './evaluation/judge-lab-cell.ts';
export type * from './evaluation/report.ts';
export { pageOf } from './report/page.ts';
