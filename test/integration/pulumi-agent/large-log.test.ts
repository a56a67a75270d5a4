import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { readResult } from '../../../src/record/reader.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { folder, jobOf } from '../../support/agent/claimed-run.ts';
import { JOB_IMAGE, testImage } from '../../support/docker/images.ts';
import { ownAgentAsStandIn } from '../../support/pulumi-agent/pulumi-run.ts';
import { start } from '../doctor/command.ts';

const MB = 1_000_000;
/** Lines to print, no two of them the same. */
const LINES = 300_000;
const LINE_BYTES = 500;

beforeAll(() => testImage('job'));

it('150 MB of log pass through the relay whole, with little held in memory', {
  timeout: 180_000,
}, async () => {
  const cloud = await PulumiCloud.start();
  cloud.allow(/step 1 has 0 lines, the call's offset is/);
  onTestFinished(() => cloud.stop());
  // The emulator keeps no lines: this process's memory is not under test.
  cloud.script({ method: 'POST', path: /\/1\/logs$/, times: Infinity, answer: { status: 200, body: {} } });
  const job = jobOf(`seq -f '%0${LINE_BYTES - 1}.0f' 1 ${LINES}`);
  cloud.enqueue({
    project: 'web',
    stack: 'dev',
    poolId: 'pool-1',
    job: { ...job, image: { reference: JOB_IMAGE } },
  });
  const home = await folder();
  const [own, observed] = [join(home, 'own'), join(home, 'observed')];
  const { child, ended } = await start(['run', '--single-run', '--run-directory', observed], {
    home,
    environment: {
      PULUMI_AGENT_ENGINE: 'pulumi',
      PULUMI_AGENT_ENGINE_PATH: await ownAgentAsStandIn(own),
      PULUMI_AGENT_TOKEN: cloud.createStaticToken('pool-1'),
      PULUMI_AGENT_SERVICE_URL: cloud.url,
      PULUMI_AGENT_ENABLED_WORKFLOW_TYPES: 'deployment',
      PULUMI_AGENT_PULL_IMAGE: 'false',
      PULUMI_AGENT_POLLING_INTERVAL: '100ms',
    },
  });
  let peak = 0;
  while (child.exitCode === null && child.signalCode === null) {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    peak = Math.max(peak, (Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024) / MB);
    await delay(50);
  }
  const { code, stderr } = await ended;
  expect(code, stderr).toBe(0);

  const [seen, written] = [(await readResult(observed))!.steps[1]!, (await readResult(own))!.steps[1]!];
  expect(seen).toMatchObject({ status: 'succeeded', lines: LINES, bytes: LINES * LINE_BYTES });
  expect({ lines: seen.lines, bytes: seen.bytes, sha256: seen.sha256 }).toEqual({
    lines: written.lines,
    bytes: written.bytes,
    sha256: written.sha256,
  });
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(observed, seen.log!)), hash);
  expect(hash.digest('hex')).toBe(written.sha256);
  // The program alone takes more than 100 MB, which leaves no room for 150 MB of log.
  expect(peak).toBeLessThan(250);
});
