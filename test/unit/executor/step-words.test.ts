import { expect, it, vi } from 'vitest';
import { StepWords } from '../../../src/executor/kubernetes/step-words.ts';

function words() {
  const onGone = vi.fn();
  return { onGone, words: new StepWords(onGone) };
}

it('tells the leader and the end, however the stream is cut into pieces', async () => {
  const { words: heard } = words();
  for (const letter of '41\n\n3 0 1 of 5000\n') heard.hear(letter);
  expect(heard.leader).toBe(41);
  expect(await heard.begun).toBe(41);
  expect(heard.last).toEqual({ code: 3, state: { oomKills: 0, environmentChanged: true }, bytes: 5000 });
});

it('knows no end before its line is whole, and drops what a cut stream left of one', () => {
  const { words: heard } = words();
  heard.hear('41\n0 0 1 of 50');
  expect(heard.last).toBeUndefined();
  heard.startAnew();
  heard.hear('41\n0 0 1 of 5000\n');
  expect(heard.last).toMatchObject({ code: 0, bytes: 5000 });
});

it('keeps the first leader, tells of output that is gone, and keeps the rest as a complaint of bounded length', () => {
  const { onGone, words: heard } = words();
  heard.hear('41\n42\ngone\nsh: tail: not found\n');
  expect(heard.leader).toBe(41);
  expect(onGone).toHaveBeenCalledOnce();
  expect(heard.complaint).toBe('sh: tail: not found');
  heard.hear(`${'x'.repeat(5_000)}\n`);
  expect(heard.complaint).toHaveLength(1_000);
});

it('says that nothing began once nobody listens any more', async () => {
  const { words: heard } = words();
  heard.close();
  expect(await heard.begun).toBeUndefined();
});
