import { settledBefore, type TimeSource } from '../base/clock.ts';
import type { AgentConfig } from '../base/config/agent-config.ts';
import type { Environment } from '../base/environment.ts';
import type { Log } from '../base/log/level.ts';
import type { SecretSink } from '../base/log/redactor.ts';
import { findRoute, openRoute } from '../base/network/route.ts';
import type { RunObserver } from './observer.ts';
import { CloudProxy } from './proxy/proxy.ts';
import type { Recorder } from './recorder/recorder.ts';

/**
 * For a poll under way to finish when the agent is stopped: its polls return without waiting for
 * work.
 */
const POLL_MS = 10_000;

/** Characters of the agent's output that go to agent.log. */
const MAX_OUTPUT = 16 * 1024 * 1024;

export interface ProxyObserverOptions {
  readonly config: AgentConfig;
  readonly environment: Environment;
  /** The address of this machine to listen on. */
  readonly address: string;
  readonly clock: TimeSource;
  readonly log: Log;
  /** Hides values for longer than the run. */
  readonly secrets: SecretSink;
  readonly recorder: Recorder;
}

/**
 * Observes a run through a proxy in front of Pulumi Cloud. Throws what node:net throws, and
 * OutcomeError `config-error`.
 */
export async function proxyObserver(options: ProxyObserverOptions): Promise<RunObserver> {
  const { config, environment, address, clock, log, secrets, recorder } = options;
  const { serviceUrl, caCertificate, requestTimeoutMs } = config;

  const route = findRoute({
    serviceUrl,
    connectTimeoutMs: Math.min(10_000, requestTimeoutMs),
    caCertificate,
    environment,
  });

  secrets.add(route.secrets);

  await using opened = new AsyncDisposableStack();
  const dispatcher = openRoute(route);
  opened.defer(() => dispatcher.destroy());
  const proxy = await CloudProxy.open({
    serviceUrl,
    dispatcher,
    address,
    clock,
    isCredential: (token) => recorder.isCredential(token),
    onCall: (call) => recorder.take(call),
    onCli: (path, token) => recorder.cliRefused(path, token),
  });

  opened.defer(() => proxy.close());

  // In a log or a record, the address would outlive the proxy.
  secrets.add([new URL(proxy.url).host]);

  const connections = opened.move();
  let characters = 0;

  return {
    serviceUrl: proxy.url,
    isProxied: true,
    state: () => recorder.state,
    onLine: (line) => {
      if (characters > MAX_OUTPUT) return;
      characters += line.length;

      log(
        'info',
        characters > MAX_OUTPUT
          ? "Pulumi's agent printed too much: the rest is omitted."
          : `Pulumi's agent: ${line}`,
      );
    },
    giveNoWork: () => settledBefore(proxy.giveNoWork(), AbortSignal.timeout(POLL_MS)).catch(() => undefined),
    close: async () => {
      await connections.disposeAsync();
      return recorder.close();
    },
    [Symbol.asyncDispose]: () => connections.disposeAsync(),
  };
}
