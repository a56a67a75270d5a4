import { onTestFinished } from 'vitest';
import { NEVER } from '../../../src/clock.ts';
import { type RelayPlace, relayPlace } from '../../../src/engines/pulumi/bridge.ts';
import { Engine } from '../../../src/executor/docker/engine/engine.ts';

/** Where a relay stands for the engine that these variables lead to, and for jobs that are forwarded those of these names. */
export function relayPlaceOf(
  environment: Readonly<Record<string, string>>,
  envForwardAllowlist: string[] = [],
): Promise<RelayPlace> {
  const engine = new Engine(environment);
  onTestFinished(() => engine.close());
  return relayPlace({ config: { envForwardAllowlist }, engine, environment, signal: NEVER });
}
