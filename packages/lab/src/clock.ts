export { hostMs } from '@holdfast/processes';
