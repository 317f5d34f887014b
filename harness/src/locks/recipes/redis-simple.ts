export { openRedisSimple } from '@holdfast/redis-simple';
