import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { plainText } from '../../base/log/plain-text.ts';
import { byteCount } from '../../base/quantity.ts';
import { lastLines } from '../growing-lines.ts';
import { readable } from '../reader.ts';
import { healthSnapshotSchema, RUN_FILES } from '../schema.ts';
import { detailTable } from './blocks.ts';
import type { Details } from './facts.ts';
import { escapeHtml, titledTable } from './markup.ts';
import { PAGE } from './medium.ts';
import { isIncomplete, receiptBlock, receiptOf } from './receipt.ts';
import type { RunReport } from './report.ts';

const MAX_SNAPSHOTS = 500;
const MAX_SNAPSHOT_BYTES = 256 * 1024;

const shownSnapshot = healthSnapshotSchema.omit({ lastActivity: true });

interface Health {
  readonly isBad: boolean;
  /** Markup; empty without snapshots. */
  readonly block: string;
}

/**
 * Image, IDs, log receipt, health and files, folded unless a line is missing or the agent was unhealthy. Throws what
 * node:fs throws.
 */
export async function technicalDetails(
  directory: string,
  report: RunReport,
  details: Details,
): Promise<string> {
  const receipt = receiptOf(report);
  const health = await healthOf(directory);
  const isOpen = health.isBad || (receipt !== undefined && isIncomplete(receipt));
  const parts = [
    // With several jobs, each job's page has its own.
    details.isOfSeveral ? '' : detailTable(details),
    receiptBlock(receipt, PAGE),
    health.block,
    await fileLinks(directory),
  ];

  return `<details class="technical"${isOpen ? ' open' : ''}><summary>Technical details</summary>${parts.join('')}</details>`;
}

async function fileLinks(directory: string): Promise<string> {
  const present = await readdir(directory);
  const records = [RUN_FILES.result, RUN_FILES.events, RUN_FILES.health, RUN_FILES.log];
  const links = records
    .filter((name) => present.includes(name))
    .map((name) => `<a href="${name}">${name}</a>`);
  return links.length === 0 ? '' : `<p>Files next to this page: ${links.join(' · ')}</p>`;
}

/** The latest health snapshots as a table. Throws what node:fs throws. */
export async function healthOf(directory: string): Promise<Health> {
  const lines = await lastLines(join(directory, RUN_FILES.health), MAX_SNAPSHOTS, MAX_SNAPSHOT_BYTES);
  const snapshots = readable(lines, (line) => shownSnapshot.parse(JSON.parse(line)));
  if (snapshots.length === 0) return { isBad: false, block: '' };

  const healthy = snapshots.filter(({ status }) => status === 'healthy').length;
  const isBad = healthy < snapshots.length;
  const memory = byteCount(Math.max(...snapshots.map(({ rssBytes }) => rssBytes)));
  const sentence = `Health: the agent was healthy in ${healthy} of ${snapshots.length} snapshots; peak memory: ${memory}`;

  const rows = snapshots.map(({ t, status, state, rssBytes }) => [
    ...[t, status, state].map((text) => escapeHtml(plainText(text, 40))),
    byteCount(rssBytes),
  ]);
  const limits = { maxRows: MAX_SNAPSHOTS, noun: 'snapshots', labelled: true };
  const figures = titledTable(['Time', 'Status', 'State', 'Memory'], rows, limits);

  return {
    isBad,
    block: `<details${isBad ? ' open' : ''}><summary>${sentence}</summary>${figures}</details>`,
  };
}
