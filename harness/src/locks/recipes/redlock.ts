export { openRedlock } from '@holdfast/redlock';
