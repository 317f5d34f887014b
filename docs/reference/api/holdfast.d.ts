// Every public name of this package, as the compiler emits it. Generated: npm run api

// ========== holdfast ==========

// * of @holdfast/core

type Config = MemoryConfig | RedisSimpleConfig | RedisGetsetConfig | RedlockConfig | ZkConfig | EtcdConfig | PostgresConfig | PostgresAdvisoryConfig | MovingConfig | ImportedConfig;

interface ImportedConfig extends NamedConfig, FencingOptions {
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

interface LockDefaults {
  readonly $schema?: string | undefined;
  readonly ttlMs?: number | undefined;
  readonly waitMs?: number | undefined;
  readonly renew?: boolean | undefined;
  readonly maxHoldMs?: number | undefined;
  readonly require?: readonly Requirement[] | undefined;
  readonly connect?: 'eager' | 'lazy' | undefined;
}

interface MemoryConfig extends LockDefaults, FencingOptions {
  readonly backend: 'memory';
}

interface OpenOptions<R extends readonly Requirement[] = readonly Requirement[]> extends HostOptions, StoreChoice {
  readonly require?: R | undefined;
  readonly reentrant?: 'context' | 'warn' | undefined;
}

interface PostgresConfig extends LockDefaults, FencingOptions, PostgresSourceConfig {
  readonly backend: 'postgres';
  readonly connections?: number | undefined;
  readonly schema?: string | undefined;
  readonly namespace?: string | undefined;
  readonly synchronous?: boolean | undefined;
}

interface RedisGetsetConfig extends OneRedisConfig {
  readonly backend: 'redis-getset';
  readonly checkAge?: boolean | undefined;
}

interface RedisSimpleConfig extends OneRedisConfig, FencingOptions {
  readonly backend: 'redis-simple';
  readonly waitReplicas?: number | undefined;
  readonly fair?: boolean | undefined;
  readonly layout?: 'own' | 'plain' | undefined;
}

interface RedlockConfig extends LockDefaults {
  readonly backend: 'redlock';
  readonly nodes: readonly (string | RedisClient)[];
  readonly library?: RedisLibrary | undefined;
  readonly tls?: object | undefined;
  readonly namespace?: string | undefined;
  readonly layout?: 'own' | 'plain' | undefined;
  readonly allowSmall?: boolean | undefined;
}

interface StoreChoice {
  readonly store?: string | undefined;
}

interface Stores {
  readonly $schema?: string | undefined;
  readonly stores: Readonly<Record<string, Config>>;
}

interface ZkConfig extends LockDefaults, FencingOptions {
  readonly backend: 'zk';
  readonly url: string;
  readonly client?: 'zk-client' | 'zookeeper' | undefined;
  readonly tls?: object | undefined;
  readonly namespace?: string | undefined;
  readonly locksAt?: string | undefined;
}

function loadConfig(path: string, { store }?: StoreChoice): Promise<Config>;

function openLocks<const R extends readonly Requirement[] = readonly []>(source: string | Config | Stores, options?: OpenOptions<R>): Promise<Locks<TokenOf<R>>>;

// ----- without a name of its own in holdfast -----

interface BackendModule<C extends NamedConfig> {
  readonly capabilities?: Capabilities | undefined;
  readonly deployment?: unknown;
  open(config: C, host: Host, openPart: OpenPart): Promise<Backend>;
}

interface BackendRecord<C extends NamedConfig> {
  readonly name: string;
  readonly schemes: Readonly<Record<string, Scheme>>;
  readonly schema: v.GenericSchema<C>;
  readonly fileSchema?: v.GenericSchema<C>;
  readonly omitted?: Readonly<Record<string, string>>;
  readonly isLocal?: true;
  readonly parts?: readonly string[];
  check?(config: C, reject: Reject, isBuiltIn: (backend: string) => boolean): void;
  migration?(schema: string | undefined): Promise<string>;
  load(config: C): Promise<BackendModule<C>>;
}

interface EtcdConfig extends LockDefaults, FencingOptions {
  readonly backend: 'etcd';
  readonly url: string;
  readonly tls?: object | undefined;
  readonly namespace?: string | undefined;
}

interface FencingOptions {
  readonly fencingEpoch?: number | undefined;
}

type MovedConfig = Exclude<Config, MovingConfig>;

interface MovingConfig extends LockDefaults {
  readonly backend: 'moving';
  readonly from: MovedConfig;
  readonly to: MovedConfig;
}

interface NamedConfig extends LockDefaults {
  readonly backend: string;
}

interface OneRedisConfig extends NamedConfig, SentinelOptions {
  readonly url?: string | undefined;
  readonly library?: RedisLibrary | undefined;
  readonly tls?: object | undefined;
  readonly client?: RedisClient | RedisClusterClient | undefined;
  readonly shareClient?: boolean | undefined;
  readonly namespace?: string | undefined;
}

type OpenPart = (part: Config) => Promise<Backend>;

interface PostgresAdvisoryConfig extends LockDefaults, PostgresSourceConfig {
  readonly backend: 'postgres-advisory';
  readonly namespace?: string | undefined;
}

interface PostgresSourceConfig {
  readonly url?: string | undefined;
  readonly client?: Exclude<PostgresSource, string> | undefined;
  readonly library?: 'pg' | 'postgres' | undefined;
  readonly tls?: object | undefined;
}

type Reject = (message: string) => never;

interface Scheme {
  readonly shown: string;
  config(url: string, rest: string): object;
}

const etcd: BackendRecord<EtcdConfig>;

const memory: BackendRecord<MemoryConfig>;

const moving: BackendRecord<MovingConfig>;

const postgres: BackendRecord<PostgresConfig>;

const redlock: BackendRecord<RedlockConfig>;

const zk: BackendRecord<ZkConfig>;
