import { onTestFinished } from 'vitest';
import { NEVER } from '../../../src/base/clock.ts';
import { DockerEngine } from '../../../src/executor/docker/engine/engine.ts';
import { type RelayPlace, relayPlace } from '../../../src/pulumi-agent/bridge.ts';

/** Where a relay can listen, for the Docker engine that `environment` names and the variables forwarded to jobs. */
export function relayPlaceOf(
  environment: Readonly<Record<string, string>>,
  envForwardAllowlist: string[] = [],
): Promise<RelayPlace> {
  const engine = new DockerEngine(environment);
  onTestFinished(() => engine.close());
  return relayPlace({ envForwardAllowlist }, engine, environment, NEVER);
}
