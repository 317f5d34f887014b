/** What it takes to run a node over connections of one's own making; the simulator does, so that it plays the very node that ships. */
export type { Dialer, Link, LinkEvents, OutgoingCommand } from './link.ts';
export { Node, type NodeOptions } from './node.ts';
export { digestOf } from './script.ts';
