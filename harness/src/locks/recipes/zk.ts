export { openZk } from '@holdfast/zk';
