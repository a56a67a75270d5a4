/** Stands in for Pulumi's agent and misbehaves as its first argument says. */
import { spawn } from 'node:child_process';
import { call, claim } from './agent-calls.ts';

const forever = () => setInterval(() => undefined, 60_000);
const poll = () => call('GET', '/api/deployments/poll', undefined);

switch (process.argv[2]) {
  case 'unresponsive': {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => console.log(`heard ${signal}`));
    const child = spawn('sh', ['-c', "trap '' INT TERM; echo forked $$; while :; do sleep 1; done"], {
      stdio: 'inherit',
    });
    child.unref();
    const { jobID, jobToken } = await claim();
    await call('GET', `/api/workflow/jobs/${jobID}`, jobToken);
    await call('PATCH', `/api/workflow/jobs/${jobID}/0/status`, jobToken, { status: 'running' });
    forever();
    break;
  }
  case 'flooding': {
    await poll();
    const line = `${'x'.repeat(200)}\n`.repeat(500);
    for (let left = 400; left > 0; left -= 1)
      if (!process.stderr.write(line)) await new Promise((resolve) => process.stderr.once('drain', resolve));
    process.exitCode = 9;
    break;
  }
  case 'scanning': {
    const { json } = await call('POST', '/api/background-activities/worker/lease/acquire', undefined, {});
    console.log(`scanning with ${json?.['leaseToken']}`);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    process.exitCode = json === undefined ? 1 : 0;
    break;
  }
  case 'beating': {
    const { jobID, jobToken } = await claim();
    for (;;) {
      await call('POST', `/api/workflow/jobs/${jobID}/heartbeat`, jobToken, {});
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  case 'hanging':
    await poll();
    forever();
    break;
  default:
    break;
}
