import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runPruner } from '../../../src/agent/runs/directories.ts';
import { ownerOf, ownOwner } from '../../../src/base/owner.ts';
import { readEvents, readResult } from '../../../src/record/reader.ts';
import { moveAside, replaceRecord } from '../../../src/record/run-directory.ts';
import { type RunEnd, RunRecord } from '../../../src/record/run-record.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const BEGAN = Date.parse('2026-06-18T10:00:00.123Z');
const ASIDE = '2026-06-18T10-00-00.123Z';
const DEAD = { ...ownOwner(), started: '1' };
const END: RunEnd = {
  ...{ outcome: 'succeeded', exitCode: 0, message: 'Done.', waitSeconds: 0, runSeconds: 1 },
  ...{ forwarded: [], steps: [] },
};

/** Begins a run in `directory`, with a step's log. Returns its record. */
function begin(directory: string, owner = DEAD): RunRecord {
  const record = new RunRecord({ version: '1', owner, now: () => BEGAN, redact: (text) => text });
  record.event({ type: 'agent-started', version: '1', owner });
  record.open(directory);
  writeFileSync(record.stepLog(1, 'Step').absolute, 'first\n');
  writeFileSync(join(directory, 'agent.log'), 'first\n');
  return record;
}
const refusal = (message: RegExp) =>
  expect.objectContaining({
    outcome: 'config-error',
    code: 'PRA-CONFIG-07',
    message: expect.stringMatching(message),
  });

describe('a run directory that was used before', () => {
  it.each([true, false])(
    'gives way to the next run, whether its own ended (%s) or its agent died',
    async (ends) => {
      const directory = await temporaryDirectory();
      const first = begin(directory);
      if (ends) first.close(END);
      mkdirSync(join(directory, 'deployments/001-d'), { recursive: true });
      writeFileSync(join(directory, 'important'), 'theirs');
      const before = (await readdir(directory)).filter((name) => name !== 'important');
      expect(await moveAside(directory)).toBe(join(directory, ASIDE));
      expect((await readdir(directory)).toSorted()).toEqual([ASIDE, 'important']);
      expect((await readdir(join(directory, ASIDE))).toSorted()).toEqual(before.toSorted());
      begin(directory, ownOwner()).close({ ...END, message: 'The second.' });
      expect((await readResult(directory))?.message).toBe('The second.');
      expect((await readResult(join(directory, ASIDE)))?.message).toBe(ends ? 'Done.' : undefined);
      expect(await readFile(join(directory, ASIDE, 'steps/01-step.log'), 'utf8')).toBe('first\n');
      // The record set aside is removed as others are.
      const [log, now] = [() => undefined, () => BEGAN + 25 * 60 * 60_000];
      const signal = new AbortController().signal;
      await runPruner({ keptRuns: 100, keptRunsDays: 1 }, directory, log, now, signal)();
      expect(await readdir(directory)).not.toContain(ASIDE);
      expect((await readResult(directory))?.message).toBe('The second.');
    },
  );

  it.each([
    ['is alive', ownerOf(process.ppid)],
    ['is on another machine', { ...DEAD, space: 'elsewhere/boot/pid:[4026531836]' }],
  ])('is refused, and left as it is, while its agent %s', async (_, owner) => {
    const directory = await temporaryDirectory();
    begin(directory, owner);
    const before = await readdir(directory, { recursive: true });
    const message =
      /has the record of another run, whose agent \(process \d+ on .*\) may still be running\. Set run_di/;
    await expect(moveAside(directory)).rejects.toThrow(refusal(message));
    expect(() => begin(directory)).toThrow(refusal(/EEXIST/));
    expect(await readdir(directory, { recursive: true })).toEqual(before);
  });

  it('gives way once an agent that can’t be checked has written nothing for 10 minutes, but never a living one’s', async () => {
    const elsewhere = { ...DEAD, space: 'elsewhere/boot/pid:[1]' };
    for (const [owner, seconds, isTaken] of [
      [elsewhere, -601, true],
      // The clock was a month ahead then.
      [elsewhere, 30 * 86_400, true],
      [ownerOf(process.ppid), -601, false],
    ] as const) {
      const directory = await temporaryDirectory();
      begin(directory, owner);
      const longAgo = Date.now() / 1000 + seconds;
      for (const name of ['events.ndjson', 'health.ndjson', 'run.json.part'])
        utimesSync(join(directory, name), longAgo, longAgo);
      if (isTaken) expect(await moveAside(directory)).toBe(join(directory, ASIDE));
      else await expect(moveAside(directory)).rejects.toThrow(refusal(/may still be running/));
    }
  });

  it('keeps an agent that wakes up later from ending the record that took the place of its own', async () => {
    const directory = await temporaryDirectory();
    const late = begin(directory);
    await moveAside(directory);
    const next = begin(directory, ownOwner());
    expect(() => late.close(END)).toThrow('another agent has moved this record');
    next.close({ ...END, message: 'The second.' });
    expect((await readResult(directory))?.message).toBe('The second.');
  });

  it('is taken as it is if it has no record: fresh, empty, or with a log that is open already', async () => {
    const directory = await temporaryDirectory();
    expect(await moveAside(join(directory, 'none'))).toBeUndefined();
    expect(await moveAside(directory)).toBeUndefined();
    appendFileSync(join(directory, 'agent.log'), 'by the action\n');
    expect(await moveAside(directory)).toBeUndefined();
    expect(await readdir(directory)).toEqual(['agent.log']);
  });

  it('gives way wholly after a move that was cut short, and not to a second agent while it is moved', async () => {
    const directory = await temporaryDirectory();
    begin(directory).close(END);
    const aside = join(directory, ASIDE);
    mkdirSync(aside);
    for (const name of ['agent.log', 'steps', 'events.ndjson'])
      await rename(join(directory, name), join(aside, name));
    writeFileSync(join(aside, 'events.ndjson'), '', { flag: 'a' });
    await expect(moveAside(directory)).rejects.toThrow(refusal(/EEXIST/));
    utimesSync(aside, 0, 0);
    expect(await moveAside(directory)).toBe(aside);
    expect(await readdir(directory)).toEqual([ASIDE]);
    expect(await readResult(aside)).toMatchObject({ message: 'Done.' });
  });

  it('goes to one of several agents that begin at once, and loses nothing', async () => {
    const directory = await temporaryDirectory();
    begin(directory);
    const [earlier, run] = ['run-directory', 'run-record'].map((name) =>
      JSON.stringify(fileURLToPath(import.meta.resolve(`../../../src/record/${name}.ts`))),
    );
    const owners = JSON.stringify(fileURLToPath(import.meta.resolve('../../../src/base/owner.ts')));
    const script = `
      const { moveAside } = await import(${earlier});
      const { RunRecord } = await import(${run});
      const { ownOwner } = await import(${owners});
      const [directory] = process.argv.slice(1);
      const owner = ownOwner();
      const record = new RunRecord({ version: '1', owner, now: Date.now, redact: (text) => text });
      process.stdin.once('data', async () => {
        try {
          await moveAside(directory);
          record.event({ type: 'agent-started', version: '1', owner });
          record.open(directory);
          process.stdout.write('won');
        } catch ({ code }) { process.stdout.write(code); }
        process.stdin.once('data', () => process.exit());
      });
      process.stdout.write('ready');`;
    const agents = Array.from({ length: 6 }, () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, directory], {
        stdio: 'pipe',
      });
      return child;
    });
    const heard = async () => {
      const texts = await Promise.all(
        agents.map(async ({ stdout }) => String((await once(stdout, 'data'))[0])),
      );
      return texts.toSorted();
    };
    const go = () => agents.map(({ stdin }) => stdin.write('go'));
    expect(await heard()).toEqual(agents.map(() => 'ready'));
    const answers = heard();
    go();
    expect(await answers).toEqual([...agents.slice(1).map(() => 'PRA-CONFIG-07'), 'won']);
    go();
    await Promise.all(agents.map((agent) => once(agent, 'exit')));
    expect((await readEvents(join(directory, ASIDE))).map(({ type }) => type)).toEqual(['agent-started']);
    const [event] = await readEvents(directory);
    expect(agents.map(({ pid }) => pid)).toContain(event?.type === 'agent-started' && event.owner.pid);
  });
});

describe('the record in a checkout', () => {
  it.each(['absent', 'empty', 'of a run that ended', 'of an agent of elsewhere'])(
    'is made empty where it is %s',
    async (state) => {
      const directory = join(await temporaryDirectory(), 'pulumi-runner');
      if (state !== 'absent') mkdirSync(directory);
      if (state === 'of a run that ended') begin(directory).close(END);
      if (state === 'of an agent of elsewhere') begin(directory, { ...DEAD, host: 'other', space: 'x/y/z' });
      await replaceRecord(directory);
      expect(await readdir(directory)).toEqual([]);
    },
  );

  it('stays as it is beside a file that no record has', async () => {
    const directory = await temporaryDirectory();
    begin(directory).close(END);
    writeFileSync(join(directory, 'important'), 'theirs');
    await expect(replaceRecord(directory)).rejects.toEqual(
      refusal(/it holds "important", which is no record/),
    );
    expect(await readdir(directory)).toContain('steps');
  });

  it('stays as it is while its agent lives', async () => {
    const directory = await temporaryDirectory();
    begin(directory, ownOwner());
    await expect(replaceRecord(directory)).rejects.toEqual(refusal(/an earlier run still writes it/));
  });

  it('is not made through a link', async () => {
    const folder = await temporaryDirectory();
    symlinkSync('/etc', join(folder, 'pulumi-runner'));
    await expect(replaceRecord(join(folder, 'pulumi-runner'))).rejects.toEqual(refusal(/a link to one/));
  });
});
