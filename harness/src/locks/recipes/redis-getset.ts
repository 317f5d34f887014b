export { openRedisGetset } from '@holdfast/redis-getset';
