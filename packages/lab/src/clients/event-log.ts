export { type Entry, historyOf } from '@holdfast/processes';
