import type { NodeAcl } from './acl.ts';
import type { ServerSession } from './session.ts';

/** What a transaction does to the tree, worked out by the leader, applied by every server alike. */
export type Change =
  | {
      readonly kind: 'create';
      readonly path: string;
      readonly data: string;
      readonly owner: ServerSession | undefined;
      readonly isContainer: boolean;
      readonly acl: NodeAcl | undefined;
    }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'setData'; readonly path: string; readonly data: string }
  | { readonly kind: 'createSession'; readonly session: ServerSession }
  | {
      readonly kind: 'closeSession';
      readonly session: ServerSession;
      readonly paths: readonly string[];
    }
  /** What was refused takes its place in the order too. */
  | { readonly kind: 'refused' };
