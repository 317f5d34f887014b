import { type RealmStart, serveRealm } from '@holdfast/harness/playground';

// Runs the reader's code, in a page of its own without a network.

/** The part of a worker's scope that it uses; the types of the page say `window`. */
declare const self: {
  addEventListener(
    type: 'message',
    listener: (event: MessageEvent<RealmStart>) => void,
    options: { readonly once: true },
  ): void;
  postMessage(message: string): void;
};

const BEAT_MS = 100;

self.addEventListener(
  'message',
  ({ data, ports: [port] }) => {
    beat();
    setInterval(beat, BEAT_MS);
    if (port !== undefined) void serveRealm(data, port);
  },
  { once: true },
);

function beat(): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
  self.postMessage('beat');
}
