import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LastReport } from '../../../../src/executor/container/step-report.ts';
import type { Cluster } from '../../../../src/executor/kubernetes/cluster.ts';
import type { ControlChannel } from '../../../../src/executor/kubernetes/exec/control-channel.ts';
import { ExecStream, type StreamEnd } from '../../../../src/executor/kubernetes/exec/exec-stream.ts';
import { PodStep } from '../../../../src/executor/kubernetes/step/step.ts';
import { read } from '../../../support/documents/pages.ts';

/** What a step's script does after the step's end, in place of which `end` is known. */
const [, REPORT = ''] = read('src/executor/kubernetes/step/step.sh').split(/^total=$/m);

describe.each(['bash', 'dash'])('in %s, a step’s end', (shell) => {
  it.each([
    ['comes with the bytes of its output', 'pos:\t7\nflags:\t0100000\nmnt_id:\t9\n', '0 0 0 of 7'],
    ['comes without the bytes where there is no position', 'flags:\t0100000\n', '0 0 0'],
    ['comes without the bytes where nothing can be read', undefined, '0 0 0'],
  ])('%s', (_, fdinfo, report) => {
    const folder = mkdtempSync(join(tmpdir(), 'step-end-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'fdinfo');
    if (fdinfo !== undefined) writeFileSync(file, fdinfo);
    const script = `end='0 0 0'\ntotal=${REPORT.replaceAll('/proc/self/fdinfo/3', file)}`;
    const { stderr, status } = spawnSync(shell, ['-c', script], { encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: `\n${report}\n`, status: 0 });
  });
});

afterEach(() => void vi.restoreAllMocks());

/** A step whose streams end as given, after the report of its end and then a line of output. */
async function follow(report: string, ends: readonly StreamEnd[]) {
  const { signal } = new AbortController();
  const warnings: string[] = [];
  let output = '';
  const open = vi.spyOn(ExecStream, 'open');
  for (const [index, own] of ends.entries())
    open.mockImplementationOnce(async ({ onError, onOutput }) => {
      const end = Promise.withResolvers<StreamEnd>();
      let isOpen = true;
      const close = () => {
        isOpen = false;
        end.resolve({ cut: new Error('closed') });
      };
      setImmediate(async () => {
        onError(Buffer.from(`7\n\n${report}\n`));
        if (isOpen) await onOutput(Buffer.from(`line ${index + 1}\n`));
        end.resolve(own);
      });
      return { end: end.promise, write: () => undefined, close } as never;
    });
  const pod = {
    cluster: { call: async () => ({ status: { phase: 'Running' } }) } as unknown as Cluster,
    name: 'p',
    control: { lost: signal } as unknown as ControlChannel,
    environmentFile: '/PULUMI_ENV',
    logger: (_: unknown, text: string) => void warnings.push(text),
    lastReport: new LastReport(),
    loss: async () => new Error('the pod was lost'),
  };
  const step = new PodStep(pod, { name: '1', settings: 'true', signal }, (piece) => {
    output += String(piece);
  });
  return { exit: await step.exit, output, warnings };
}

const DONE: StreamEnd = { exitCode: 0, message: '' };
const CUT: StreamEnd = { cut: new Error('cut') };

describe('a step whose output isn’t counted', () => {
  it('has all that its stream brings after the report of its end', async () => {
    expect(await follow('0 0 0', [DONE])).toMatchObject({
      exit: { code: 0 },
      output: 'line 1\n',
      warnings: [],
    });
  });

  it('resumes a stream that was cut, and loses nothing', async () => {
    expect(await follow('0 0 0', [CUT, DONE])).toMatchObject({
      output: 'line 1\nline 2\n',
      warnings: ["The step's stream was cut; its output will resume."],
    });
  });
});

it('a step whose output is counted is over as soon as all of it has come', async () => {
  const forever: StreamEnd = { cut: new Error('never') };
  expect(await follow('0 0 0 of 7', [forever])).toMatchObject({ output: 'line 1\n', warnings: [] });
});
