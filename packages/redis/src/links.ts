/** The parts to run a node over other connections. The simulator uses them, so that it runs the node that ships. */
export type { Dialer, Link, LinkEvents, LinkPurpose, OutgoingCommand } from './link.ts';
export { Node, type NodeOptions } from './node.ts';
export { digestOf } from './script.ts';
