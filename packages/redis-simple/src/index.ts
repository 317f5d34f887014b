export { capabilities, fairCapabilities } from './identity.ts';
export { openRedisSimple, type RedisSimpleOptions } from './open.ts';
