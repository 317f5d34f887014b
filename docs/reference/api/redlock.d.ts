// Every public name of this package, as the compiler emits it. Generated: npm run api

// ========== @holdfast/redlock ==========

interface RedlockOptions {
  readonly sources?: readonly RedisSource[] | undefined;
  readonly nodes?: readonly RedisNode[] | undefined;
  readonly namespace?: string | undefined;
  readonly library?: RedisLibrary | undefined;
  readonly tls?: object | undefined;
  readonly layout?: 'own' | 'plain' | undefined;
  readonly allowSmall?: boolean | undefined;
}

const capabilities: Capabilities & {
  readonly fencing: 'none';
};

function openRedlock(options: RedlockOptions, host: Host): Promise<Backend>;

const plainCapabilities: Capabilities & {
  readonly fencing: 'none';
};
