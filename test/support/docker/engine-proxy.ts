import { onTestFinished } from 'vitest';
import { type EngineGate, type EngineGateOptions, openEngineGate } from './engine-gate.ts';

export type EngineProxy = EngineGate;
export type EngineProxyOptions = Pick<EngineGateOptions, 'onRequest'>;

/** The real Docker engine on a TCP port of this machine, like a remote one, until the running test is over. */
export async function startEngineProxy(options: EngineProxyOptions = {}): Promise<EngineProxy> {
  const gate = await openEngineGate(options);
  onTestFinished(gate.cut);
  return gate;
}
