export { capabilitiesOfBoth, NAME } from './identity.ts';
export { type MovedStore, type MovingOptions, openMoving } from './open.ts';
