import { onTestFinished } from 'vitest';
import { NEVER } from '../../../src/base/clock.ts';
import { DockerEngine } from '../../../src/executor/docker/engine/engine.ts';
import { type ProxyAddress, proxyAddress } from '../../../src/pulumi-agent/proxy/address.ts';

/** Where the proxy can listen, for the Docker engine that `environment` names and the variables forwarded to jobs. */
export function proxyAddressOf(
  environment: Readonly<Record<string, string>>,
  envForwardAllowlist: string[] = [],
): Promise<ProxyAddress> {
  const engine = new DockerEngine(environment);
  onTestFinished(() => engine.close());
  return proxyAddress({ engine, environment, envForwardAllowlist, signal: NEVER });
}
