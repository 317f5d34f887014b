export { type Door, Proxies } from '@holdfast/processes';
