export { capabilities } from './identity.ts';
export { openRedisGetset, type RedisGetsetOptions } from './open.ts';
