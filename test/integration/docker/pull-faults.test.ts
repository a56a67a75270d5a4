import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { removeImage } from '../../support/docker/images.ts';
import { type BlobFaults, scriptedRegistry } from '../../support/docker/scripted-registry.ts';
import { workbench } from '../../support/docker/workbench.ts';

// A Docker engine with the containerd store repeats a layer's state every 100 ms, and drops the code
// of a registry's answer in JSON; an older one does neither.
const bench = workbench();

/** Pulls an image that can't run, since it has no shell. Returns the error, and the lines of the pull. */
async function pull(faults: BlobFaults, lines: string[] = [], pullIdleMs = 30_000): Promise<string> {
  const { image } = await scriptedRegistry(faults);
  onTestFinished(() => removeImage(image).catch(() => undefined));
  const preparing = bench.prepare({ image, pull: true }, bench.newExecutor({ pullIdleMs }), lines);
  return await preparing.then(String, ({ message }: Error) => message);
}

const refuse = (answer: ServerResponse, status: number, code: string, message: string) => {
  answer.writeHead(status, { 'content-type': 'application/json' });
  answer.end(JSON.stringify({ errors: [{ code, message }] }));
};

it.each([
  [429, 'TOOMANYREQUESTS', 'Rate exceeded'],
  [503, 'UNAVAILABLE', 'the backend is being upgraded'],
  [500, 'UNKNOWN', 'unknown error'],
])('a pull is tried again when the registry answers %s with JSON', async (status, code, message) => {
  const lines: string[] = [];
  const isRetried = () => lines.some((line) => /^The pull failed: .*\. Trying again in /.test(line));
  // An engine itself tries again too, without a word.
  const config = (answer: ServerResponse) => {
    if (isRetried()) return false;
    refuse(answer, status, code, message);
    return true;
  };
  const pulled = await pull({ config }, lines);
  expect(pulled).toContain('The image must have a POSIX shell');
  expect(isRetried()).toBe(true);
});

it('a rate limit that lasts is named, with the ways out', async () => {
  const config = (answer: ServerResponse) => {
    refuse(answer, 429, 'TOOMANYREQUESTS', 'Rate exceeded');
    return true;
  };
  const pulled = await pull({ config });
  expect(pulled).toMatch(
    /^Failed to pull the image for the job: \S+: .*Rate exceeded\. The registry's rate limit is reached, which is lowest without a login: set credentials for it .* try again later\.$/,
  );
});

it('a stalled layer is given up, also by an engine that goes on sending frames', async () => {
  const began = performance.now();
  const layer = (answer: ServerResponse, content: Buffer) => {
    answer.writeHead(200, { 'content-length': content.length });
    answer.write(content.subarray(0, -500_000));
    return true;
  };
  const pulled = await pull({ layer }, [], 3_000);
  expect(pulled).toMatch(/made no progress for 3 s\. Check the network between the engine and the registry/);
  expect(performance.now() - began).toBeLessThan(20_000);
});
