export { capabilities, fairCapabilities, plainCapabilities } from './identity.ts';
export { openRedisSimple, type RedisSimpleOptions } from './open.ts';
