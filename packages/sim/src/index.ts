export type { Moment } from './anchors.ts';
export { channelDriver, type Driver, immediateDriver, type Turn } from './driver.ts';
export { SimAmbientError, SimLimitError, SimStuckError, SimUnhandledError } from './errors.ts';
export type { CallLatency, SimProcess } from './process.ts';
export { type Random, random } from './random.ts';
export { type Effect, type Hold, Recorder, type ValidFor } from './recorder.ts';
export type { Trace, TraceRecord } from './trace.ts';
export { type ProcessOptions, World, type WorldOptions } from './world.ts';
