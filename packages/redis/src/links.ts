/** The parts to run a node over other connections. The simulator uses them, so that it runs the node that ships. */
export { ClusterNode, type ClusterNodeOptions } from './cluster/cluster-node.ts';
export type { MemberNode, RoutedCall } from './cluster/routing.ts';
export { SLOTS, slotOf } from './cluster/slot.ts';
export type { Dialer, Link, LinkEvents, LinkPurpose, OutgoingCommand } from './link.ts';
export { Node, type NodeOptions } from './node.ts';
export { digestOf } from './script.ts';
export { SentinelDialer, type SentinelDialerOptions } from './sentinel/sentinel-dialer.ts';
