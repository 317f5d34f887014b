import {
  type DynamicModule,
  type FactoryProvider,
  Inject,
  type InjectionToken,
  Module,
  type ModuleMetadata,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type Config, type OpenOptions, openLocks, type Stores } from 'holdfast';
import { HoldfastHealth } from './health.ts';
import { Locks } from './locks.ts';

/** How locks are opened: the options of `openLocks`, and where the locks are. */
export interface HoldfastOptions extends OpenOptions {
  /** A URL, a configuration, or the path of a configuration file. */
  readonly source: string | Config | Stores;
  /**
   * How long a shutdown waits for held leases, in ms; default 5 000. Choose less than your platform gives the process.
   */
  readonly closeTimeoutMs?: number | undefined;
}

/** How the locks are found by other modules. */
interface Visibility {
  /** Default: {@link Locks}. Another one for a second store. */
  readonly token?: InjectionToken | undefined;
  /** False: only modules that import this one see the locks. Default: true. */
  readonly isGlobal?: boolean | undefined;
}

/** As {@link HoldfastOptions}, from a factory. */
export interface HoldfastAsyncOptions extends Visibility, Pick<ModuleMetadata, 'imports'> {
  /** Tokens of the arguments of the factory. */
  readonly inject?: FactoryProvider['inject'];
  /** Makes the options. */
  readonly useFactory: (...args: any[]) => HoldfastOptions | Promise<HoldfastOptions>;
}

/** What one import of the module opened. */
const OPENED = Symbol('holdfast: opened');
interface Opened {
  readonly locks: Locks;
  readonly closeTimeoutMs: number | undefined;
}

/**
 * Opens locks when the app starts, and closes them when it has shut down.
 * @example
 * ```ts
 * @Module({ imports: [HoldfastModule.forRoot({ source: 'redis://localhost' })] })
 * class AppModule {}
 * ```
 */
@Module({})
export class HoldfastModule implements OnApplicationShutdown {
  readonly #opened: Opened;

  /** For Nest. */
  constructor(@Inject(OPENED) opened: Opened) {
    this.#opened = opened;
  }

  /**
   * Opens with options that are known when the module is declared.
   * @throws when the app starts: what `openLocks` throws
   */
  static forRoot({ token, isGlobal, ...options }: HoldfastOptions & Visibility): DynamicModule {
    return this.forRootAsync({ token, isGlobal, useFactory: () => options });
  }

  /**
   * Opens with options that a factory makes, for example of Nest's configuration.
   * @example
   * ```ts
   * HoldfastModule.forRootAsync({
   *   inject: ['url'], // a provider of yours
   *   useFactory: (url: string) => ({ source: url }),
   * });
   * ```
   * @throws when the app starts: what `openLocks` throws
   */
  static forRootAsync(options: HoldfastAsyncOptions): DynamicModule {
    const { token = Locks, isGlobal = true, imports = [], inject = [], useFactory } = options;
    return {
      module: HoldfastModule,
      global: isGlobal,
      imports,
      providers: [
        { provide: OPENED, inject, useFactory: async (...args) => open(await useFactory(...args)) },
        { provide: token, inject: [OPENED], useFactory: ({ locks }: Opened) => locks },
        ...(token === Locks ? [HoldfastHealth] : []),
      ],
      exports: [token, ...(token === Locks ? [HoldfastHealth] : [])],
    };
  }

  /**
   * For Nest. By now the HTTP server has answered its last request, so none meets closed locks. Bodies that run on, such as
   * those of `elect`, are told by their signals.
   */
  async onApplicationShutdown(): Promise<void> {
    const { locks, closeTimeoutMs } = this.#opened;
    await locks.close({ timeoutMs: closeTimeoutMs });
  }
}

async function open({ source, closeTimeoutMs, ...options }: HoldfastOptions): Promise<Opened> {
  return { locks: await openLocks(source, options), closeTimeoutMs };
}
