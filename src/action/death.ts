import { join } from 'node:path';
import * as core from '@actions/core';
import { RUN_FILES } from '../record/schema.ts';
import type { AgentExit } from './agent-process.ts';
import { consoleLine } from './console-text.ts';
import { lastLines } from './growing-lines.ts';
import { type RunReport, reportWithout } from './report.ts';
import { describeSweep, leftBy, type SweepCommand, sweep } from './sweep.ts';

export interface DeadAgent extends SweepCommand {
  readonly pid: number;
  /** How it ended, where its parent saw it. */
  readonly exit?: AgentExit | undefined;
  /** It was asked to stop. */
  readonly stopping?: boolean;
}

const LOG_LINES = 30;

/** The report of a run whose agent is gone without a result: what it may have left is removed, and said. */
export async function reportDead(agent: DeadAgent): Promise<RunReport> {
  const log = await lastLines(join(agent.runDirectory, RUN_FILES.log), LOG_LINES);
  core.startGroup("The end of the agent's own log");
  for (const line of log) core.info(consoleLine(line));
  core.endGroup();
  const swept = await sweep(agent);
  const report = await reportWithout(agent.runDirectory, { outcome: 'failed', message: '' });
  if (report.deploymentId === undefined && agent.stopping === true) {
    // A process that has only just begun does not handle signals yet.
    const message = `The CI job was cancelled before the agent (process ${agent.pid}) had claimed anything. ${describeSweep(swept)}`;
    return { ...report, outcome: 'interrupted', message };
  }
  const claimed =
    report.deploymentId === undefined
      ? ''
      : ` Pulumi Cloud will fail the deployment by itself when no heartbeat has come for 10 minutes; ${await howItEnds(agent.runDirectory)}.`;
  return { ...report, message: `${howItEnded(agent)}${claimed} ${describeSweep(swept)}` };
}

/** How what the job runs in ends without its agent. */
async function howItEnds(runDirectory: string): Promise<string> {
  const left = await leftBy(runDirectory);
  const isPod = left !== 'nothing' && left.target === 'kubernetes';
  return isPod ? 'its pod ends by itself within 5 minutes of the agent' : 'its container ends with the agent';
}

function howItEnded({ pid, exit }: DeadAgent): string {
  const agent = `The agent (process ${pid})`;
  if (exit?.signal) return `${agent} was killed by ${exit.signal} before it could report a result.`;
  if (exit === undefined) return `${agent} was killed before it could report a result.`;
  return `${agent} ended with exit code ${exit.code} and without a result; the end of its log above says why.`;
}
