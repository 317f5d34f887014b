import type { Direction, Only } from './proxy.ts';

/** Where a server listens. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** What the process of the proxies is asked to do; each order is answered. `port` names a proxy by where it listens. */
export type ProxyCommand =
  | { readonly kind: 'open'; readonly target: Target }
  | {
      readonly kind: 'cut';
      readonly port: number;
      readonly direction: Direction;
      readonly only?: Only | undefined;
    }
  | { readonly kind: 'lose-replies'; readonly port: number; readonly passes: number }
  | { readonly kind: 'delay'; readonly port: number; readonly delayMs: number }
  | { readonly kind: 'heal'; readonly port: number; readonly drop: boolean }
  | { readonly kind: 'retarget'; readonly port: number; readonly target: Target }
  | { readonly kind: 'close'; readonly port: number };

export interface NumberedCommand {
  readonly id: number;
  readonly command: ProxyCommand;
}

/** `port`: of the proxy that was opened; else that of the order. */
export type ProxyReply =
  | { readonly id: number; readonly port: number }
  | { readonly id: number; readonly failed: string };
