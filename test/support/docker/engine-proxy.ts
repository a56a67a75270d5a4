import { onTestFinished } from 'vitest';
import { type EngineGate, type EngineGateOptions, openEngineGate } from './engine-gate.ts';

export type EngineProxy = EngineGate;
export type EngineProxyOptions = EngineGateOptions;

/** The engine's answers as one that was started for the first time gives them: its bridge's gateway has no name. */
export function withoutGateway(data: Buffer): Buffer {
  return Buffer.from(data.toString('latin1').replaceAll('"Gateway"', '"Unnamed"'), 'latin1');
}

/** The real Docker engine on a TCP port of this machine, like a remote one, until the running test is over. */
export async function startEngineProxy(options: EngineProxyOptions = {}): Promise<EngineProxy> {
  const gate = await openEngineGate(options);
  onTestFinished(gate.cut);
  return gate;
}
