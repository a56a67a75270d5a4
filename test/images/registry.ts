import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { scriptOutput } from './script.ts';

/** A registry of the test's own, on loopback over plain HTTP, that lets in one user. */
export interface TestRegistry {
  /** Host and port: the first part of its images' names. */
  readonly address: string;
  readonly pid: number;
  /** Ends the registry and removes its data. May be called twice. */
  stop(): Promise<void>;
}

/** Starts a registry for one test file; the caller stops it. */
export async function startRegistry(user: string, password: string, signal?: AbortSignal): Promise<TestRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'registry-'));
  const stop = async () => {
    await scriptOutput('registry', ['stop', folder]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const port = await freePort();
    const output = await scriptOutput('registry', ['start', folder, String(port), user, password], signal);
    return { address: `127.0.0.1:${port}`, pid: Number(output.trim()), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
