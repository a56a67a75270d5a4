import type { Claim, Figure } from './claim.ts';
import { ratioFigure, spread } from './figures.ts';
import { agentAtRest, agentPolls, barePolls, type PollCost } from './idle-runs.ts';
import { compare, summarize } from './statistics.ts';

/** An hour's polls at the default interval of a minute, at most: the agent adds up to a tenth to every pause. */
const POLLS = 60;
/**
 * The hour is made in two minutes. As many polls are made as in a whole hour, because a process's first ones cost most, and not in a
 * row: 0.1 s apart, caches still warm, one took two thirds of the CPU time that it took 10 s apart.
 */
const INTERVAL_MS = 2_000;
/** Snapshots of its health, which an agent writes every 30 seconds, are in it as often as in any other two minutes. */
const REST_MS = 120_000;
const HOUR_MS = 3_600_000;

interface Round {
  readonly bare: PollCost;
  /** Every poll over a TLS connection of its own, as where no server keeps one for a minute. */
  readonly tls: PollCost;
  readonly kept: PollCost;
  readonly rest: { readonly cpuMs: number; readonly residentMb: number };
}

/**
 * What an agent without work asks of Pulumi Cloud and of its machine in an hour. The hour is put together of two things that were
 * measured: an hour's polls, made faster, and time without a poll, multiplied.
 */
export const pollOverhead: Claim = {
  name: 'poll-overhead',
  measure: async ({ dist, samples = 2, progress }) => {
    const rounds: Round[] = [];
    for (let round = 0; round < samples; round += 1) {
      progress(`round ${round} of ${samples}: ${POLLS} polls in ${(POLLS * INTERVAL_MS) / 1000} s`);
      rounds.push(await once(dist));
    }
    return figures(rounds);
  },
};

/** All at a time, as each of them does next to nothing: so they see the same machine. */
async function once(dist: string): Promise<Round> {
  const pace = { polls: POLLS, intervalMs: INTERVAL_MS };
  const running = [
    barePolls(pace),
    agentPolls(dist, pace, 'tls'),
    agentPolls(dist, pace, 'kept'),
    agentAtRest(dist, REST_MS),
  ] as const;
  // None is left running when another fails.
  await Promise.allSettled(running);
  const [bare, tls, kept, rest] = await Promise.all(running);
  return { bare, tls, kept, rest };
}

function figures(rounds: readonly Round[]): Figure[] {
  const requests = Math.max(...rounds.flatMap(({ tls, kept }) => [tls.requests, kept.requests]));
  const perMs = ({ rest }: Round) => rest.cpuMs / REST_MS;
  /** Of one poll, without the time between polls. */
  const poll = (round: Round, { cpuMs, elapsedMs }: PollCost) => (cpuMs - perMs(round) * elapsedMs) / POLLS;
  const hour = (round: Round, cost: PollCost) => poll(round, cost) * POLLS + perMs(round) * HOUR_MS;
  const of = (figure: (round: Round) => number) => rounds.map(figure);
  const each = (figure: (round: Round) => number, digits: number) => spread(summarize(of(figure)), digits);
  const hours = of((round) => hour(round, round.tls));
  const ratio = ratioFigure(
    'agent CPU in an hour without work',
    'a bare Node program that makes the same polls',
    compare(
      hours,
      of(({ bare }) => bare.cpuMs),
    ),
  );
  const computed = `${POLLS} polls made ${INTERVAL_MS / 1000} s apart, less the time between them, and ${REST_MS / 1000} s without a poll × ${HOUR_MS / REST_MS}`;
  return [
    {
      what: 'requests in an hour without work, at the default interval of 1m',
      reach: `≤ ${POLLS}`,
      got: `${requests}`,
      met: requests <= POLLS,
      detail: `the most in ${2 * rounds.length} runs of ${POLLS} polls made ${INTERVAL_MS / 1000} s apart; a start's own requests and the token's renewal, once in its life, come on top`,
    },
    {
      ...ratio,
      detail: `${ratio.detail}; computed from ${computed}; the bare program's time between polls is in its polls`,
    },
    {
      what: 'agent CPU in an hour without work',
      got: `${(summarize(hours).median / 1000).toFixed(2)} s`,
      detail:
        `of one CPU; a poll ${each((round) => poll(round, round.tls), 2)} ms with its new TLS connection, ` +
        `${each((round) => poll(round, round.kept), 2)} ms on a kept one without TLS (then ${each((round) => hour(round, round.kept), 0)} ms an hour); ` +
        `all time without polls ${each((round) => perMs(round) * HOUR_MS, 0)} ms; RSS ${each(({ rest }) => rest.residentMb, 0)} MB`,
    },
  ];
}
