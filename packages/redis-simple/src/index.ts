export { openRedisSimple, type RedisSimpleOptions } from './open.ts';
