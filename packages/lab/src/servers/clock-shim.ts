export { compileShim, ShiftedClock } from '@holdfast/processes';
