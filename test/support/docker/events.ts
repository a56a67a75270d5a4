import { text } from 'node:stream/consumers';
import { docker } from './images.ts';

/** A container's events of these kinds so far, each with its exit code if it has one: `die 0`. */
export async function eventsOf(container: string, kinds: readonly string[]): Promise<string[]> {
  const filters = { container: [container], event: [...kinds] };
  const stream = await docker.getEvents({ since: 1, until: Math.ceil(Date.now() / 1000), filters });
  const lines = (await text(stream as AsyncIterable<Buffer>)).split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const { Action: action, Actor: actor } = JSON.parse(line) as {
      Action: string;
      Actor: { Attributes: Record<string, string> };
    };
    return [action, actor.Attributes['exitCode'] ?? []].flat().join(' ');
  });
}
