export { Crew } from '@holdfast/processes';
