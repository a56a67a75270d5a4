import { expect, it } from 'vitest';
import { dashboardQueries, promtoolSays, startPrometheus } from './prometheus-server.ts';
import { openScene } from './scene.ts';

it('Prometheus gets the metrics while jobs run and after them, and they last from job to job', async () => {
  const { cloud, token, start, enqueue } = await openScene();
  const agent = start();
  const [, port = ''] = await agent.said(/Health is served at http:\/\/127\.0\.0\.1:(\d+)\/healthz\./);
  const prometheus = await startPrometheus(`127.0.0.1:${port}`);
  await prometheus.until('up == 1');
  await prometheus.until('pulumi_runner_agent_state{state="waiting"} == 1');
  await prometheus.until('pulumi_runner_poll_duration_seconds_count{result="nothing"} > 0');
  expect(await prometheus.query('sum(pulumi_runner_jobs_total)')).toEqual([0]);

  const first = enqueue('echo one; echo at work; read -t 60 < <(sleep 60); exit 3', 'one');
  await prometheus.until('pulumi_runner_agent_state{state="running"} == 1');
  await prometheus.until('pulumi_runner_heartbeats_total{result="accepted"} > 0');
  await prometheus.until('pulumi_runner_heartbeat_age_seconds > 0');
  await prometheus.until('pulumi_runner_claim_to_first_step_seconds_count == 1');
  // Output counts while the job runs: a job of hours is not counted only at its end.
  await prometheus.until('pulumi_runner_output_bytes_total > 12');
  await prometheus.until('pulumi_runner_log_lines_total{result="sent"} > 2');
  cloud.cancel(first.id);
  await prometheus.until('pulumi_runner_jobs_total{outcome="cancelled"} == 1');

  const second = enqueue('for i in {1..250}; do echo "grüße $i"; done', 'two');
  await prometheus.until('pulumi_runner_jobs_total{outcome="succeeded"} == 1');
  await prometheus.until('pulumi_runner_agent_state{state="waiting"} == 1');
  const lines = [first, second].flatMap(({ steps }) => steps.flatMap((step) => step.lines));
  const bytes = lines.reduce((sum, { l }) => sum + Buffer.byteLength(l), 0);
  const value = async (expression: string) => (await prometheus.query(expression))[0];
  expect(await value('pulumi_runner_log_lines_total{result="sent"}')).toBe(lines.length);
  expect(await value('pulumi_runner_output_bytes_total')).toBe(bytes);
  for (const name of [
    'claims_total',
    'job_duration_seconds_count',
    'poll_duration_seconds_count{result="claim"}',
  ])
    expect(await value(`pulumi_runner_${name}`)).toBe(2);
  const statuses = cloud.requests.filter(({ method }) => method === 'PATCH').length;
  expect(await value('sum(pulumi_runner_requests_total{purpose="step-status"})')).toBe(statuses);
  expect(await prometheus.alerts()).toEqual({
    firing: [],
    known: [
      'PulumiRunnerDown',
      'PulumiRunnerHeartbeatLate',
      'PulumiDeploymentFailed',
      'PulumiLogLinesUndelivered',
    ],
  });

  // A failure raises an alert. A counter's first sample is not an increase, so this one had to start at 0.
  enqueue('exit 3', 'three');
  await prometheus.until('ALERTS{alertname="PulumiDeploymentFailed",alertstate="firing"}');

  // Every query of the dashboard names metrics that the agent has: each finds something here.
  for (const expression of dashboardQueries())
    expect((await prometheus.query(expression)).length, expression).toBeGreaterThan(0);

  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  for (const { id, jobId, runId } of [first, second]) {
    for (const hidden of [token, id, jobId, runId]) expect(text).not.toContain(hidden);
  }
  expect(await promtoolSays(text)).toEqual({ code: 0, said: '' });
  agent.child.kill('SIGTERM');
  await agent.ended;
}, 300_000);
