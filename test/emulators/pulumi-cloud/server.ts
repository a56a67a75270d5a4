import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { buildServer } from './dispatch.ts';
import { CloudModel } from './model.ts';
import type { CloudModelOptions } from './options.ts';

/** How the emulated Pulumi Cloud is set up and reached. */
export interface PulumiCloudOptions extends CloudModelOptions {
  /** The address to listen on; 127.0.0.1 by default. */
  readonly host?: string;
}

/** A strict Pulumi Cloud for tests, over real HTTP. `stop` throws for what a well-behaved agent would not send. */
export class PulumiCloud extends CloudModel {
  readonly #app: FastifyInstance;
  readonly #timer: NodeJS.Timeout;
  #url = '';

  private constructor(options: PulumiCloudOptions) {
    super(options);
    this.#app = buildServer(this);
    this.#timer = setInterval(() => this.sweep(), 100).unref();
  }

  /** Starts listening on a free port. The caller owns it and must call `stop`. */
  static async start(options: PulumiCloudOptions = {}): Promise<PulumiCloud> {
    const cloud = new PulumiCloud(options);
    await cloud.#app.listen({ host: options.host ?? '127.0.0.1', port: 0 });
    const { address, port } = cloud.#app.server.address() as AddressInfo;
    cloud.#url = `http://${address}:${port}`;
    return cloud;
  }

  /** Where it listens, such as `http://127.0.0.1:40001`. */
  get url(): string {
    return this.#url;
  }

  /** Stops listening, cuts every connection, and rejects whoever waits. @throws Error for violations that nobody asked for. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const closed = this.#app.close();
    try {
      this.close();
    } finally {
      await closed;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
