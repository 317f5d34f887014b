// Every public name of this package, as the compiler emits it. Generated: npm run api

// ========== @holdfast/nestjs ==========

interface HoldfastAsyncOptions extends Visibility, Pick<ModuleMetadata, 'imports'> {
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: (...args: any[]) => HoldfastOptions | Promise<HoldfastOptions>;
}

class HoldfastHealth {
  constructor(locks: Locks);
  isHealthy(name: string, locks?: Pick<Locks, 'health'>): Promise<Readonly<Record<string, HealthResult>>>;
}

class HoldfastModule implements OnApplicationShutdown {
  constructor(opened: Opened);
  static forRoot({ token, isGlobal, ...options }: HoldfastOptions & Visibility): DynamicModule;
  static forRootAsync(options: HoldfastAsyncOptions): DynamicModule;
  onApplicationShutdown(): Promise<void>;
}

interface HoldfastOptions extends OpenOptions {
  readonly source: string | Config | Stores;
  readonly closeTimeoutMs?: number | undefined;
}

type KeyOf<Args extends Arguments> = string | ((...args: Args) => string);

function Locked<Args extends Arguments = any[]>(key: KeyOf<Args>, { token, ...options }?: AcquireOptions & From): LockedMethod<Args, unknown>;

type LockedMethod<Args extends Arguments, Result> = <M extends (...args: [...Args, ...more: never[]]) => Promise<Result>>(prototype: object, name: string | symbol, descriptor: TypedPropertyDescriptor<M>) => void;

const Locks: unique symbol;
type Locks<Token = bigint | undefined> = HoldfastLocks<Token>;

function TryLocked<Args extends Arguments = any[]>(key: KeyOf<Args>, { token, ...options }?: TryUseOptions & From): LockedMethod<Args, void>;

function currentLease(): Lease;

// ----- without a name of its own in @holdfast/nestjs -----

type Arguments = readonly any[];

interface From {
  readonly token?: InjectionToken | undefined;
}

interface HealthResult {
  readonly status: 'up' | 'down';
  readonly nodes: Health['nodes'];
}

interface Opened {
  readonly locks: Locks;
  readonly closeTimeoutMs: number | undefined;
}

interface Visibility {
  readonly token?: InjectionToken | undefined;
  readonly isGlobal?: boolean | undefined;
}
