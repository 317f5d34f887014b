export { capabilities, plainCapabilities } from './identity.ts';
export { openRedlock, type RedlockOptions } from './open.ts';
